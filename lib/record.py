"""`python -m lib.record [CHAPTER ...]` records what chapters claim: see `lib.book.recording`."""

from lib.book.recording import main

if __name__ == "__main__":
    main()
