#!/usr/bin/env python3
"""Prints how the search scales with the number of workers, and checks that the answer stays the same.

    tools/scaling.py [PAVANE] [--workers 1,2,4,7,8,16] [--seconds 6]

Two tables: evaluations per second under a wall-clock limit, with the ratio to one worker, and the
schedule files found with a fixed number of evaluations, which must be equal for any number of workers.
Exit code 1 if they are not.
"""
import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile

# Problems whose searches last as long as they are given time.
THROUGHPUT = [
    ["random-regular:256,4,1", "aas", "--engine", "ejection"],
    ["hypercube:5", "aas", "--engine", "annealing"],
]

# Problems that are solved to the same schedule whatever the number of workers.
SAME_ANSWER = [
    ["random-regular:256,4,1", "aas", "--engine", "ejection", "--evaluations", "300000000"],
    ["hypercube:5", "aas", "--engine", "annealing", "--evaluations", "30000000"],
    ["random-regular:64,4,1", "aas", "--engine", "ejection", "--evaluations", "60000000"],
    ["hypercube:4", "aas", "--engine", "annealing", "--evaluations", "20000000"],
    ["torus:5x5", "aas", "--evaluations", "40000000"],
    ["kautz:3,2", "aas", "--ports", "1", "--evaluations", "40000000"],
]


def run(program, arguments):
    """The JSON answer of `pavane solve`."""
    command = [program, "solve", *arguments, "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {answer.returncode}\n{answer.stderr}")
    return json.loads(answer.stdout)


def throughput(program, workers, seconds):
    """A row for every problem: evaluations per second, and the ratio to the first number of workers."""
    print(f"evaluations per second, in millions, within {seconds} s (ratio to {workers[0]} worker)\n")
    print(f"{'workers':<45}" + "".join(f"{count:>16}" for count in workers))
    for problem in THROUGHPUT:
        row, first = f"{' '.join(problem):<45}", None
        for count in workers:
            answer = run(program, [*problem, "--time", f"{seconds}s", "--threads", str(count)])
            rate = answer["evaluations"] / answer["seconds"] / 1e6
            first = first or rate
            row += f"{f'{rate:.1f} ({rate / first:.2f})':>16}"
        print(row)


def same_answer(program, workers):
    """A row for every problem: whether all numbers of workers give the same file."""
    print("\nthe schedule file with a fixed number of evaluations\n")
    is_same = True
    for problem in SAME_ANSWER:
        digests = {}
        for count in workers:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "schedule.json")
                run(program, [*problem, "--threads", str(count), "-o", path])
                with open(path, "rb") as file:
                    digests[count] = hashlib.sha256(file.read()).hexdigest()[:12]
        is_equal = len(set(digests.values())) == 1
        is_same &= is_equal
        verdict = f"same for {', '.join(map(str, workers))}" if is_equal else f"DIFFERS: {digests}"
        print(f"{' '.join(problem):<75} {verdict}")
    return is_same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default="target/release/pavane")
    parser.add_argument("--workers", default="1,2,4,7,8,16", help="numbers of workers (1,2,4,7,8,16)")
    parser.add_argument("--seconds", type=int, default=6, help="time of every run of the first table (6)")
    options = parser.parse_args()
    workers = [int(count) for count in options.workers.split(",")]
    throughput(options.program, workers, options.seconds)
    sys.exit(0 if same_answer(options.program, workers) else 1)


if __name__ == "__main__":
    main()
