"""The command line: ``commands`` has one module per subcommand, listed in ``program/app.py``."""
