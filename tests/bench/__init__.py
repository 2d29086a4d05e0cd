"""What queuetop costs a server and its user, as ratios of one run: ``make bench``."""
