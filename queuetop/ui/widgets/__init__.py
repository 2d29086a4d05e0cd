"""The pieces that screens are built of."""
