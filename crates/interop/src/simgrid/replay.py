#!/usr/bin/python3
"""Replays the transfers of a schedule in SimGrid, step by step, and looks for conflicts.

    python3 X.replay.py X.platform.xml X.trace.csv

Every link of the platform carries one byte a second, so a transfer takes as many seconds as it has bytes, unless
it shares a channel or a port with another one of its step. Needs SimGrid's Python module (Debian: python3-simgrid).
"""

import csv
import sys
from itertools import groupby

from simgrid import Actor, Comm, Engine, Host


def replay(transfers, report):
    for step, group in groupby(transfers, key=lambda row: int(row["step"])):
        start = Engine.clock
        running = []
        for row in group:
            size = int(row["bytes"])
            source, target = Host.by_name(row["source"]), Host.by_name(row["destination"])
            running.append((row, size, Comm.sendto_async(source, target, size)))
        for row, size, comm in running:
            comm.wait()
        for row, size, comm in running:
            took = comm.finish_time - start
            if abs(took - size) > 1e-9 * size:
                report["conflicts"].append((step, row["source"], row["destination"], took, size))
        report["steps"] += 1


def main():
    settings = [
        "--log=root.thresh:warning",
        "--cfg=network/model:CM02",
        "--cfg=network/TCP-gamma:0",
        "--cfg=network/crosstraffic:0",
        "--cfg=network/bandwidth-factor:1",
        "--cfg=network/latency-factor:1",
        "--cfg=network/weight-S:0",
    ]
    engine = Engine([sys.argv[0]] + settings)
    engine.load_platform(sys.argv[1])
    with open(sys.argv[2], newline="") as file:
        transfers = list(csv.DictReader(file))
    report = {"conflicts": [], "steps": 0}
    Actor.create("replay", Host.by_name(transfers[0]["source"]), replay, transfers, report)
    engine.run()
    for step, source, target, took, size in report["conflicts"]:
        print(f"conflict: step {step}, {source} to {target}: {size} bytes took {took} s")
    print(f"steps {report['steps']} transfers {len(transfers)} conflicts {len(report['conflicts'])} time {Engine.clock:.9g}")
    sys.exit(1 if report["conflicts"] else 0)


main()
