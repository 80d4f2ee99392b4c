"""Soak test: sends requests to one studio without pause, and repeatedly kills and resumes a search over MPI. Fails if memory grows.

    python3 tests/soak.py [SECONDS] [--csv FILE] [--without-ranks]     30 seconds unless given; PAVANE names the program (ranks: built with --features mpi)

The memory of the studio is sampled after every job; for a rank, the sample is its peak. After a warm-up, the test compares the median memory of the middle third of the
run with that of the last third. In short runs it only checks an absolute limit."""

import argparse
import csv
import http.client
import itertools
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).parent.parent
PROGRAM = str((ROOT / os.environ.get("PAVANE", "target/debug/pavane")).resolve())
# Tolerated difference of medians; allocators return memory irregularly.
ALLOWED_MIB, ALLOWED_PART = 4, 0.02
MOST_MIB = 400
# The studio keeps the last sixty answers, large and small; fewer samples do not show growth.
WARM_UP = {"studio": 120, "ranks": 4}
LEAST_THIRD = {"studio": 120, "ranks": 4}
RANKS = 2
# The first schedule is found at once, and the bound is never met.
ENDLESS = "solve tree:2,4 aab --switching sf --ports 1 --engine gossip --threads 1 --time 300s --quiet --resume it.json.checkpoint -o it.json"
PROBLEMS = [
    {"network": "octagon:8", "collective": "aas"},
    {"network": "mesh:4x4", "collective": "aas"},
    {"network": "hypercube:5", "collective": "oab"},
    {"network": "torus:4x4", "collective": "all-reduce"},
    {"network": "hypercube:4", "collective": "aab", "switching": "sf"},
    {"text": "left core\ncore right\nright left\nswitch core\n", "collective": "all-gather"},
    {"network": "torus:6x6", "collective": "aas"},
]
# Requests that must be refused cheaply.
HOSTILE = [b"{", b"[" * 100_000, b'{"kind":"repair","of":999999,"faults":["0-1"]}', b'{"kind":"solve","network":"hypercube:30","collective":"aas"}']


def mebibytes(process, field):
    """A line of /proc/PID/status in MiB, or None if the process is gone."""
    try:
        lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(field + ":")), None)


class Studio:
    """A studio and its memory samples."""

    def __init__(self):
        self.child = subprocess.Popen([PROGRAM, "studio", "--no-open", "--json", "--time", "5s"], stdout=subprocess.PIPE, text=True)
        text = ""
        while not text.rstrip().endswith("}"):
            text += self.child.stdout.readline()
        address = urllib.parse.urlsplit(json.loads(text)["address"])
        self.host, self.token = address.netloc, address.query
        self.samples, self.jobs, self.requests, self.late, self.slowest = [], 0, 0, 0, (0.0, "")

    def ask(self, path, body=None, read=True):
        self.requests += 1
        begun = time.monotonic()
        connection = http.client.HTTPConnection(self.host, timeout=900)
        sign = "&" if "?" in path else "?"
        try:
            connection.request("GET" if body is None else "POST", f"{path}{sign}{self.token}", body)
            if not read:
                return None  # A client that closes the connection early.
            answer = connection.getresponse()
            return answer.status, answer.read()
        except TimeoutError as error:
            # A busy machine is slow, but fifteen minutes without an answer is a hang.
            raise TimeoutError(f"no answer to {path}") from error
        finally:
            self.slowest = max(self.slowest, (time.monotonic() - begun, path))
            connection.close()

    def job(self, request):
        """The number of the finished job; None if its time limit passed first, which happens on a busy machine."""
        status, body = self.ask("/api/jobs", json.dumps(request))
        assert status == 200, body
        job = json.loads(body)["job"]
        # The events end with the job.
        _, news = self.ask(f"/api/jobs/{job}/events")
        last = news.strip().splitlines()[-1].decode()
        is_late = "within the time limit of a job" in last
        assert '"done"' in last or is_late, last
        self.jobs += 1
        self.late += is_late
        self.samples.append((time.monotonic(), mebibytes(self.child.pid, "VmRSS")))
        return None if is_late else job

    def round(self, number):
        """Every problem once: solved, broken, drawn, downloaded; hostile requests in between, and one job that is cancelled."""
        names = [name for name, *_ in json.loads(self.ask("/api/choices")[1])["formats"]]
        for at, problem in enumerate(PROBLEMS):
            solved = self.job({"kind": "solve", "seed": number + 1, **problem})
            if solved is None:
                continue
            assert self.ask(f"/api/jobs/{solved}/data")[0] == 200
            self.ask(f"/api/jobs/{solved}/download?to={names[(number + at) % len(names)]}")
            if problem.get("network") == "mesh:4x4":
                self.job({"kind": "repair", "of": solved, "faults": ["0,0-0,1"]})
            self.ask(f"/api/jobs/{solved}/data", read=False)
            self.ask("/api/jobs", HOSTILE[(number + at) % len(HOSTILE)])
        _, body = self.ask("/api/jobs", json.dumps({"kind": "solve", "network": "random-regular:32,4,1", "collective": "aas"}))
        self.ask(f"/api/jobs/{json.loads(body)['job']}/cancel", "")


class Search:
    """A search over MPI that is killed in several ways and resumes from its checkpoint."""

    def __init__(self, folder):
        self.folder, self.samples, self.restarts = folder, [], 0

    def children(self, parent):
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if f"PPid:\t{parent}\n" in (entry / "status").read_text():
                        found.append(int(entry.name))
                except OSError:
                    pass
        return found

    def restart(self, chance):
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "TMPDIR": str(self.folder)}
        command = ["mpirun", "--oversubscribe", "-n", str(RANKS), PROGRAM, *ENDLESS.split()]
        run = subprocess.Popen(command, cwd=self.folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        checkpoint = self.folder / "it.json.checkpoint"
        begun, seen = time.monotonic(), checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        # Wait for the first checkpoint of this run, or 5 s if there is one of an earlier run.
        while run.poll() is None and (time.monotonic() - begun < 5 or not checkpoint.exists()):
            if checkpoint.exists() and checkpoint.stat().st_mtime_ns != seen:
                break
            time.sleep(0.05)
        time.sleep(chance.uniform(0, 0.5))
        ranks = self.children(run.pid)
        peak = max((mebibytes(rank, "VmHWM") or 0 for rank in ranks), default=0)
        way = ["rank", "rank", "run"][self.restarts % 3]
        try:
            os.kill(*((chance.choice(ranks), signal.SIGKILL) if way == "rank" and ranks else (run.pid, signal.SIGTERM)))
        except ProcessLookupError:
            pass
        _, told = run.communicate(timeout=120)
        assert "panicked" not in told, told
        assert peak > 0, f"no rank was running: {told}"
        json.loads(checkpoint.read_text())
        judged = subprocess.run([PROGRAM, "verify", "it.json"], cwd=self.folder, capture_output=True, text=True) if (self.folder / "it.json").exists() else None
        assert judged is None or judged.returncode == 0, judged.stdout
        alive = [rank for rank in ranks if mebibytes(rank, "VmRSS")]
        assert not alive, f"ranks outlive their run: {alive}"
        self.restarts += 1
        self.samples.append((time.monotonic(), peak))


def judge(what, samples):
    """Prints memory use; true if it grew."""
    values = [value for _, value in samples]
    if not values:
        return True
    told = f"{what}: first {values[0]:.1f} MiB, most {max(values):.1f}"
    warm = samples[WARM_UP[what]:]
    if len(warm) < 3 * LEAST_THIRD[what]:
        print(f"{told}; too short to tell whether it grows")
        return max(values) > MOST_MIB
    # Thirds of the time: a leak grows in each of them, a cache that fills once does not.
    begun, third = warm[0][0], (warm[-1][0] - warm[0][0]) / 3
    early, late = (statistics.median(value for at, value in warm if part <= (at - begun) / third <= part + 1) for part in (1, 2))
    grew = late > early * (1 + ALLOWED_PART) + ALLOWED_MIB
    print(f"{told}, middle third {early:.1f}, last third {late:.1f}{': it grew' if grew else ''}")
    return grew or max(values) > MOST_MIB


def repeat(step, end, failures):
    try:
        for number in itertools.count():
            step(number)
            if time.monotonic() >= end:
                return
    except Exception as error:  # Reported at the end, with the result of the other loop.
        failures.append(repr(error))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", nargs="?", type=float, default=30)
    parser.add_argument("--csv", help="every sample: what, second, MiB")
    parser.add_argument("--without-ranks", action="store_true", help="only the studio")
    args = parser.parse_args()
    begun, failures, chance = time.monotonic(), [], random.Random(1)
    with tempfile.TemporaryDirectory(prefix="soak") as folder:
        studio, search = Studio(), Search(pathlib.Path(folder))
        try:
            end = begun + args.seconds
            beside = threading.Thread(target=repeat, args=(lambda _: search.restart(chance), end, failures))
            if not args.without_ranks:
                beside.start()
            repeat(studio.round, end, failures)
            if not args.without_ranks:
                beside.join()
        finally:
            for failure in failures:
                print(f"FAILED: {failure}", file=sys.stderr)
            studio.child.terminate()
            studio.child.wait(timeout=60)
        left = sum(1 for entry in pathlib.Path(folder).rglob("*") if entry.is_file())
        size = 0 if args.without_ranks else (pathlib.Path(folder) / "it.json.checkpoint").stat().st_size
    print(f"{time.monotonic() - begun:.0f} s: {studio.requests} requests, the slowest {studio.slowest[0]:.1f} s ({studio.slowest[1]}), {studio.jobs} jobs ({studio.late} late); "
          f"{search.restarts} restarts of {RANKS} ranks, a checkpoint of {size} bytes, {left} files left beside each other")
    grew = [judge("studio", studio.samples)] + ([] if args.without_ranks else [judge("ranks", search.samples)])
    if args.csv:
        with open(args.csv, "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["what", "second", "MiB"])
            for what, samples in (("studio", studio.samples), ("ranks", search.samples)):
                rows.writerows([what, f"{at - begun:.1f}", f"{value:.1f}"] for at, value in samples)
    sys.exit(bool(failures) or any(grew))


main()
