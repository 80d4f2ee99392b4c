"""What we are built from: licences that we may use, crates.io only, notes on what nobody maintains, no unsafe code."""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parent.parent
ALLOWED = {
    "MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "0BSD",
    "Unicode-3.0", "Unlicense", "BSL-1.0",
}  # fmt: skip
# Nobody maintains these; why they stay is in docs/decisions/0009-supply-chain.md.
UNMAINTAINED = {"paste", "custom_derive", "conv"}
# What pyo3 generates is unsafe; all others inherit the ban of the workspace.
MAY_BE_UNSAFE = {"pavane-python"}

wrong = []


def is_allowed(expression):
    """Whether an SPDX expression can be met by allowed licences; the old `/` means OR."""
    words = re.findall(r"\(|\)|\bAND\b|\bOR\b|[^()\s]+(?: WITH \S+)?", expression.replace("/", " OR "))
    python = [{"AND": "and", "OR": "or"}.get(w, w if w in "()" else str(w in ALLOWED)) for w in words]
    return eval(" ".join(python))  # Nothing but True, False, and, or and brackets.


def check_dependencies():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)["packages"]
    names = {package["name"] for package in packages}
    for package in packages:
        if package["source"] is None:
            continue
        if package["source"] != "registry+https://github.com/rust-lang/crates.io-index":
            wrong.append(f"{package['name']} comes from {package['source']}, not from crates.io")
        licence = package["license"]
        if not licence or not is_allowed(licence):
            wrong.append(f"{package['name']} {package['version']} has the licence {licence}, which is not allowed")
    for name in UNMAINTAINED - names:
        wrong.append(f"{name} is no longer a dependency: take its note away")
    return sum(package["source"] is not None for package in packages)


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


count = check_dependencies()
check_unsafe()
check_lock_files()
for line in wrong:
    print(line, file=sys.stderr)
print(f"{count} dependencies, {len(wrong)} complaints")
sys.exit(bool(wrong))
