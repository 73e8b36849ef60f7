"""Says where the book lives, everywhere: `python chapters/_ext/address.py https://github.com/OWNER/NAME`.

The address of the repository and that of its site stand in `_config.yml` and, in their setup cells,
in the notebooks: a fork is another address.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pair

CONFIG = Path(__file__).resolve().parents[2] / "_config.yml"
ADDRESS = re.compile(r"https://github\.com/([A-Za-z0-9-]+)/([A-Za-z0-9._-]+?)(?:\.git)?/?")


def moved(config: str, address: str) -> str:
    """The text of `_config.yml` for a repository at `address`; ValueError for no such address."""
    found = ADDRESS.fullmatch(address)
    if not found:
        raise ValueError(f"https://github.com/OWNER/NAME is expected, not {address!r}")
    owner, name = found.groups()
    lines = {
        r"^  url: .*$": f"  url: https://github.com/{owner}/{name}",
        r"^  baseurl: .*$": f"  baseurl: https://{owner.lower()}.github.io/{name}",
    }
    for pattern, line in lines.items():
        config, count = re.subn(pattern, line, config, flags=re.MULTILINE)
        if count != 1:
            raise ValueError(f"{CONFIG.name} is expected to have one line {pattern}, not {count}")
    return config


def main(addresses: list[str]) -> None:
    """The command: writes `_config.yml` and the notebooks."""
    if len(addresses) != 1:
        sys.exit("one address is expected: make address URL=https://github.com/OWNER/NAME")
    try:
        text = moved(CONFIG.read_text(encoding="utf-8"), addresses[0])
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    pair.write(CONFIG, text)
    pair.main(check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
