"""A differential fuzzer over whole commands. The program solves, verifies, breaks, repairs and simulates random small problems, and every answer is checked by
`tests/checker.py` and `tests/independent`, which share no code with the program.

    python3 tests/fuzz_commands.py SEED CASES [--pavane PROGRAM] [--jobs N] [--case I] [--only KIND] [--keep FOLDER]

A case depends on SEED and its number only, so `--case I` runs a single case again. The kinds of cases:

  schedule  `solve` writes a valid schedule of the right problem; `verify` and the checker agree on that file and on mutants of it, with and without --network;
            no bound is accepted and no schedule is called optimal if the checker finds a shorter one
  folder    `faults --save` writes a folder that `verify DIR` accepts; in forged folders nothing counts as valid or optimal that the checker refutes
  repair    `repair` writes a valid schedule for the broken network and keeps as many transfers as it prints
  traffic   the log of `traffic run` obeys the rules of the simulator; `traffic sweep` and `traffic compare` report missions that do not end

No command may panic, hang, or fail without a message. The last line is `N passed, N failed`. Files of failed cases are kept, with all commands in
`commands.txt`, and the command line to run the case again is printed. PAVANE_FUZZ_BUDGET sets the budget of each exhaustive search (default 80000)."""

import argparse
import concurrent.futures
import json
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
from fuzzing import forgeries
from fuzzing.folders import folder_case
from fuzzing.harness import Case
from fuzzing.repairs import repair_case
from fuzzing.schedules import schedule_case
from fuzzing.traffic import traffic_case
from independent import schedule

ROOT = pathlib.Path(__file__).parent.parent
KINDS = {"schedule": (schedule_case, 10), "folder": (folder_case, 2), "repair": (repair_case, 4), "traffic": (traffic_case, 5)}


def run_case(seed, number, program, keep, only):
    """Runs one case in its own folder, which is kept only if the case fails."""
    rng = random.Random(f"{seed}/{number}")
    kinds = [only] if only else list(KINDS)
    kind = rng.choices(kinds, [KINDS[name][1] for name in kinds])[0]
    folder = pathlib.Path(keep) / f"case-{number}"
    folder.mkdir(parents=True)
    case = Case(number, rng, folder, program)
    begun = time.monotonic()
    try:
        KINDS[kind][0](case)
    except Exception:  # A mistake in the fuzzer must not stop the other cases.
        case.fail("the fuzzer itself fails", traceback.format_exc()[-800:])
    case.counts["kind " + kind] += 1
    if case.failures:
        case.write_commands()
    else:
        shutil.rmtree(folder)
    return number, kind, case.failures, case.counts, time.monotonic() - begun


def check_corpus():
    """Tests the checker on the corpus before it is trusted with anything else."""
    for path in sorted((ROOT / "corpus").glob("*valid/*.json")):
        code, lines = judge(path)
        # The checker does not check certificates, only bounds that exceed the schedule.
        expected = path.parent.name == "invalid" and (not path.name.startswith("bound-") or path.name.startswith("bound-above"))
        if code != expected:
            sys.exit(f"the checker is wrong about {path.name}: {lines}")


def check_certificates():
    """The checker and the mutants know every kind of certificate of the schedule file."""
    schema = json.loads((ROOT / "docs/schedule.schema.json").read_text(encoding="utf-8"))
    kinds = {kind["properties"]["kind"]["const"] for kind in schema["$defs"]["Certificate"]["oneOf"]}
    for module in [schedule, forgeries]:
        if differences := kinds ^ set(module.CERTIFICATES):
            sys.exit(f"CERTIFICATES in {module.__name__} and docs/schedule.schema.json differ in {', '.join(sorted(differences))}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n", 1)[1], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int, metavar="SEED")
    parser.add_argument("cases", type=int, metavar="CASES", nargs="?", default=100)
    parser.add_argument("--pavane", metavar="PROGRAM", default=os.environ.get("PAVANE", "target/debug/pavane"), help="the program [default: PAVANE, or target/debug/pavane]")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="cases at a time")
    parser.add_argument("--case", type=int, metavar="I", help="run this case only")
    parser.add_argument("--only", choices=sorted(KINDS), help="only this kind of cases; the same number is then another case")
    parser.add_argument("--keep", metavar="FOLDER", help="where the files of failed cases go [default: a new temporary folder]")
    return parser.parse_args()


def main():
    options = arguments()
    program = str((ROOT / options.pavane).resolve())
    if not os.access(program, os.X_OK):
        sys.exit(f"{program} cannot be run; build it, or name another with --pavane")
    check_corpus()
    check_certificates()
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
