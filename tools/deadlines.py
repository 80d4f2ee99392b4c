#!/usr/bin/env python3
"""Measures by how much `pavane solve --time` overruns its limit, on a matrix of networks, collectives and rules.

    tools/deadlines.py                      the whole matrix (384 runs of up to TIME + 2 s each)
    tools/deadlines.py path:300 sf          only rows whose text contains every one of these words
    tools/deadlines.py --time 5 --extra     another limit, in seconds; also networks outside the matrix
    tools/deadlines.py --list               the rows, without running anything

Every row is one command. A run may take GRACE seconds longer than its limit; rows that take longer are marked and make the exit code 1. A run that takes ten
times its limit is ended. PAVANE names another program than target/release/pavane. Measure on a machine with nothing else to do."""

import argparse
import itertools
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("PAVANE", str(ROOT / "target/release/pavane"))
GRACE = 2.0

# About 100, 300 and 1000 routers each.
NETWORKS = [
    "path:100", "path:300", "path:1000",
    "ring:100", "ring:300", "ring:1000",
    "tree:2,6", "tree:17,2", "tree:2,9",
    "mesh:10x10", "mesh:15x20", "mesh:25x40",
]
# Networks whose first schedule comes late.
EXTRA = ["dragonfly:4,8,4", "random-regular:1024,4,1", "star:1000", "torus:32x32", "hypercube:10"]
COLLECTIVES = ["all-to-all", "all-gather", "broadcast", "scatter"]
SWITCHING = ["wormhole", "sf"]
PORTS = ["1", "all"]
DUPLEX = ["full", "half"]


def rows(networks):
    for network, collective, switching, ports, duplex in itertools.product(networks, COLLECTIVES, SWITCHING, PORTS, DUPLEX):
        yield [network, collective, "--switching", switching, "--ports", ports, "--duplex", duplex]


def measure(row, limit):
    """Seconds that one run takes, its exit code and how it ended, in a line."""
    command = [PROGRAM, "solve", *row, "--time", f"{limit}s", "--threads", "1", "--quiet", "--json"]
    begun = time.monotonic()
    try:
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=10 * limit)
    except subprocess.TimeoutExpired:
        return time.monotonic() - begun, None, "ended by hand"
    seconds = time.monotonic() - begun
    return seconds, run.returncode, outcome(run)


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
    parser.add_argument("--extra", action="store_true", help="also networks outside the matrix")
    parser.add_argument("--list", action="store_true", help="list the rows and run nothing")
    args = parser.parse_args()
    chosen = [row for row in rows(NETWORKS + EXTRA * args.extra) if all(word in row for word in args.words)]
    if args.list:
        print("\n".join(" ".join(row) for row in chosen))
        return 0
    measured = []
    for row in chosen:
        seconds, code, text = measure(row, args.time)
        over = seconds - args.time
        mark = "LATE" if over > GRACE else ""
        print(f"{seconds:8.2f} s {over:+8.2f} s  {mark:4}  exit {code}  {' '.join(row)}: {text}", flush=True)
        measured.append((over, " ".join(row)))
    measured.sort(reverse=True)
    late = [entry for entry in measured if entry[0] > GRACE]
    print(f"\n{len(measured)} runs, {len(late)} of them more than {GRACE:g} s over {args.time:g} s. The worst:")
    for over, row in measured[:10]:
        print(f"{over:+8.2f} s  {row}")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
