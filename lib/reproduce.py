"""`python -m lib.reproduce NAME` makes a stored run: see `lib.book.reproduce`."""

from lib.book.reproduce import main

if __name__ == "__main__":
    main()
