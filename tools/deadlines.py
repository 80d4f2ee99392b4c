#!/usr/bin/env python3
"""Measures by how much `pavane solve --time` overruns its limit, on a matrix of networks, collectives and rules.

    tools/deadlines.py                      the whole matrix (384 runs of up to TIME + 1 s each)
    tools/deadlines.py path:300 sf          only rows whose text contains every one of these words
    tools/deadlines.py --time 5 --extra     another limit, in seconds; also networks outside the matrix
    tools/deadlines.py --survey             the problems of corpus/survey.txt instead of the matrix
    tools/deadlines.py --large              networks with millions of deliveries, under the rules of the survey
    tools/deadlines.py --threads 2          other than one thread
    tools/deadlines.py --list               the rows, without running anything

Every row is one command. A run may take a tenth of its limit and GRACE seconds longer than its limit; rows that take longer are marked LATE and make the exit
code 1. A row is marked busy instead if its processor time is within that limit: then other programs may have delayed it. A run that takes ten times its limit
is ended. PAVANE names another program than target/release/pavane. Measure on a machine with nothing else to do."""

import argparse
import itertools
import os
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("PAVANE", str(ROOT / "target/release/pavane"))
GRACE = 1.0
SURVEY = ROOT / "corpus/survey.txt"

# About 100, 300 and 1000 routers each.
NETWORKS = [
    "path:100", "path:300", "path:1000",
    "ring:100", "ring:300", "ring:1000",
    "tree:2,6", "tree:17,2", "tree:2,9",
    "mesh:10x10", "mesh:15x20", "mesh:25x40",
]
# Networks whose first schedule comes late.
EXTRA = ["dragonfly:4,8,4", "random-regular:1024,4,1", "star:1000", "torus:32x32", "hypercube:10"]
# Networks with millions of deliveries; some of their problems are rejected for their size.
LARGE = ["hypercube:12", "torus:64x64", "dragonfly:8,16,8", "dragonfly:4,8,4", "random-regular:1024,4,1"]
COLLECTIVES = ["all-to-all", "all-gather", "broadcast", "scatter"]
SWITCHING = ["wormhole", "sf"]
PORTS = ["1", "all"]
DUPLEX = ["full", "half"]


def rows(networks):
    for network, collective, switching, ports, duplex in itertools.product(networks, COLLECTIVES, SWITCHING, PORTS, DUPLEX):
        yield [network, collective, "--switching", switching, "--ports", ports, "--duplex", duplex]


def survey_blocks():
    """The networks and the rules of every block of the survey."""
    blocks, into = [], None
    for line in SURVEY.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line == "networks:":
            blocks.append(([], []))
            into = 0
        elif line == "rules:":
            into = 1
        elif line:
            blocks[-1][into].extend([line] if into else line.split())
    return blocks


def survey_rows(networks=None):
    """The problems of the survey; for `networks`, those that its first rules make."""
    blocks = survey_blocks()
    if networks:
        blocks = [(networks, blocks[0][1])]
    for own, rules in blocks:
        for network, rule in itertools.product(own, rules):
            yield [network, *rule.split()]


def measure(row, limit, threads):
    """Seconds that one run takes, of them processor time, its exit code and how it ended, in a line."""
    command = [PROGRAM, "solve", *row, "--time", f"{limit}s", "--threads", str(threads), "--quiet", "--json"]
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=10 * limit)
        code, text = run.returncode, outcome(run)
    except subprocess.TimeoutExpired:
        code, text = None, "ended by hand"
    seconds, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, used, code, text


def outcome(run):
    """Steps, bound and engine, or what was said instead."""
    text = run.stdout[:2_000_000].decode(errors="replace")
    found = {}
    for line in text.splitlines():
        for key in ("steps", "engine", "status"):
            mark = f'"{key}": '
            if mark in line and key not in found:
                found[key] = line.split(mark, 1)[1].strip().rstrip(",").strip('"')
    if run.returncode == 0:
        return f"{found.get('status', '?')}, {found.get('engine', '?')}"
    words = run.stderr.decode(errors="replace").strip() or found.get("status", "")
    return words.splitlines()[-1][:80] if words else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="only rows that contain all of these")
    parser.add_argument("--time", type=float, default=2.0, help="the limit of a run in seconds [default: 2]")
    parser.add_argument("--threads", type=int, default=1, help="threads of a run [default: 1]")
    parser.add_argument("--survey", action="store_true", help="the problems of the survey")
    parser.add_argument("--large", action="store_true", help="networks with millions of deliveries")
    parser.add_argument("--extra", action="store_true", help="also networks outside the matrix")
    parser.add_argument("--list", action="store_true", help="list the rows and run nothing")
    args = parser.parse_args()
    if args.survey or args.large:
        candidates = [*(survey_rows() if args.survey else []), *(survey_rows(LARGE) if args.large else [])]
    else:
        candidates = rows(NETWORKS + EXTRA * args.extra)
    chosen = [row for row in candidates if all(word in row for word in args.words)]
    if args.list:
        print("\n".join(" ".join(row) for row in chosen))
        return 0
    measured = []
    for row in chosen:
        seconds, used, code, text = measure(row, args.time, args.threads)
        over, most = seconds - args.time, 1.1 * args.time + GRACE
        mark = "" if seconds <= most else "busy" if used <= most else "LATE"
        print(f"{seconds:8.2f} s {over:+8.2f} s  processor {used:8.2f} s  {mark:4}  exit {code}  {' '.join(row)}: {text}", flush=True)
        measured.append((over, " ".join(row), mark))
    measured.sort(reverse=True)
    late = [entry for entry in measured if entry[2] == "LATE"]
    print(f"\n{len(measured)} runs, {len(late)} of them more than a tenth and {GRACE:g} s over {args.time:g} s. The worst:")
    for over, row, _ in measured[:10]:
        print(f"{over:+8.2f} s  {row}")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
