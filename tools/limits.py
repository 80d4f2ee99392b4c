#!/usr/bin/env python3
"""Measures how time and memory of every engine grow on doubling sizes, and draws docs/limits.svg and the tables of docs/limits.md from it.

    tools/limits.py                  measures everything (two hours on a quiet machine), writes docs/limits.csv, draws
    tools/limits.py NAME ...         measures only these again
    tools/limits.py --on [NAME ...]  continues after the sizes already measured
    tools/limits.py --draw           only draws, from docs/limits.csv

A family of problems ends where the next size would, by the exponents so far, take more than SECONDS of processor time or MEBIBYTES of memory, or is refused; no run may have
more than MOST_SECONDS or MOST_MEBIBYTES. /usr/bin/time (Debian: time) is needed. PAVANE names another program than target/release/pavane."""

import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import plot

ROOT = pathlib.Path(__file__).resolve().parent.parent
CSV, SVG, PAGE = ROOT / "docs/limits.csv", ROOT / "docs/limits.svg", ROOT / "docs/limits.md"
PROGRAM = os.environ.get("PAVANE", str(ROOT / "target/release/pavane"))
SECONDS, MEBIBYTES = 300, 17_000
MOST_SECONDS, MOST_MEBIBYTES = 1_200, 18_500
# Smaller values measure mostly the start of the program.
LEAST_SECONDS, LEAST_MEBIBYTES = 0.05, 24

HYPERCUBES = [f"hypercube:{n}" for n in range(3, 22)]
TORI = [f"torus:{2 ** (n // 2)}x{2 ** (n - n // 2)}" for n in range(4, 25)]
RANDOM = [f"random-regular:{2 ** n},4,1" for n in range(4, 16)]
TREES = [f"k-ary-n-tree:2,{n}" for n in range(3, 20)]
FAT = [f"{torus}@2" for torus in TORI]
PATHS = [f"path:{n}" for n in range(5, 40)]
SOLVE = "solve {} {} --threads 1 --seed 1 --quiet --max-deliveries 400000000"
# The first schedule: the search ends after one evaluation.
FIRST = f"{SOLVE} --evaluations 1"
# Name: networks, collective, command, whether every processor sends to every other.
FAMILIES = {
    "layered": (HYPERCUBES, "oab", FIRST + " --engine layered", False),
    "layered, at the bound": (HYPERCUBES, "oab", SOLVE + " --time 600s --engine layered", False),
    "nested-sets": (TORI, "oab", SOLVE + " --routing any --time 600s --engine nested-sets", False),
    "hop-by-hop": (TORI, "oab", SOLVE + " --switching sf --time 600s --engine hop-by-hop", False),
    "gossip, symmetric": (HYPERCUBES, "aab", FIRST + " --switching sf --engine gossip", True),
    "gossip, random": (RANDOM, "aab", FIRST + " --switching sf --engine gossip", True),
    "ejection": (TORI, "aas", FIRST + " --engine ejection", True),
    "orbits": (HYPERCUBES, "aas", FIRST + " --engine orbits", True),
    "relay-ejection": (TORI, "aas", FIRST + " --switching sf --engine relay-ejection", True),
    "relay-orbits": (HYPERCUBES, "aas", FIRST + " --switching sf --engine relay-orbits", True),
    "relay-matching": (RANDOM, "aas", FIRST + " --switching sf --ports 1 --engine relay-matching", True),
    "copies": (FAT, "aas", FIRST + " --engine copies", True),
    "rounds": (TREES, "aas", FIRST + " --engine rounds", True),
    "subtrees": (TORI, "oas", FIRST + " --engine subtrees", False),
    "exact": (PATHS, "aab", SOLVE + " --switching sf --ports 1 --time 600s --prove --engine exact", True),
    "annealing": (HYPERCUBES, "aas", SOLVE + " --evaluations 300000 --engine annealing --steps {half}", True),
    "hgsa": (HYPERCUBES, "aas", SOLVE + " --evaluations 300000 --engine hgsa --steps {half}", True),
    "ga": (HYPERCUBES, "aas", SOLVE + " --evaluations 3000 --engine ga --steps {half}", True),
    "umda": (HYPERCUBES, "aas", SOLVE + " --evaluations 3000 --engine umda --steps {half}", True),
    "mboa": (HYPERCUBES, "aas", SOLVE + " --evaluations 600 --engine mboa --steps {half}", True),
    "bounds": (RANDOM, "aas", "bound {} {} --max-deliveries 400000000", True),
    "judge": (HYPERCUBES, "aab", "verify kept.json --max-deliveries 400000000", True),
    "faults": (TORI, "oab", "faults {} {} --threads 1 --evaluations 1", False),
    "traffic": (HYPERCUBES, "missions", "traffic run {} --density 0.95", True),
}


def measure(arguments, folder):
    """Returns the processor seconds and peak MiB of a run, or the limit that ended it. `time` measures them, because the peak of a direct child would include the memory of this program."""
    command = f"ulimit -v {MOST_MEBIBYTES << 10}; ulimit -S -t {MOST_SECONDS}; exec /usr/bin/time -q -o usage -f '%U %S %M' {PROGRAM} {arguments}"
    run = subprocess.run(["bash", "-c", command], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode not in (0, 1):
        print(f"   {arguments}: exit code {run.returncode}: {run.stderr[:300]}", flush=True)
        # 128 + SIGXCPU means the time limit.
        return "size" if run.returncode == 2 else "time" if run.returncode == 128 + signal.SIGXCPU else "memory"
    user, system, kibibytes = pathlib.Path(folder, "usage").read_text().split()
    return float(user) + float(system), int(kibibytes) / 1024


def run_family(name, rows):
    """Returns the rows of a family, with those of further sizes appended."""
    networks, collective, command, is_all = FAMILIES[name]
    with tempfile.TemporaryDirectory() as folder:
        for network in networks[len(rows):]:
            seen = subprocess.run([PROGRAM, "networks", network, "--json"], capture_output=True, text=True)
            if seen.returncode != 0:
                print(f"   {network}: {seen.stderr[:300]}")
                rows[-1]["next"] = "size"
                break
            seen = json.loads(seen.stdout)
            processors = seen["processors"]
            deliveries = processors * (processors - 1) if is_all else processors - 1
            why, needed = ending(rows, deliveries)
            if why:
                break
            wait_for_memory(needed)
            if name == "judge":
                made = measure(f"solve {network} aab --switching sf --threads 1 --evaluations 1 --quiet --max-deliveries 400000000 -o kept.json", folder)
                if isinstance(made, str):
                    rows[-1]["next"] = made
                    break
            found = measure(command.format(network, collective, half=processors // 2), folder)
            if isinstance(found, str):
                rows[-1]["next"] = found
                break
            row = {"family": name, "network": network, "processors": processors, "channels": seen["channels"], "deliveries": deliveries,
                   "seconds": f"{found[0]:.3f}", "mebibytes": f"{found[1]:.1f}"}
            print("  ".join(map(str, row.values())), flush=True)
            rows.append(row)
    return rows


def wait_for_memory(mebibytes):
    """Waits until this much memory is available, because other programs may be running."""
    while int(re.search(r"MemAvailable: *(\d+)", pathlib.Path("/proc/meminfo").read_text())[1]) / 1024 < mebibytes + 3_000:
        time.sleep(5)


def ending(rows, deliveries=None):
    """Returns the limit that the next size would exceed, or an empty text, and the MiB that it would need. Without `deliveries`, the next size grows by the same factor as the last."""
    if len(rows) < 2:
        return "", 0
    last = rows[-1]
    if last.get("next"):
        return last["next"], 0
    times = (deliveries or float(last["deliveries"]) ** 2 / float(rows[-2]["deliveries"])) / float(last["deliveries"])
    grown = [float(last[y]) * times ** max(plot.exponent(points(rows, "deliveries", y, least)) or 1, floor)
             for y, least, floor in (("seconds", LEAST_SECONDS, 0), ("mebibytes", LEAST_MEBIBYTES, 1))]
    return "time" if grown[0] > SECONDS else "memory" if grown[1] > MEBIBYTES else "", grown[1]


def points(rows, x, y, least):
    return [(float(row[x]), float(row[y])) for row in rows if float(row[y]) >= least]


def rounded(number, digits):
    return f"{float(f'{number:.{digits}g}'):,.0f}"


def beyond(last, time, memory):
    """Extrapolates the deliveries that fit in 24 GB and their time. Memory is assumed to grow at least linearly with the deliveries."""
    if time is None or memory is None:
        return "–", "–"
    times = (24_576 / float(last["mebibytes"])) ** (1 / max(memory, 1))
    hours = float(last["seconds"]) * times ** time / 3600
    return rounded(float(last["deliveries"]) * times, 1), f"{60 * hours:.0f} min" if hours < 2 else f"{hours:.0f} h" if hours < 1000 else "–"


def draw(rows):
    families = {name: [row for row in rows if row["family"] == name] for name in FAMILIES}
    families = {name: own for name, own in families.items() if own}
    panels = [
        ("Time", "deliveries", "processor seconds", {name: points(own, "deliveries", "seconds", LEAST_SECONDS) for name, own in families.items()}),
        ("Memory", "deliveries", "MiB at the most", {name: points(own, "deliveries", "mebibytes", LEAST_MEBIBYTES) for name, own in families.items()}),
    ]
    panels = [(*words, {name: own for name, own in series.items() if own}) for *words, series in panels]
    SVG.write_text(plot.lines(panels))
    table = ["| engine | problems | time over processors | over channels | over deliveries | memory over deliveries | largest: processors, deliveries | seconds | MiB | ended by | deliveries in 24 GB | time for them |", "|" + "---|" * 12]
    shown = lambda value: "–" if value is None else f"{value:.2f}"
    for name, own in families.items():
        networks, collective, command, _ = FAMILIES[name]
        last = own[-1]
        slopes = [plot.exponent(points(own, x, "seconds", LEAST_SECONDS)) for x in ("processors", "channels", "deliveries")]
        slopes.append(plot.exponent(points(own, "deliveries", "mebibytes", LEAST_MEBIBYTES)))
        problem = f"{own[0]['network']} to {last['network']}, {collective}" + (" sf" if "--switching sf" in command or name == "judge" else "")
        table.append(f"| `{name}` | {problem} | " + " | ".join(map(shown, slopes))
                     + f" | {int(last['processors']):,}, {int(last['deliveries']):,} | {float(last['seconds']):.1f} | {float(last['mebibytes']):,.0f} | {ending(own)[0] or '–'} | {' | '.join(beyond(last, *slopes[2:]))} |")
    page = PAGE.read_text()
    page = re.sub(r"(<!-- table -->\n).*?(\n<!-- end -->)", lambda found: found[1] + "\n".join(table) + found[2], page, flags=re.S)
    PAGE.write_text(page)


def main():
    names = [name for name in sys.argv[1:] if not name.startswith("--")]
    rows = list(csv.DictReader(CSV.open())) if CSV.exists() else []
    if "--draw" not in sys.argv:
        for name in names or FAMILIES:
            known = [row for row in rows if row["family"] == name] if "--on" in sys.argv else []
            rows = [row for row in rows if row["family"] != name] + run_family(name, known)
            with CSV.open("w", newline="") as file:
                out = csv.DictWriter(file, ["family", "network", "processors", "channels", "deliveries", "seconds", "mebibytes", "next"], restval="", lineterminator="\n")
                out.writeheader()
                out.writerows(sorted(rows, key=lambda row: list(FAMILIES).index(row["family"])))
    draw(rows)


main()
