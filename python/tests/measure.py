"""How long calls take, and whether solving is as fast as from the command line.

    pip install . && cargo build --release && python python/tests/measure.py target/release/pavane
"""

import json
import statistics
import subprocess
import sys
import time

import pavane

PROBLEM = ("hypercube:4", "aas")
RUNS = 30


def milliseconds(call, runs=RUNS):
    """The median of some calls."""
    call()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def main():
    pair = pavane.Network("path:2")
    tiny = pavane.Problem(pair, "oab")
    schedule = tiny.solve()
    calls = {
        "Network('path:2')": lambda: pavane.Network("path:2"),
        "Problem(network, 'oab')": lambda: pavane.Problem(pair, "oab"),
        "problem.bound()": tiny.bound,
        "problem.bounds()": tiny.bounds,
        "problem.solve()": tiny.solve,
        "schedule.steps": lambda: schedule.steps,
        "schedule.records()": schedule.records,
        "schedule.export('csv')": lambda: schedule.export("csv"),
    }
    for name, call in calls.items():
        print(f"{name:26} {milliseconds(call):8.3f} ms")
    problem = pavane.Problem(pavane.Network(PROBLEM[0]), PROBLEM[1])
    name = " ".join(PROBLEM)
    print(f"{name}, from Python     {milliseconds(problem.solve):8.3f} ms, {problem.solve().steps} steps")
    if len(sys.argv) < 2:
        return
    command = [sys.argv[1], "solve", *PROBLEM, "--json"]
    answers = [json.loads(subprocess.run(command, capture_output=True, check=True).stdout) for _ in range(RUNS)]
    inside = 1000 * statistics.median(answer["seconds"] for answer in answers)
    whole = milliseconds(lambda: subprocess.run(command, capture_output=True, check=True))
    print(f"{name}, the program     {inside:8.3f} ms by its own clock, {whole:.3f} ms from start to end")


main()
