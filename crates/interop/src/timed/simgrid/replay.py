#!/usr/bin/python3
"""Replays the sends of a timed schedule in SimGrid and compares every arrival.

    python3 X.replay.py X.platform.xml X.trace.csv

Every send starts at the time of the trace. Two sends that share a channel at the same time slow each other down, and arrive later than the trace says. Needs SimGrid's
Python module (Debian: python3-simgrid).
"""

import csv
import re
import sys

from simgrid import Actor, Comm, Engine, Host, simgrid_version, this_actor


def replay(sends, late):
    running = []
    for row in sends:
        this_actor.sleep_until(float(row["start_ns"]) * 1e-9)
        source, target = Host.by_name(f"c{row['channel']}-out"), Host.by_name(f"c{row['channel']}-in")
        running.append((row, Comm.sendto_async(source, target, int(row["bytes"]))))
    for row, comm in running:
        comm.wait()
    for row, comm in running:
        wanted, found = float(row["arrival_ns"]), comm.finish_time * 1e9
        # SimGrid counts in floating-point seconds.
        if abs(found - wanted) > 1e-6 * wanted + 1e-3:
            late.append((row, found))


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
    # The usual precision of a nanosecond is too coarse. Version 3.35 gave these settings other names.
    version = tuple(int(part) for part in re.findall(r"\d+", str(simgrid_version))[:2])
    names = ("precision/timing", "precision/work-amount") if version >= (3, 35) else ("surf/precision", "maxmin/precision")
    settings += [f"--cfg={names[0]}:1e-15", f"--cfg={names[1]}:1e-9"]
    engine = Engine([sys.argv[0]] + settings)
    engine.load_platform(sys.argv[1])
    with open(sys.argv[2], newline="") as file:
        sends = list(csv.DictReader(file))
    late = []
    Actor.create("replay", Host.by_name("c0-out"), replay, sends, late)
    engine.run()
    for row, found in late:
        print(f"late: {row['bytes']} bytes on channel {row['channel']} at {row['start_ns']} ns arrive at {found:.9g} ns, not at {row['arrival_ns']} ns")
    print(f"sends {len(sends)} late {len(late)} time {Engine.clock * 1e9:.9g} ns")
    sys.exit(1 if late else 0)


main()
