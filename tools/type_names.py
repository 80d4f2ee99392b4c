#!/usr/bin/env python3
"""Finds type names that mean two things.

    tools/type_names.py [CRATES]          the folder of the crates; `crates` unless given

Reports every name of a struct, enum, union, trait or type alias that is declared twice in one crate, and
every public one that is declared in two crates. A type is public if its modules are, or if a `pub use`
names it. Private names of different crates may repeat, and so may those of tests and within functions.
`ALLOWED` lists exceptions with their reasons.

Exits with status 1 if there is a name to change.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

from import_cycles import NOT_CODE, modules_of

# Names that may repeat, and why.
ALLOWED: dict[str, str] = {}

TOKEN = re.compile(r"\w+|::|.", re.DOTALL)


def tokens_of(file):
    """The tokens of a file without comments, strings and spaces."""
    text = NOT_CODE.sub(" ", file.read_text(encoding="utf-8"))
    return [token for token in TOKEN.findall(text) if not token.isspace()]


def blocks(tokens):
    """The tokens with the blocks around each: "mod NAME", "test" or "other"."""
    open_blocks, head = [], []
    for at, token in enumerate(tokens):
        yield at, token, open_blocks
        if token == "{":
            open_blocks = open_blocks + [kind_of(head)]
            head = []
        elif token == "}":
            open_blocks, head = open_blocks[:-1], []
        elif token == ";":
            head = []
        else:
            head.append(token)


def kind_of(head):
    """The kind of a block, by the tokens of its item."""
    if "cfg" in head and "test" in head:
        return "test"
    if "mod" in head:
        return "mod " + head[-1]
    return "other"


def declarations(file):
    """The types that a file declares outside tests: their names, inline modules and whether they are `pub`."""
    tokens = tokens_of(file)
    for at, token, around in blocks(tokens):
        if token not in ("struct", "enum", "union", "trait", "type") or any(not kind.startswith("mod ") for kind in around):
            continue
        name = tokens[at + 1] if at + 1 < len(tokens) else ""
        if re.fullmatch(r"[A-Z]\w*", name):
            yield name, tuple(kind[4:] for kind in around), at > 0 and tokens[at - 1] == "pub"


def public_modules(modules):
    """The modules of a crate whose path consists of `pub mod` declarations."""
    declared = set()
    for module, file in modules.items():
        tokens = tokens_of(file)
        declared |= {module + (tokens[at + 2],) for at in range(len(tokens) - 2) if tokens[at : at + 2] == ["pub", "mod"]}
    return {module for module in modules if all(module[:length] in declared for length in range(1, len(module) + 1))}


def exported_names(modules):
    """The names in `pub use` declarations of a crate."""
    names = set()
    for file in modules.values():
        tokens = tokens_of(file)
        for at in range(len(tokens) - 1):
            if tokens[at : at + 2] == ["pub", "use"]:
                names |= set(tokens[at + 2 : tokens.index(";", at)])
    return names


def is_test(module):
    return any(part == "tests" or part.endswith("_tests") for part in module)


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "crates")
    everywhere, wrong = defaultdict(dict), 0
    crates = sorted(path for path in folder.iterdir() if (path / "src").is_dir())
    for crate in crates:
        modules = modules_of(crate / "src")
        reachable, exported = public_modules(modules), exported_names(modules)
        here = defaultdict(list)
        for module, file in modules.items():
            if is_test(module):
                continue
            for name, inline, is_pub in declarations(file):
                here[name].append(file)
                if is_pub and not inline and (module in reachable or name in exported):
                    everywhere[name][crate.name] = file
        for name, files in sorted(here.items()):
            if len(files) > 1 and name not in ALLOWED:
                wrong += 1
                print(f"{name} is declared {len(files)} times in {crate}: {', '.join(str(file.relative_to(crate)) for file in files)}")
    for name, files in sorted(everywhere.items()):
        if len(files) > 1 and name not in ALLOWED:
            wrong += 1
            print(f"{name} is public in {len(files)} crates: {', '.join(map(str, files.values()))}")
    print(f"{len(crates)} crates, {wrong} type names to change")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
