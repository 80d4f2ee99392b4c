#!/usr/bin/env python3
"""Solves every problem of every table of the papers and writes docs/results.md: the paper's steps, ours and the bound.

    tools/results.py                 about a minute; PAVANE names another program than target/release/pavane

What the papers' own algorithms reach here, and at what success rate, is `pavane reproduce`."""

import collections
import csv
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("PAVANE", str(ROOT / "target/release/pavane"))
PAGE = ROOT / "docs/results.md"
PAPERS = {
    "gecco-2007.csv": "Jaroš, Ohlídal, Dvořák: An evolutionary approach to collective communication scheduling, 2007",
    "hgsa.csv": "Group communications by hybrid parallel genetic simulated annealing",
    "fault-tolerant.csv": "Jaroš: Evolutionary design of fault tolerant collective communications",
}
TIME = "20s"


def solve(problem):
    run = subprocess.run([PROGRAM, "solve", *problem.split(), "--json", "--quiet", "--time", TIME], capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(f"pavane solve {problem}: {run.stderr}")
    answer = json.loads(run.stdout)
    print(problem, answer.get("steps"), flush=True)
    return answer.get("steps"), answer["bound"]["steps"]


def verdict(paper, ours, bound):
    if ours is None:
        return "not found"
    where = "optimal" if ours == bound else f"bound {bound}"
    if paper < bound:
        return f"{where}; the paper's {paper} is impossible"
    return where + ("; fewer than the paper" if ours < paper else "; more than the paper" if ours > paper else "")


def main():
    sections, records, impossible, behind, total, met = [], [], [], [], 0, 0
    for file, paper in PAPERS.items():
        tables = collections.defaultdict(list)
        for row in csv.DictReader((ROOT / "corpus/papers" / file).open(), delimiter=";"):
            tables[row["table"]].append((row["problem"], int(row["steps"]), *solve(row["problem"]), row["note"]))
        sections.append(f"## {paper}\n")
        for table, rows in tables.items():
            # Faults of one network with the same outcome share a line.
            lines = collections.defaultdict(list)
            for problem, theirs, ours, bound, note in rows:
                total, met = total + 1, met + (ours == bound)
                plain = re.sub(r" --fault(?:-channel)? \S+", "", problem)
                fault = " ".join(re.findall(r"--fault(?:-channel)? (\S+)", problem))
                lines[plain, theirs, ours, bound, note].append(fault)
                # A network of ours in the place of one that is lost is no record and no contradiction.
                if "is lost" in note:
                    continue
                if theirs < bound:
                    impossible.append((plain, theirs, ours, bound))
                elif ours is None or ours > theirs:
                    behind.append((plain, theirs, ours, bound))
                elif ours < theirs:
                    records.append((plain, theirs, ours, bound))
            sections.append(f"### `{table}`\n\n| problem | faults | paper | ours | |\n|---|---|---|---|---|")
            for (plain, theirs, ours, bound, note), faults in lines.items():
                names = [fault for fault in faults if fault]
                shown = ", ".join(names[:6]) + (f" and {len(names) - 6} others" if len(names) > 6 else "")
                sections.append(f"| `{plain}` | {shown} | {theirs} | {ours} | {verdict(theirs, ours, bound)}{note and f' ({note})'} |")
            sections.append("")
    def listed(rows):
        groups = collections.Counter(rows)
        return "\n".join(f"| `{plain}`{f', {count} faults' if count > 1 else ''} | {theirs} | {ours} | {bound} |" for (plain, theirs, ours, bound), count in groups.items())
    head = "| problem | paper | ours | bound |\n|---|---|---|---|\n"
    version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout.strip()
    PAGE.write_text(f"""# Results

Every table of results of the three papers on evolutionary scheduling beside what `pavane solve PROBLEM --time {TIME}` gives, made by `tools/results.py` ({version}, {datetime.date.today()}). Of {total}
entries {met} are optimal here: the schedule meets a bound that the judge has checked. How the papers' own algorithms do, with their success rates, and how the tables are read, is in
[the tables of the papers, again](reproduction.md); the paper on concurrent traffic is in [traffic](traffic.md).

## Records

Where the papers' schedules can be shortened ({len(records)} entries):

{head}{listed(records)}

Entries below a proved bound, which no schedule can have under the rules as we read them ({len(impossible)}):

{head}{listed(impossible)}

Entries where we need more steps than the paper although its figure is possible: {len(behind) or "none"}.
{(chr(10) + head + listed(behind) + chr(10)) if behind else ""}
""" + "\n".join(sections))


main()
