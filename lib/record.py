"""`python -m lib.record [CHAPTER ...]` records what chapters claim: see `lib.book.claims`."""

from lib.book.claims import main

if __name__ == "__main__":
    main()
