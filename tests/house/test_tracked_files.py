"""What is in the repository: no traces of the machine it was written on."""

from __future__ import annotations

import re
import subprocess

from source_tree import ROOT

# Folders of one machine, and addresses of package registries. The brackets keep the
# patterns from finding themselves.
TRACES = re.compile(
    r"(?<![\w.])/[w]ork/|/[r]oot/|/[h]ome/\w|/[U]sers/\w|[C]:\\\\Users"
    r"|[f]iles\.pythonhosted\.org|[p]ypi\.org/simple|[r]egistry\.npmjs"
    r"|[i]ndex-url\s*=|[a]rtifactory"
)
LARGEST = 200_000  # bytes; results and pictures of everything do not belong here


def tracked() -> list[str]:
    """Files under version control, and new ones not ignored."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


def test_no_file_knows_this_machine():
    """No path of a machine and no address of a registry is written down."""
    found = []
    for name in tracked():
        content = (ROOT / name).read_bytes()
        if b"\0" in content:
            continue
        for number, line in enumerate(content.decode().splitlines(), 1):
            if TRACES.search(line):
                found.append(f"{name}:{number} {line.strip()[:80]}")
    assert not found, "\n".join(found)


def test_traces_would_be_seen():
    """The pattern finds what it is for, and lets ordinary text be."""
    assert TRACES.search("see /ho" + "me/anna/model.py")
    assert TRACES.search("--index-" + "url = https://example.org")
    assert not TRACES.search("tests/framework/ and work/energy")


def test_no_file_is_large():
    """Files stay small enough to read, LICENSE and pictures included."""
    large = [n for n in tracked() if (ROOT / n).stat().st_size > LARGEST]
    assert not large


def test_lock_files_are_not_kept():
    """Lock files record the addresses of registries."""
    locks = {"uv.lock", "package-lock.json", "poetry.lock"}
    assert not [n for n in tracked() if n.rpartition("/")[2] in locks]
