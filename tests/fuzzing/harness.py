"""One case of the fuzzer: its folder, its random generator, the commands it runs and the failures it finds."""

import gzip
import json
import os
import subprocess
from collections import Counter, namedtuple

from independent.optimum import lower_bound, shorter_schedule

TIMEOUT_S = 120
# Budget of each exhaustive search; a million takes about two seconds.
BUDGET = int(os.environ.get("PAVANE_FUZZ_BUDGET", "80000"))
ENVIRONMENT = {**os.environ, "RUST_BACKTRACE": "0"}
Answer = namedtuple("Answer", "code out err")


class Case:
    def __init__(self, number, rng, folder, program):
        self.number, self.rng, self.folder, self.program = number, rng, folder, program
        self.failures, self.counts, self.commands, self.known = [], Counter(), [], {}

    def fail(self, what, detail=""):
        """Records a failure: `what` is the same text for all failures of a kind, `detail` is specific to this case."""
        self.failures.append((what, str(detail)[:600]))

    def expect(self, condition, what, detail=""):
        if not condition:
            self.fail(what, detail() if callable(detail) else detail)
        return condition

    def run(self, *arguments, codes=(0, 1, 2, 3)):
        """Runs the program. A panic, a timeout and an exit code that is not among `codes` are failures."""
        command = [self.program, *map(str, arguments)]
        self.commands.append(" ".join(command))
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, env=ENVIRONMENT)
        except subprocess.TimeoutExpired:
            self.fail(f"{arguments[0]} does not end within {TIMEOUT_S} s", " ".join(command))
            return Answer(None, "", "")
        answer = Answer(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))
        self.counts["commands"] += 1
        if answer.code not in (0, 1, 2, 3) or "panicked" in answer.err:
            self.fail(f"{arguments[0]} ends with a panic or an internal error", f"exit {answer.code}: {' '.join(command)}: {answer.err.strip()[-400:]}")
        elif answer.code not in codes:
            self.fail(f"{arguments[0]} ends with exit code {answer.code} where {codes} is expected", f"{' '.join(command)}: {answer.err.strip()[-300:]}")
        if "\x1b" in answer.out + answer.err:
            self.fail(f"{arguments[0]} prints control characters of its input", " ".join(command))
        if answer.code == 2 and not answer.err.strip() and not answer.out.strip():
            self.fail(f"{arguments[0]} refuses without saying why", " ".join(command))
        return answer

    def parse(self, answer):
        """The JSON that a command printed, or None."""
        try:
            return json.loads(answer.out)
        except ValueError:
            return None

    def write(self, name, content):
        """Writes a document as JSON, or raw bytes, sometimes gzipped and then sometimes truncated. Returns the name of the file."""
        data = content if isinstance(content, bytes) else json.dumps(content).encode(errors="surrogatepass")
        if self.rng.random() < 0.1:
            name, data = name + ".gz", gzip.compress(data, mtime=0)
            data = data[: self.rng.randrange(len(data))] if self.rng.random() < 0.2 else data
        (self.folder / name).write_bytes(data)
        return name

    def write_commands(self):
        (self.folder / "commands.txt").write_text("\n".join(self.commands) + "\n")

    def is_refuted(self, problem, steps):
        """Whether the checker finds a schedule of fewer steps. Counts whether the claim is confirmed, refuted or open."""
        network = problem.network
        asked = steps, tuple(network.channels), tuple(network.homes), tuple(network.links), problem.model, str(problem.messages)
        if asked not in self.known:
            schedule, known = shorter_schedule(problem, steps, BUDGET)
            self.counts["claims " + known.split()[0].strip(",:")] += 1
            self.known[asked] = schedule is not None
        return self.known[asked]

    def least(self, problem):
        return lower_bound(problem)[0]
