"""An independent checker of schedule files (`pavane/schedule/1`, plain or gzipped). It shares no code with the program: it is written from the rules of the
model, uses the Python standard library only, and is small enough to read in one sitting.

    python3 tests/checker.py FILE... [--network NAME] [--optimal]

For every file it prints `valid in N steps`, `NOT VALID` with the violations, or `malformed` if the file is not a schedule. With --network (ring, path, star,
complete, tree, mesh, torus, hypercube, octagon or kautz, optionally with @K) the file must be for exactly this network with the faults that the file lists.
With --optimal it searches for a shorter schedule: cheap lower bounds first, then an exhaustive search with a budget (`independent/optimum.py`). A file whose
bound is refuted is not valid. Exit code 0: all files are valid; 1: one is not valid; 2: one is malformed.

The rules (`independent/rules.py`), in every step:
  path: the channels of a transfer lead from the home of its sender to the home of its receiver and visit no router twice;
  V1: no channel (half duplex: no link) is used by two transfers;
  V2: no processor sends, or receives, more than its ports allow;
  V3: the sender holds the message before the step; a message for one destination goes straight there;
  V4: paths are as short as the routing demands;
  V5: under store-and-forward a path has at most one channel;
and at the end
  V6: every destination has its messages, nothing is received twice, and nothing is received that is neither wanted nor passed on.
A gather is judged as a scatter and a reduce as a broadcast, both run backward in time on the network with reversed channels. The phases of an all-reduce
are judged one by one, and then together if they overlap."""

import argparse
import sys

from independent.network import Malformed, named_network
from independent.optimum import shorter_schedule
from independent.overlap import problems_of_whole, start_of, steps_of
from independent.rules import problems_of
from independent.schedule import is_for, read_document, read_schedule


def judge(path, wanted=None, search=False):
    """The exit code for a file and the lines to print."""
    try:
        document = read_document(path)
        network, phases = read_schedule(document)
        start = start_of(document, phases)
    except Malformed as error:
        return 2, [f"{path}: malformed: {error}"]
    wrong = [text for phase in phases for text in problems_of(phase)]
    if wanted is not None and is_for(document, wanted) is False:
        wrong.append("network: the file is for another network")
    if start is not None and not wrong:
        wrong = problems_of_whole(phases, start)
    steps = steps_of(phases, start)
    notes = []
    for phase in phases:
        if phase.bound and phase.bound["steps"] > len(phase.steps) and not wrong:
            wrong.append(f"bound: {phase.bound['steps']} steps are claimed to be needed, but {len(phase.steps)} are enough")
    if search and not wrong:
        wrong, notes = judge_optimality(phases)
    verdict = f"{path}: NOT VALID" if wrong else f"{path}: valid in {steps} steps"
    return int(bool(wrong)), [verdict] + [f"  {text}" for text in wrong + notes]


def judge_optimality(phases):
    wrong, notes = [], []
    for phase in phases:
        answer, why = shorter_schedule(phase.problem, len(phase.steps))
        notes.append(f"{phase.kind}: {len(phase.steps)} steps: {why}")
        if answer and phase.bound and len(answer) < phase.bound["steps"]:
            wrong.append(f"bound: {phase.bound['steps']} steps are claimed to be needed, but {len(answer)} are enough")
    return wrong, notes


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--network", metavar="NAME", help="demand that the schedule is for this network")
    parser.add_argument("--optimal", action="store_true", help="look for a shorter schedule")
    arguments = parser.parse_args()
    wanted = None
    if arguments.network is not None:
        wanted = named_network(arguments.network)
        if wanted is None:
            parser.error(f"this checker cannot build {arguments.network}")
    worst = 0
    for path in arguments.files:
        code, lines = judge(path, wanted, arguments.optimal)
        worst = max(worst, code)
        print("\n".join(lines))
    return worst


if __name__ == "__main__":
    sys.exit(main())
