"""The command line tool as ``python -m tarsus``."""

from tarsus.cli.main import app

if __name__ == "__main__":
    app()
