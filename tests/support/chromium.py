"""Where Chromium is; run as a program it installs Debian's, where that is permitted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = ("chromium", "fonts-lmodern")  # the font has the mathematics
# Quiet, alone, and with WebGL in software.
SWITCHES = (
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """The program, by the variable CHROMIUM or on the path."""
    given = os.environ.get("CHROMIUM")
    return given or next((p for name in NAMES if (p := shutil.which(name))), None)


def refusal() -> str | None:
    """Why it cannot be installed here; None if it can be tried."""
    if not shutil.which("apt-get"):
        return "this is no Debian: there is no apt-get"
    if os.geteuid() != 0:
        return "installing it needs the rights of root"
    return None


def install() -> str | None:
    """Install it; says why where that fails."""
    reason = refusal()
    if reason:
        return reason
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    wanted = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *PACKAGES]
    for command in (["apt-get", "update", "-q"], wanted):
        done = subprocess.run(command, env=quiet, capture_output=True, text=True)
        if done.returncode:
            return f"'{' '.join(command)}' failed: {done.stderr.strip()[-300:]}"
    return None


def main() -> int:
    """0 if Chromium is there in the end, else 1 and the reason."""
    reason = None if chromium() else install()
    if reason is None:
        print(f"Chromium: {chromium()}")
        return 0
    print(f"Chromium is missing, and {reason}.", file=sys.stderr)
    print("Install it, or name it: CHROMIUM=/path/to/chromium", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
