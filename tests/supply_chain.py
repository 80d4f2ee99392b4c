"""No unsafe code in our crates, and both lock files are committed. cargo-deny checks the dependencies (deny.toml)."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent
# pyo3 generates unsafe code; all other crates inherit the workspace's ban.
MAY_BE_UNSAFE = {"pavane-python"}

wrong = []


def check_unsafe():
    for manifest in sorted(ROOT.glob("crates/*/Cargo.toml")):
        text = manifest.read_text()
        name = re.search(r'^name = "(.*)"', text, re.M).group(1)
        if name not in MAY_BE_UNSAFE and "[lints]\nworkspace = true" not in text:
            wrong.append(f"{name} does not inherit the lints of the workspace")
        for source in sorted(manifest.parent.glob("**/*.rs")):
            code = re.sub(r"//.*", "", source.read_text())
            if re.search(r"\bunsafe\s*(\{|fn|impl|trait|extern)", code):
                wrong.append(f"{source.relative_to(ROOT)} has unsafe code")
    if 'unsafe_code = "forbid"' not in (ROOT / "Cargo.toml").read_text():
        wrong.append("the workspace no longer forbids unsafe code")


def check_lock_files():
    for name in ["Cargo.lock", "fuzz/Cargo.lock"]:
        listed = subprocess.run(["git", "ls-files", name], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        if listed.returncode == 0 and not listed.stdout.strip():
            wrong.append(f"{name} is not committed")


check_unsafe()
check_lock_files()
for line in wrong:
    print(line, file=sys.stderr)
print(f"{len(wrong)} complaints")
sys.exit(bool(wrong))
