"""The views of the main screen, one a number key."""
