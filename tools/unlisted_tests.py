"""Checks that every file of integration tests is a module of its binary, so that it runs.

Usage: python3 tools/unlisted_tests.py CRATE ...
"""
import pathlib
import re
import sys

missing = []
for crate in sys.argv[1:]:
    root = pathlib.Path(crate) / "tests" / "integration.rs"
    if not root.exists():
        continue
    listed = set(re.findall(r"^mod (\w+);", root.read_text(), re.M))
    files = {file.stem for file in root.parent.glob("*.rs")} - {"integration"}
    missing += [f"{root.parent}/{name}.rs" for name in sorted(files - listed)]
for file in missing:
    print(f"{file} is not a module of integration.rs, so its tests do not run", file=sys.stderr)
sys.exit(bool(missing))
