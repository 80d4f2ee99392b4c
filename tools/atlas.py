#!/usr/bin/env python3
"""Fills the atlas: runs the commands of corpus/papers and corpus/atlas.csv, and adds their schedules.

    tools/atlas.py find [--jobs N] [--only TEXT]    run the commands that have no schedule yet; files go to target/atlas
    tools/atlas.py add                              add all schedules found to atlas/ (`pavane atlas add` judges each)
    tools/atlas.py improve [--time 60s] [--seed N]  search again for every entry that is not proved optimal, and add what is better

`find` resumes: a schedule that is there is not searched for again. `add` and `improve` keep what the atlas has unless the new schedule is better."""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOUND = ROOT / "target" / "atlas"
PAPERS = {
    "gecco-2007.csv": "Jaroš, Ohlídal, Dvořák: An evolutionary approach to collective communication scheduling, 2007",
    "fault-tolerant.csv": "Jaroš: Evolutionary design of fault tolerant collective communications",
    "hgsa.csv": "Group communications by hybrid parallel genetic simulated annealing",
}
# Larger schedules are left to their command.
LARGEST = 500_000
# Notes that say that a published figure is for another problem: a network of the same size, or other groups.
OTHER_PROBLEM = ("the adjacency of the AMP networks is lost", "one core of each router is read as")
# A router of mesh:4x4 that is lost, in the tables of the paper on faults.
LOST_ROUTER = re.compile(r"mesh:4x4 .*--fault \d,\d(?!-)")
# A search that has not ended after its own time and this many seconds is given up.
PATIENCE = 60


class Wanted:
    """A command whose schedule belongs into the atlas, with the published figure."""

    def __init__(self, family, command, published="", source="", note=""):
        if LOST_ROUTER.search(command):
            note = "the paper counts the messages of the lost processor"
        self.family, self.command, self.published, self.source, self.note = family, command, published, source, note
        self.path = FOUND / (re.sub(r"[^a-z0-9]+", "-", command.lower()).strip("-") + ".json.gz")

    @property
    def report(self):
        return self.path.with_suffix(".report")


def wanted():
    """All commands; of several published figures for one problem, the lowest counts."""
    found = {}
    for file, paper in PAPERS.items():
        for line in (ROOT / "corpus" / "papers" / file).read_text().splitlines()[1:]:
            table, _, problem, steps, _, note = line.split(";", 5)
            one = Wanted("papers", f"solve {problem} --time 20s", steps, f"{paper}, table {table}", note)
            known = found.get(one.command)
            if known is None or int(steps) < int(known.published):
                found[one.command] = one
    for line in (ROOT / "corpus" / "atlas.csv").read_text().splitlines()[1:]:
        one = Wanted(*line.split(";"))
        found.setdefault(one.command, one)
    return list(found.values())


def published_figures():
    """The arguments that add the published figure of an entry, for all entries that are not in the papers' tables."""
    figures = {}
    for line in (ROOT / "corpus" / "published.csv").read_text().splitlines()[1:]:
        entry, value, other, source, note = line.split(";", 4)
        figures[entry] = ["--published", value, "--source", source, "--note", note] + (["--other-problem"] if other else [])
    return figures


def find(one, program):
    FOUND.mkdir(parents=True, exist_ok=True)
    if one.report.exists():
        return None
    begun = time.monotonic()
    command = [program, "--quiet", *one.command.split(), "-o", str(one.path), "--json"]
    if not one.command.startswith("throughput"):
        command += ["--threads", "1"]
    limit = re.search(r"--time (\d+)s", one.command)
    try:
        done = subprocess.run(command, cwd=ROOT / "atlas", capture_output=True, text=True, timeout=PATIENCE + int(limit[1] if limit else 60))
    except subprocess.TimeoutExpired:
        return f"{one.command}: no schedule in time"
    if done.returncode != 0 or not one.path.exists():
        return f"{one.command}: {done.stderr.strip()[:200]}"
    one.report.write_text(json.dumps({"seconds": round(time.monotonic() - begun, 2)}))
    return f"{one.command}: {one.path.stat().st_size} bytes, {time.monotonic() - begun:.1f} s"


def add(one, program, atlas, figures):
    if not one.report.exists() or one.path.stat().st_size > LARGEST:
        return None
    seconds = json.loads(one.report.read_text())["seconds"]
    command = [program, "atlas", "add", str(one.path), "--atlas", str(atlas), "--family", one.family, "--seconds", str(seconds)]
    options = re.findall(r"--(?:time|chunks) \w+", one.command) if "--minimize" in one.command else re.findall(r"--time \w+", one.command)
    command += ["--options", " ".join(options)] if options else []
    network = one.command.split()[1]
    if network.endswith(".json"):
        command += ["--network", network]
    if one.published:
        command += ["--published", one.published, "--source", one.source]
        command += ["--note", one.note] if one.note else []
        is_other = one.note.startswith(OTHER_PROBLEM) or LOST_ROUTER.search(one.command)
        command += ["--other-problem"] if is_other else []
    done = subprocess.run([*command, "--json"], capture_output=True, text=True)
    if done.returncode in (0, 1) and done.stdout:
        entry = json.loads(done.stdout).get("entry", {}).get("id")
        if entry in figures:
            done = subprocess.run([*command, *figures[entry]], capture_output=True, text=True)
    # Exit code 1: the atlas has a schedule that is as good.
    is_kept = done.returncode == 1 and ("not better than" in done.stdout or '"kept"' in done.stdout)
    return None if done.returncode == 0 or is_kept else f"{one.command}: {(done.stdout + done.stderr).strip()}"


def improve(entry, program, atlas, limit, seed, threads):
    """Searches again for an entry of the atlas. Returns the arguments that add the schedule, or None."""
    FOUND.mkdir(parents=True, exist_ok=True)
    path = FOUND / f"{entry['id']}.better.json.gz"
    begun = time.monotonic()
    words = shlex.split(re.sub(r" --(time|seed) \S+", "", entry["command"]))[1:]
    command = [program, "--quiet", *words, "-o", str(path), "--json"]
    if words[0] != "throughput":
        command += ["--time", limit, "--seed", str(seed), "--threads", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{entry['id']}: {done.stderr.strip()[:200]}", flush=True)
        return None
    seconds = round(time.monotonic() - begun, 2)
    added = [program, "atlas", "add", str(path), "--atlas", str(atlas), "--family", entry["family"], "--seconds", str(seconds), "--seed", str(seed)]
    added += ["--options", f"--time {limit}"] if words[0] != "throughput" else []
    return added + (["--network", os.path.relpath(words[1], atlas)] if words[1].endswith(".json") else [])


def improve_all(program, arguments):
    listed = subprocess.run([program, "atlas", "list", "--open", "--json", "--atlas", arguments.atlas], capture_output=True, text=True, check=True)
    entries = [entry for entry in json.loads(listed.stdout) if arguments.only in entry["command"]]
    threads = max(1, (os.cpu_count() or 1) // arguments.jobs)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        search = lambda entry: improve(entry, program, arguments.atlas, arguments.time, arguments.seed, threads)
        # The index is written by one command at a time.
        for added in pool.map(search, entries):
            if added:
                done = subprocess.run(added, capture_output=True, text=True)
                print((done.stdout + done.stderr).strip(), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["find", "add", "improve"])
    parser.add_argument("--jobs", type=int, default=2, help="commands at a time")
    parser.add_argument("--only", default="", help="only commands that contain this text")
    parser.add_argument("--time", default="60s", help="improve: time limit of every search")
    parser.add_argument("--seed", type=int, default=1, help="improve: random seed")
    parser.add_argument("--program", default=str(ROOT / "target" / "debug" / "pavane"))
    parser.add_argument("--atlas", default=str(ROOT / "atlas"))
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    chosen = [one for one in wanted() if arguments.only in one.command]
    if arguments.what == "find":
        (ROOT / "atlas").mkdir(exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for told in pool.map(lambda one: find(one, program), chosen):
                if told:
                    print(told, flush=True)
    elif arguments.what == "improve":
        improve_all(program, arguments)
    else:
        figures = published_figures()
        for one in chosen:
            told = add(one, program, arguments.atlas, figures)
            if told:
                print(told, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
