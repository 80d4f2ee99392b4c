#!/usr/bin/env python3
"""Finds import cycles among the files of a Rust crate.

    tools/import_cycles.py CRATE...       for example: tools/import_cycles.py crates/search

A file imports another one if it names something of it: in a `use` declaration or in any other path that
starts with `crate::`, `super::`, `self::` or the name of a child module. A path leads to the file of the
last module in it, so an item that a parent module re-exports is imported from the parent. The declaration
`mod child;` is not an import. Unit tests count like other code.

Prints every strongly connected component with more than one file, and the imports within it. Exits with
status 1 if there is one.
"""

import re
import sys
from pathlib import Path

# What a token is: a path separator, a name, or a single other character.
TOKEN = re.compile(r"::|[A-Za-z_][A-Za-z_0-9]*|\S")

# Text that contains no code: comments, strings and characters. Lifetimes are left alone.
NOT_CODE = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | b?r(?P<hashes>\#*)".*?"(?P=hashes)
      | b?"(?:\\.|[^"\\])*"
      | b?'(?:\\[^\n]+?|[^\\'\n])'""",
    re.VERBOSE | re.DOTALL,
)

# The visibility of an item names a module but does not import it.
VISIBILITY = re.compile(r"\bpub\s*\([^)]*\)")


def tokens_of(file):
    """The tokens of a file, without comments, strings and visibilities."""
    text = NOT_CODE.sub(" ", file.read_text(encoding="utf-8"))
    return TOKEN.findall(VISIBILITY.sub(" ", text))


def modules_of(source):
    """The files of a crate by the path of their module, such as ("scatter", "layout")."""
    modules = {}
    for file in sorted(source.rglob("*.rs")):
        path = file.relative_to(source).with_suffix("").parts
        if path[-1] in ("mod", "lib", "main"):
            path = path[:-1]
        modules[path] = file
    return modules


def leaves(tokens, at):
    """The paths of a tree such as `a::{b, c::d}` that starts at a position, and the position after it."""
    path = []
    while at < len(tokens):
        token = tokens[at]
        if token == "{":
            paths, at = [], at + 1
            while tokens[at] != "}":
                if tokens[at] == ",":
                    at += 1
                    continue
                inner, at = leaves(tokens, at)
                paths += [path + one for one in inner]
            return paths, at + 1
        if token == "as":
            return [path], at + 2
        if token == "::":
            at += 1
            continue
        if token != "*" and not re.match(r"\w", token):
            break
        path.append(token)
        at += 1
        if tokens[at : at + 1] not in (["::"], ["as"]):
            break
    return [path], at


def paths_of(tokens):
    """Every path of a file, with the inline modules that it stands in."""
    inline, depth, at = [], 0, 0
    while at < len(tokens):
        token, following = tokens[at], tokens[at + 1 : at + 3]
        if token == "mod" and len(following) == 2 and following[1] == "{":
            depth += 1
            inline.append((following[0], depth))
            at += 3
            continue
        if token in "{}":
            if token == "}" and inline and inline[-1][1] == depth:
                inline.pop()
            depth += 1 if token == "{" else -1
        names = tuple(name for name, _ in inline)
        is_path = re.match(r"[A-Za-z_]", token) and following[:1] == ["::"]
        if token == "use":
            found, at = leaves(tokens, at + 1)
        elif is_path and (at == 0 or tokens[at - 1] != "::"):
            found, at = leaves(tokens, at)
        else:
            at += 1
            continue
        yield from ((names, path) for path in found)


def target(modules, module, inline, path):
    """The module that a path leads to, or None if it leaves the crate."""
    here = module + inline
    if path[0] == "crate":
        place, path = (), path[1:]
    elif path[0] in ("self", "super"):
        place = here
    elif here + (path[0],) in modules:
        place = here
    else:
        return None
    for name in path:
        if name == "super":
            place = place[:-1]
        elif name == "self":
            continue
        elif place + (name,) in modules:
            place += (name,)
        else:
            break
    # Inline modules belong to the file of the module around them.
    while place not in modules:
        place = place[:-1]
    return place


def imports_of(modules):
    """The modules that each module imports."""
    imports = {}
    for module, file in modules.items():
        targets = set()
        for inline, path in paths_of(tokens_of(file)):
            found = target(modules, module, inline, path) if path else None
            if found is not None and found != module:
                targets.add(found)
        imports[module] = targets
    return imports


def reachable(imports, start):
    """Every module that can be reached from one over imports."""
    seen, open_ones = set(), [start]
    while open_ones:
        for module in imports[open_ones.pop()]:
            if module not in seen:
                seen.add(module)
                open_ones.append(module)
    return seen


def components(imports):
    """The strongly connected components with more than one module."""
    reach = {module: reachable(imports, module) for module in imports}
    found, done = [], set()
    for module in imports:
        component = {other for other in reach[module] if module in reach[other]} | {module}
        if len(component) > 1 and module not in done:
            found.append(component)
        done |= component
    return found


def check(crate):
    """Prints the cycles of a crate and returns their number."""
    source = Path(crate) / "src"
    modules = modules_of(source)
    if not modules:
        sys.exit(f"{source} has no Rust files")
    imports = imports_of(modules)
    found = components(imports)
    for component in found:
        print(f"{crate}: {len(component)} files import each other in a cycle:")
        for module in sorted(component):
            others = sorted(str(modules[one].relative_to(source)) for one in imports[module] & component)
            print(f"  {modules[module].relative_to(source)} imports {', '.join(others)}")
    if not found:
        print(f"{crate}: {len(modules)} files, no import cycle")
    return len(found)


def main():
    crates = sys.argv[1:]
    if not crates or crates[0].startswith("-"):
        sys.exit(__doc__)
    sys.exit(1 if sum([check(crate) for crate in crates]) else 0)


if __name__ == "__main__":
    main()
