"""A differential fuzzer over whole commands: random small problems are solved, verified, broken, repaired and simulated by the program, and every answer is
checked by `tests/checker.py` and `tests/independent`, which share no line with the program.

    python3 tests/fuzz_commands.py SEED CASES [--pavane PROGRAM] [--jobs N] [--case I] [--only KIND] [--keep FOLDER]

SEED and the number of a case say all that happens in it, so `--case I` runs one of them again. What is checked:

  schedule  `solve` writes a valid schedule of what was asked for; `verify` agrees with the checker about it and about mutants of the file, with and without
            --network; nothing is called optimal, and no bound is accepted, if the checker finds a shorter schedule
  folder    `faults --save` writes a folder that `verify DIR` accepts; forged folders are not counted as valid or optimal where the checker objects
  repair    `repair` writes a valid schedule for what is left of the network, and keeps as many transfers as it says
  traffic   the log of `traffic run` is replayed from outside; `traffic sweep` and `traffic compare` report missions that do not end

No command may panic, hang, or refuse without a reason. The closing line is `N passed, N failed`. The files of a case that failed are kept, with its commands in
`commands.txt`, in the folder that is printed, together with the command line to run it again. PAVANE_FUZZ_BUDGET sets how much
each exhaustive search may do (80000 unless given)."""

import argparse
import concurrent.futures
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter

from checker import judge
from fuzzing.folders import folder_case
from fuzzing.harness import Case
from fuzzing.repairs import repair_case
from fuzzing.schedules import schedule_case
from fuzzing.traffic import traffic_case

ROOT = pathlib.Path(__file__).parent.parent
KINDS = {"schedule": (schedule_case, 10), "folder": (folder_case, 2), "repair": (repair_case, 4), "traffic": (traffic_case, 5)}


def run_case(seed, number, program, keep, only):
    """One case, in a folder of its own that is left only if something failed."""
    rng = random.Random(f"{seed}/{number}")
    kinds = [only] if only else list(KINDS)
    kind = rng.choices(kinds, [KINDS[name][1] for name in kinds])[0]
    folder = pathlib.Path(keep) / f"case-{number}"
    folder.mkdir(parents=True)
    case = Case(number, rng, folder, program)
    begun = time.monotonic()
    try:
        KINDS[kind][0](case)
    except Exception:  # A mistake of the fuzzer itself must not end the others.
        case.fail("the fuzzer itself fails", traceback.format_exc()[-800:])
    case.counts["kind " + kind] += 1
    if case.failures:
        case.write_commands()
    else:
        shutil.rmtree(folder)
    return number, kind, case.failures, case.counts, time.monotonic() - begun


def check_corpus():
    """The checker itself: it gets every file of the corpus right."""
    for path in sorted((ROOT / "corpus").glob("*valid/*.json")):
        code, lines = judge(path)
        # The certificates of bounds are the program's business, unless the schedule itself refutes them.
        expected = path.parent.name == "invalid" and (not path.name.startswith("bound-") or path.name.startswith("bound-above"))
        if code != expected:
            sys.exit(f"the checker is wrong about {path.name}: {lines}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 1)[1], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int, metavar="SEED")
    parser.add_argument("cases", type=int, metavar="CASES", nargs="?", default=100)
    parser.add_argument("--pavane", metavar="PROGRAM", default=os.environ.get("PAVANE", "target/debug/pavane"), help="the program [default: PAVANE, or target/debug/pavane]")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="cases at a time")
    parser.add_argument("--case", type=int, metavar="I", help="run this case only")
    parser.add_argument("--only", choices=sorted(KINDS), help="cases of this kind only; which changes what a case is")
    parser.add_argument("--keep", metavar="FOLDER", help="where the files of failed cases go [default: a new temporary folder]")
    return parser.parse_args()


def main():
    options = arguments()
    program = str((ROOT / options.pavane).resolve())
    if not os.access(program, os.X_OK):
        sys.exit(f"{program} cannot be run; build it, or name another with --pavane")
    check_corpus()
    keep = options.keep or tempfile.mkdtemp(prefix="pavane-fuzz-")
    numbers = [options.case] if options.case is not None else range(options.cases)
    failed, counts, kinds, slowest = 0, Counter(), Counter(), (0.0, None)
    begun = time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(run_case, options.seed, number, program, keep, options.only) for number in numbers]
        for future in waiting:
            number, kind, failures, more, seconds = future.result()
            counts.update(more)
            slowest = max(slowest, (seconds, number))
            if not failures:
                continue
            failed += 1
            kinds.update({what for what, _ in failures})
            print(f"FAILED case {number} ({kind})")
            for what in dict.fromkeys(what for what, _ in failures):
                details = [detail for kind, detail in failures if kind == what]
                print(f"    {what} ({len(details)}): {details[0]}")
            only = f" --only {options.only}" if options.only else ""
            print(f"    files: {keep}/case-{number}\n    rerun: python3 tests/fuzz_commands.py {options.seed} --case {number}{only} --pavane {options.pavane}", flush=True)
    report(counts, kinds, slowest, time.monotonic() - begun)
    if not failed and not options.keep:
        shutil.rmtree(keep)
    print(f"{len(numbers) - failed} passed, {failed} failed")
    return int(failed > 0)


def report(counts, kinds, slowest, seconds):
    print("; ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    print(f"{seconds:.0f} s; the slowest case was {slowest[1]}, {slowest[0]:.1f} s")
    for what, count in kinds.most_common():
        print(f"  {count} cases: {what}")


if __name__ == "__main__":
    sys.exit(main())
