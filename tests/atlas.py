"""Checks the atlas with two programs that share no line: the independent checker in `tests/independent`, which uses the Python standard library only, and
`pavane-verify`, which is the judge alone.

    python3 tests/atlas.py [--atlas DIR] [--judge PROGRAM] [--jobs N] [--every N] [ENTRY...]

For every entry of the index, the independent checker reads the schedule file, checks every rule of its model (steps, throughput, time or TDM), compares the
network with the one that the name denotes where it can build that, compares the rules and the collective with those of the index, computes the figure, and
derives the bound again from its certificate where it knows the kind. Then `pavane-verify` judges the file, and both figures must be that of the index.
--every N checks every N-th entry only. Exit code 0: both agree on all entries; 1: they do not."""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from fractions import Fraction
from pathlib import Path

from independent.bounds import proved_steps, proved_time
from independent.network import Malformed, named_network, read_network
from independent.plan import judge_plan
from independent.rules import problems_of
from independent.schedule import is_for, read_document, read_schedule
from independent.slots import judge_slots
from independent.timed import Wrong, simulate

FORMATS = {"steps": "pavane/schedule/1", "throughput": "pavane/throughput/1", "time": "pavane/timed/1", "tdm": "pavane/tdm/1"}
# How the judge states the figure of a file.
FIGURES = {
    "steps": r": valid: .* in (\d+) steps?$",
    "throughput": r"(?:optimal: | )(\d+(?:/\d+)?) ns per byte",
    "time": r"^  (?:optimal: )?(\d+(?:/\d+)?) ns",
    "tdm": r"with (\d+) slots?$",
}
# The kinds of the messages of named collectives.
KINDS = {
    "broadcast": {"oab", "aab", "mnb", "broadcast", "multicast", "all-gather"},
    "scatter": {"oas", "aas", "mns", "scatter", "all-to-all"},
    "gather": {"aog", "gather"},
    "reduce": {"aor", "aar", "reduce", "reduce-scatter"},
}
# Files that the judge is given at once.
BATCH = 20


def entries_of(folder):
    for index in sorted(folder.glob("*.toml")):
        yield from tomllib.loads(index.read_text(encoding="utf-8")).get("entry", [])


def check(entry, folder):
    """What is wrong with an entry, and whether its bound was derived again."""
    try:
        path = folder / entry["file"]
        document = read_document(path, Fraction)
        if document.get("format") != FORMATS[entry["model"]]:
            return [f"its format is {document.get('format')}"], False
        wrong = problem_differences(entry, document)
        value, proved, more = {"steps": steps, "throughput": throughput, "time": time, "tdm": slots}[entry["model"]](path, document)
        wrong += more
    except (Malformed, Wrong, OSError) as error:
        return [f"{type(error).__name__}: {error}"], False
    if value != Fraction(entry["value"]):
        wrong.append(f"the figure is {value}, not {entry['value']}")
    bound = Fraction(entry["bound"])
    if bound > value:
        wrong.append(f"the bound {bound} is above the figure {value}")
    if proved is not None and proved > value:
        wrong.append(f"the certificate proves {proved}, which is above the figure {value}: one of the two is wrong")
    if proved is not None and proved != bound:
        wrong.append(f"the certificate proves {proved}, not {bound}")
    return wrong, proved is not None


def steps(_, document):
    _, phases = read_schedule(document)
    if len(phases) != 1:
        raise Malformed("more than one phase")
    return len(phases[0].steps), proved_steps(phases[0]), problems_of(phases[0])


def throughput(_, document):
    return judge_plan(document)


def time(path, document):
    value, _ = simulate(path)
    return value, proved_time(document, read_network(document["network"])), []


def slots(_, document):
    return judge_slots(document)


def problem_differences(entry, document):
    """How the file differs from the problem in the index."""
    problem, model, wrong = entry["problem"], entry["model"], []
    wanted = named_network(problem["network"])
    if wanted is not None and is_for({"model": {}, **document}, wanted) is False:
        wrong.append(f"the file is not for {problem['network']}")
    lost = (document["network"].get("faults") or []) + (document.get("faults") or [])
    if len(lost) != len(problem.get("faults", [])):
        wrong.append("the file has other faults")
    if model == "steps":
        rules = document["model"]
        for rule, usual in (("switching", "wormhole"), ("routing", "minimal"), ("duplex", "full"), ("ports", "all")):
            found = rules.get(rule, usual)
            if isinstance(found, dict):
                found = f"+{found['detour']}"
            if str(found) != problem.get(rule, usual):
                wrong.append(f"{rule} is {found}, not {problem.get(rule, usual)}")
    if model == "tdm":
        rules = {"depth": document.get("depth", 1), "phits": document.get("phits", 1), "no_wrap": not document.get("wrap", True)}
        if rules != {"depth": problem.get("depth", 1), "phits": problem.get("phits", 1), "no_wrap": problem.get("no_wrap", False)}:
            wrong.append(f"the rules are {rules}")
        if document["demand"] != "all-to-all":
            wrong.append("the demand is not all-to-all")
        return wrong
    if model == "time" and document.get("bytes") != problem["bytes"]:
        wrong.append(f"the size is {document.get('bytes')}")
    return wrong + collective_differences(problem, document)


def collective_differences(problem, document):
    """Compares the kind of the collective and who takes part. Groups that the index names are not compared."""
    name, collective = problem["collective"], document["collective"]
    if name == "all-reduce":
        return [] if collective.get("kind") == "all-reduce" else ["the file is no all-reduce"]
    kinds = [kind for kind, names in KINDS.items() if name in names]
    if not kinds:
        return [] if collective.get("kind") == "messages" else ["the file is no permutation"]
    chunks = collective.get("chunks") or {"of": collective.get("kind"), "count": 1}
    if chunks["of"] != kinds[0] or chunks["count"] != problem.get("chunks", 1):
        return [f"the file is a {chunks['of']} in {chunks['count']} chunks, not a {name}"]
    everybody = {processor for processor, home in enumerate(document["network"]["processors"]) if home is not None}
    senders, receivers = set(collective["senders"]), set(collective["receivers"])
    if "senders" in problem or "receivers" in problem or name in ("mnb", "mns", "multicast"):
        return []
    if name in ("aab", "all-gather", "aas", "all-to-all", "aar", "reduce-scatter"):
        return [] if senders == receivers == everybody else ["not all processors take part"]
    return [] if senders | receivers == everybody and 1 in (len(senders), len(receivers)) else ["not one root and all others"]


def judged(files, program):
    """The verdict of the judge on some files: its lines, by file."""
    done = subprocess.run([program, *map(str, files)], capture_output=True, text=True)
    found = {}
    for line in done.stdout.splitlines():
        if not line.startswith(" "):
            name = next((str(file) for file in files if line.startswith(f"{file}: ")), "")
        found.setdefault(name, []).append(line)
    return done.returncode, found, done.stderr


def compare(entries, folder, program):
    """What the judge says about entries whose figure it does not confirm."""
    files = [folder / entry["file"] for entry in entries]
    code, found, errors = judged(files, program)
    wrong = [f"the judge ends with {code}: {errors.strip()}"] if code else []
    for entry, file in zip(entries, files):
        text = "\n".join(found.get(str(file), []))
        figure = re.search(FIGURES[entry["model"]], text, re.MULTILINE)
        if figure is None or Fraction(figure[1]) != Fraction(entry["value"]):
            wrong.append(f"{entry['id']}: the judge says {text!r}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    root = Path(__file__).resolve().parent.parent
    parser.add_argument("entries", nargs="*", metavar="ENTRY")
    parser.add_argument("--atlas", type=Path, default=root / "atlas")
    parser.add_argument("--judge", default=str(root / "target" / "debug" / "pavane-verify"))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    entries = [entry for entry in entries_of(arguments.atlas) if not arguments.entries or entry["id"] in arguments.entries]
    entries = entries[:: arguments.every]
    if not entries:
        parser.error("the atlas has no such entry")
    wrong, counts = [], Counter()
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        folders = [arguments.atlas] * len(entries)
        for entry, (found, is_derived) in zip(entries, pool.map(check, entries, folders, chunksize=8)):
            wrong += [f"{entry['id']}: {text}" for text in found]
            counts[entry["model"]] += 1
            counts["bounds"] += is_derived
        batches = [entries[at : at + BATCH] for at in range(0, len(entries), BATCH)]
        for found in pool.map(compare, batches, [arguments.atlas] * len(batches), [arguments.judge] * len(batches)):
            wrong += found
    for text in wrong:
        print(text)
    models = ", ".join(f"{counts[model]} {model}" for model in FORMATS)
    print(f"{len(entries)} entries ({models}) checked by two programs: {len(wrong)} problems; {counts['bounds']} bounds derived twice")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
