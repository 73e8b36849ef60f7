"""The command that looks for a Chromium."""

import os
import subprocess
import sys


def test_where_playwright_itself_does_not_start_one_sentence_ends_the_command():
    lame = {
        "PATH": "",  # where no Chromium is, and nothing that installs one
        "PLAYWRIGHT_NODEJS_PATH": sys.executable,  # which is not what runs playwright
    }
    said = subprocess.run(
        [sys.executable, "-m", "record.browser"],
        env={**os.environ, **lame},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    sentence = "no Chromium could be installed; put one on the PATH as `chromium`"
    assert said.returncode == 1 and sentence in said.stderr.splitlines()
    assert not said.stdout
