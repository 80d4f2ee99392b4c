"""Random timed schedules under an independent event simulator.

    python3 tests/fuzz_timed.py SEED CASES [--pavane PROGRAM] [--jobs N] [--case I] [--keep FOLDER]
    python3 tests/fuzz_timed.py --damages [--pavane PROGRAM]

Every case draws a network (switches that copy or not, directed and parallel channels, several processors at a router, different bandwidths and latencies), a
collective (all kinds, groups, sizes of their own), a size and a number of chunks. `pavane solve --minimize time` writes a schedule. The judge (`pavane verify`) and
the simulator (`independent/timed.py`, which shares nothing with the program) must accept it and agree on its time, and no bound of the problem may be above any of its
schedules. Repairs after a random fault must pass both too. Damaged copies of the file (`fuzzing/timed_damage.py`) must be refused by both. The last line is `N passed, N failed`.

With --damages, every kind of damage is tried on schedules of all collectives, and must be possible for at least one of them."""

import argparse
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

from fuzzing.timed_damage import DAMAGES, damaged, phases
from independent.network import Malformed
from independent.timed import Wrong, simulate

ROOT = pathlib.Path(__file__).parent.parent
COLLECTIVES = ["broadcast", "all-gather", "scatter", "gather", "all-to-all", "reduce", "reduce-scatter", "all-reduce"]


def network(rng):
    """A strongly connected network in Pavane's own format, and its number of processors."""
    routers = rng.randint(2, 8)
    times = lambda: {"bandwidth_gbytes": rng.choice([1, 2, 12.5, 25, 0.3, 50]), "latency_ns": rng.choice([0, 1, 700, 0.5, 33])}
    links, channels = [], []
    if rng.random() < 0.2:
        channels = [{"from": router, "to": (router + 1) % routers, **times()} for router in range(routers)]
    else:
        links = [{"from": rng.randrange(router), "to": router, **times()} for router in range(1, routers)]
    for _ in range(rng.randint(0, 5)):
        tail, head = rng.sample(range(routers), 2)
        (links if rng.random() < 0.4 else channels).append({"from": tail, "to": head, **times()})
    homes, multicast = [0, routers - 1], []
    for router in range(1, routers - 1):
        if rng.random() < 0.75:
            homes.append(router)
        elif rng.random() < 0.5:
            multicast.append(router)
    if rng.random() < 0.15:
        homes.append(rng.choice(homes))
    data = {"format": "pavane/network/1", "name": "random", "routers": routers, "links": links, "channels": channels, "processors": sorted(homes), "multicast": multicast}
    return data, len(homes)


def arguments(rng, processors, folder):
    """A collective and its options."""
    name = rng.choice(COLLECTIVES)
    options = ["--chunks", str(rng.choice([1, 2, 3, 5]))] if rng.random() < 0.5 else []
    if rng.random() < 0.3:
        options += ["--duplex", "half"]
    if name in ("broadcast", "scatter", "gather", "reduce") and rng.random() < 0.5:
        options += ["--root", str(rng.randrange(processors))]
    if name == "all-gather" and processors > 2 and rng.random() < 0.4:
        groups = [rng.sample(range(processors), rng.randint(1, processors - 1)) for _ in range(2)]
        if set(groups[0]) != set(groups[1]) or len(groups[0]) > 1:
            for option, group in zip(("--senders", "--receivers"), groups):
                options += [option, ",".join(map(str, sorted(group)))]
    if name == "all-to-all" and rng.random() < 0.4:
        rows = [[0 if one == other else rng.choice([0, 1, 7, 100, 1234]) for other in range(processors)] for one in range(processors)]
        rows[0][-1] = 5
        path = folder / "sizes.csv"
        path.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
        return [name, *options, "--sizes", str(path)]
    return [name, *options, "--bytes", str(rng.choice([10, 31, 100, 1000, 123457, 10**9]))]


def run(case, *words):
    done = subprocess.run([case["pavane"], *map(str, words)], capture_output=True, text=True, timeout=300)
    case["log"].append(" ".join(map(str, words)) + f"\n  exit code {done.returncode} {done.stderr.strip()}")
    if done.returncode not in (0, 1, 2, 3) or "panicked" in done.stderr:
        raise AssertionError(f"exit code {done.returncode}: {done.stderr}")
    return done


def check(case):
    rng, folder = random.Random(f"{case['seed']} {case['number']}"), case["folder"]
    data, processors = network(rng)
    (folder / "network.json").write_text(json.dumps(data))
    problem = [folder / "network.json", *arguments(rng, processors, folder), "--minimize", "time"]
    ends, bounds = [], []
    for attempt in range(2 if rng.random() < 0.2 else 1):
        path = folder / f"timed{attempt}.json"
        done = run(case, "solve", *problem, "--evaluations", rng.choice([0, 6, 24]), "--seed", rng.randrange(1000), "-o", path)
        if done.returncode == 2 and ("nobody to send" in done.stderr or "no messages" in done.stderr or "nothing to" in done.stderr or "no message needs a channel" in done.stderr or "more than 60 bits" in done.stderr or "too many digits" in done.stderr):
            return "refused"
        assert done.returncode == 0, f"solve: exit code {done.returncode}: {done.stderr}"
        verdict = json.loads(run(case, "verify", path, "--json").stdout)
        assert verdict["valid"] and verdict["bound_error"] is None, f"the judge refuses it: {verdict}"
        end, bound = simulate(path)
        assert Fraction(verdict["time_ns"]) == end, f"the judge says {verdict['time_ns']} ns, the simulator {end} ns"
        assert bound is not None and Fraction(verdict["bound_ns"]) >= bound, "the judge proves less than the file claims"
        ends.append(end)
        bounds.append(Fraction(verdict["bound_ns"]))
    assert max(bounds) <= min(ends), f"bound {max(bounds)} ns, but a schedule takes {min(ends)} ns"
    if rng.random() < 0.3:
        check_repair(case, rng, folder / "timed0.json")
    check_damage(case, rng, folder / "timed0.json")
    return "solved"


def check_repair(case, rng, path):
    """A random fault: the repaired schedule is valid and keeps what it says."""
    channels = json.loads(path.read_text())["network"]["channels"]
    kind, (tail, head) = rng.choice(["--fault", "--fault-channel", "router"]), rng.choice(channels)
    fault = ["--fault", f"r{tail}"] if kind == "router" else [kind, f"r{tail}-r{head}"]
    repaired = path.with_name("repaired.json")
    keep = ["--keep", rng.choice([0, 50])] if rng.random() < 0.3 else []
    done = run(case, "repair", path, *fault, *keep, "--evaluations", 6, "--json", "-o", repaired)
    if done.returncode in (2, 3) or done.returncode == 1 and keep:
        assert done.stderr.strip() or "message" in done.stdout, "repair fails without a message"
        return
    assert done.returncode == 0, f"repair: exit code {done.returncode}: {done.stderr}"
    report = json.loads(done.stdout)
    verdict = json.loads(run(case, "verify", repaired, "--json").stdout)
    assert verdict["valid"] and verdict["bound_error"] is None, f"the judge refuses the repaired schedule: {verdict}"
    end, bound = simulate(repaired)
    assert Fraction(verdict["time_ns"]) == end == Fraction(report["time_ns"]) and bound <= end, "the repaired schedule takes another time"
    sends = sum(len(phase["sends"]) for phase in phases(json.loads(repaired.read_text())))
    assert report["sends_kept"] + report["sends_new"] == sends, "the numbers of sends are wrong"
    assert report["sends_kept"] <= report["sends_valid"] <= report["sends_before"], "more sends are kept than there were"


def check_damage(case, rng, path):
    """One random way to be wrong: judge and simulator refuse it."""
    document = json.loads(path.read_text())
    name = rng.choice(list(DAMAGES))
    if not damaged(document, name, rng):
        return
    path = path.with_name("damaged.json")
    path.write_text(json.dumps(document))
    done = run(case, "verify", path, "--json")
    assert done.returncode != 0, f"the judge accepts a file with damage: {name}"
    if name in SEEN_BY_JUDGE:
        return
    try:
        simulate(path)
    except (Malformed, Wrong, KeyError, TypeError, ValueError):
        return
    raise AssertionError(f"the simulator accepts a file with damage: {name}")


# Certificates are the business of the judge.
SEEN_BY_JUDGE = [name for name in DAMAGES if name.startswith("bound")]


def all_damages(pavane):
    """Tries every kind of damage on a schedule of every collective. Returns what is wrong."""
    data = {
        "format": "pavane/network/1", "name": "two boxes", "routers": 6,
        "links": [{"from": a, "to": b, "bandwidth_gbytes": rate, "latency_ns": 7} for a, b, rate in ((0, 4, 25), (1, 4, 25), (2, 5, 25), (3, 5, 12.5), (1, 2, 2), (0, 1, 5))],
        "channels": [{"from": 3, "to": 0, "bandwidth_gbytes": 2, "latency_ns": 40}], "processors": [0, 1, 2, 3], "multicast": [5],
    }
    wrong, possible = [], set()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        case = {"pavane": pavane, "log": []}
        (folder / "network.json").write_text(json.dumps(data))
        (folder / "sizes.csv").write_text("0,5,7,0\n1,0,9,30\n2,2,0,2\n0,0,8,0\n")
        sizes = [["all-to-all", "--sizes", folder / "sizes.csv"]]
        for words in [[name, "--bytes", 1000, "--chunks", 2] for name in COLLECTIVES] + sizes:
            path = folder / "timed.json"
            assert run(case, "solve", folder / "network.json", *words, "--minimize", "time", "--evaluations", 4, "-o", path).returncode == 0
            for name in DAMAGES:
                document = json.loads(path.read_text())
                if not damaged(document, name, random.Random(1)):
                    continue
                possible.add(name)
                (folder / "damaged.json").write_text(json.dumps(document))
                if run(case, "verify", folder / "damaged.json").returncode == 0:
                    wrong.append(f"{words[0]}: the judge accepts a file with damage: {name}")
    return wrong + [f"no schedule can be damaged in this way: {name}" for name in DAMAGES if name not in possible]


def one(seed, number, pavane, keep):
    with tempfile.TemporaryDirectory() as folder:
        case = {"seed": seed, "number": number, "pavane": pavane, "folder": pathlib.Path(folder), "log": []}
        try:
            return number, check(case), ""
        except Exception as error:  # Every failure is reported with its case.
            if keep:
                target = pathlib.Path(keep) / str(number)
                target.mkdir(parents=True, exist_ok=True)
                for file in case["folder"].iterdir():
                    (target / file.name).write_bytes(file.read_bytes())
                (target / "commands.txt").write_text("\n".join(case["log"]) + "\n")
            return number, "failed", f"{type(error).__name__}: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("cases", type=int, nargs="?", default=200)
    parser.add_argument("--damages", action="store_true")
    parser.add_argument("--pavane", default=str(ROOT / "target/debug/pavane"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--case", type=int)
    parser.add_argument("--keep")
    args = parser.parse_args()
    if args.damages:
        wrong = all_damages(args.pavane)
        print("\n".join([*wrong, f"{len(DAMAGES)} kinds of damage, {len(wrong)} failed"]))
        sys.exit(bool(wrong))
    numbers = range(args.cases) if args.case is None else [args.case]
    counts = {"solved": 0, "refused": 0, "failed": 0}
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        jobs = [pool.submit(one, args.seed, number, args.pavane, args.keep) for number in numbers]
        for job in concurrent.futures.as_completed(jobs):
            number, outcome, why = job.result()
            counts[outcome] += 1
            if why:
                print(f"case {number}: {why}\n  python3 tests/fuzz_timed.py {args.seed} {args.cases} --case {number} --keep FOLDER")
    print(f"{counts['refused']} problems without a message to send")
    print(f"{counts['solved'] + counts['refused']} passed, {counts['failed']} failed")
    # Most problems have a solution.
    sys.exit(counts["failed"] > 0 or counts["refused"] > len(numbers) // 4)


if __name__ == "__main__":
    main()
