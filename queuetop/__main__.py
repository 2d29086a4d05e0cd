"""``python -m queuetop``."""

from queuetop.cli.main import main

main()
