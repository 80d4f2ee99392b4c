#!/usr/bin/env python3
"""Completions in bash, zsh and fish: presses the keys in a terminal and reads what the line has become.

    tests/shells.py [PROGRAM]
"""

import os
import pathlib
import pty
import re
import select
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else TARGET / "debug/pavane").resolve()

# What is typed before the tabulator, and the words of the line after the tabulator and an X. A word that ends in X was
# not followed by a blank.
CASES = [
    ("pavane so", "pavane solve X"),
    ("pavane solve mes", "pavane solve mesh:X"),
    ("pavane solve hypercub", "pavane solve hypercube:X"),
    ("pavane solve dgx-1", "pavane solve dgx-1v X"),
    ("pavane solve mesh:4x4 all-r", "pavane solve mesh:4x4 all-reduce X"),
    ("pavane solve --root 2,3 mesh:4x4 broa", "pavane solve --root 2,3 mesh:4x4 broadcast X"),
    ("pavane solve ring:4 all-gather --eng", "pavane solve ring:4 all-gather --engine X"),
    ("pavane solve ring:4 all-gather --engine ejec", "pavane solve ring:4 all-gather --engine ejection X"),
    ("pavane solve ring:4 all-gather --engine=hgs", "pavane solve ring:4 all-gather --engine=hgsa X"),
    ("pavane solve --engine hgsa --set isl", "pavane solve --engine hgsa --set islands=X"),
    ("pavane export x.json --to mscclp", "pavane export x.json --to mscclpp X"),
    ("pavane export x.json --to systemv", "pavane export x.json --to systemverilog X"),
    ("pavane traffic run ring:4 --policy smallest-f", "pavane traffic run ring:4 --policy smallest-first X"),
    ("pavane traffic compare ring:4 --policy fifo,sma", "pavane traffic compare ring:4 --policy fifo,smallest-first X"),
    ("pavane traffic compare ring:4 --switching cs,v", "pavane traffic compare ring:4 --switching cs,vct X"),
    ("pavane faults ring:4 --of links,r", "pavane faults ring:4 --of links,routers X"),
    ("pavane traffic run --permutation=sh", "pavane traffic run --permutation=shuffle X"),
    # Names of files, where the program suggests nothing.
    ("pavane verify some", "pavane verify some-file.json X"),
    ("pavane solve some", "pavane solve some-file.json X"),
]

SHELLS = {
    "bash": (["bash", "--noprofile", "--norc", "-i"], "bash", ["PS1='$ '", "show() { printf '<%s>' \"$@\"; echo; }"]),
    "zsh": (
        ["zsh", "-f", "-i"],
        "zsh",
        ["PS1='$ '; unsetopt zle_bracketed_paste", "show() { printf '<%s>' \"$@\"; echo; }", "autoload -U compinit; compinit -u -D"],
    ),
    "fish": (["fish", "--no-config", "-i"], "fish", ["function show; printf '<%s>' $argv; echo; end"]),
}


class Shell:
    """An interactive shell in a terminal."""

    def __init__(self, name, folder):
        command, _, start = SHELLS[name]
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(HOME=str(folder), TERM="dumb", PATH=f"{folder}/bin:{os.environ['PATH']}", COLUMNS="200")
            os.execvp(command[0], command)
        self.read(1.5)
        for line in [*start, f"source {folder}/script.{name}"]:
            self.run(line)

    def read(self, quiet, until=None, most=15):
        """What the shell prints until it is quiet, or until a text."""
        text, begun = "", time.monotonic()
        while time.monotonic() - begun < most:
            if not select.select([self.terminal], [], [], quiet)[0]:
                if until is None:
                    break
                continue
            try:
                text += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:
                break
            if until is not None and re.search(until, text):
                break
        return text

    def type(self, text):
        os.write(self.terminal, text.encode())

    def run(self, line):
        self.type(line + "\r")
        self.read(0.5)

    def completed(self, line):
        """The words of a line after a tabulator and an X."""
        self.type(line)
        self.read(0.3)
        self.type("\t")
        self.read(1.0)
        self.type("X")
        self.read(0.3)
        self.type("\x01show \r")
        text = self.read(0.5, until=r"<pavane>[^\n]*X>")
        found = re.findall(r"<pavane>[^\n\r]*X>", text)
        return found[-1][1:-1].replace("><", " ") if found else repr(text)

    def end(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def main():
    wrong = 0
    for name in SHELLS:
        if not shutil.which(name):
            sys.exit(f"{name} is missing")
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            (folder / "bin").mkdir()
            (folder / "bin/pavane").symlink_to(PROGRAM)
            (folder / "some-file.json").write_text("{}")
            script = os.popen(f"{PROGRAM} completions {name}").read()
            (folder / f"script.{name}").write_text(script)
            shell = Shell(name, folder)
            for typed, expected in CASES:
                found = shell.completed(typed)
                if found != expected:
                    print(f"{name}: {typed!r} became {found!r}, not {expected!r}")
                    wrong += 1
            shell.end()
        print(f"{name}: {len(CASES)} lines")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
