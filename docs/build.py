"""Builds the documentation: `make docs`, or `python docs/build.py --models pendulum`.

The pages are copied to build/docs/source; the API of every public name, a page for
every model of the gallery and one for every problem of the verification manual are
written beside them; sphinx makes build/docs/html.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from api_pages import write_api
from gallery_pages import write_gallery
from verification_pages import write_verification

HERE = Path(__file__).resolve().parent
OUT = HERE.parent / "build" / "docs"
OURS = (
    *("build.py", "api_pages.py", "api_arguments.py", "api_arguments.toml"),
    *("gallery_pages.py", "verification_pages.py"),
    "__pycache__",
)


def main() -> int:
    """Copy, write, build; sphinx's warnings are errors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", help="some models only, with commas between")
    parser.add_argument("--problems", help="some problems only, with commas between")
    parser.add_argument("--out", type=Path, default=OUT, help="the folder to build in")
    given = parser.parse_args()
    source, target, wanted = given.out / "source", given.out / "html", given.models
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(HERE, source, ignore=shutil.ignore_patterns(*OURS))
    write_api(source / "api")
    write_gallery(source / "gallery", wanted.split(",") if wanted else None)
    asked = given.problems
    write_verification(source / "verification", asked.split(",") if asked else None)
    words = ["-b", "html", "-W", "--keep-going", "-q", "-E", "-a"]
    words += [str(source), str(target)]
    done = subprocess.run([sys.executable, "-m", "sphinx", *words], check=False)
    if done.returncode == 0:
        print(f"wrote {target / 'index.html'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
