"""`python -m reknit`."""

from reknit.interfaces.cli.main import main

if __name__ == "__main__":
    main()
