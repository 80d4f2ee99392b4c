"""The book: every page is in its table of contents, every link leads somewhere inside it, every option is one of the program, and every command is run, in
order, in one folder per page.

    python3 tests/book.py [PAGE ...]     all pages unless named, without commands that need MPI; PAVANE names the program
    python3 tests/book.py --mpi          the pages with such commands, and all their commands; PAVANE must be built with --features mpi
    python3 tests/book.py --mdbook       only builds the book with mdBook and checks the links of its pages

Commands that need SimGrid are run if it is installed.

Kinds of blocks: `sh` lines are run; a comment may give the exit code, and `# long` marks a line that takes minutes or never ends: the test runs a shortened
command (SHORTER). `console` lines after `$` are run too, and their output must contain the lines below them, in order; `…` stands for any lines. `bash` blocks are
not run (builds, other machines), but their options are checked. `python` blocks are run by python/tests."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parent.parent
DOCS = ROOT / "docs"
PROGRAM = (ROOT / os.environ.get("PAVANE", "target/debug/pavane")).resolve()
KINDS = {"sh", "console", "bash", "python", "json", "toml", "xml", "dot", "text", "csv", "smi"}
# Files in place of those of the reader.
GIVEN = {
    "my-cluster.dot": "fuzz/corpus/dot/docs-1",
    "plan.xml": "corpus/plans/right/allgather-ring.xml",
    "corpus": "corpus",
    "atlas": "atlas",
}
SHORTER = [
    (r"pavane studio", "timeout --preserve-status -s INT 1 pavane studio --no-open"),
    (r"mpirun -n \d+", "mpirun -n 2"),
    (r"islands=\d+", "islands=4"),
    (r"hypercube:(?:[6-9]|1\d)\b", "hypercube:4"),
    (r"--missions \d+", "--missions 20"),
    (r"--optimal \d+", "--optimal 2"),
    (r"--time \d+\w+", "--time 1s"),
    (r"--runs \d+", "--runs 1"),
    (r"--sample \d+", "--sample 5"),
    (r"pavane reproduce traffic", "pavane reproduce traffic-figure-7 --runs 1"),
    (r"pavane reproduce gecco-2", "pavane reproduce gecco-4 --evaluations 300 --time 1s"),
    (r"pavane reproduce (?:fault|hgsa)", "pavane reproduce hgsa-text --evaluations 300 --time 1s"),
    (r"(pavane traffic sweep (?!.*(?:interval|rate)))", r"\1--missions 20 "),
    (r"(pavane traffic sweep (?=.*(?:interval|rate)))", r"\1--duration 2000 --warm-up 500 "),
    (r"pavane bench hypercube", "pavane bench hypercube:4"),
    (r"pavane bench survey", "pavane bench survey octagon:8 --time 5s"),
    (r"--seeds \d+", "--seeds 1"),
]

wrong = []


def anchors(text):
    """The anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def without_blocks(page):
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.S | re.M)


def check_links(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", without_blocks(page)):
        if re.match(r"https?://", target):
            continue
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists():
            wrong.append(f"{page.name}: {target} leads nowhere")
        elif DOCS in page.parents and DOCS.resolve() not in file.parents:
            wrong.append(f"{page.name}: {target} leads out of the book")
        elif anchor and anchor not in anchors(file.read_text()):
            wrong.append(f"{page.name}: {target} has no such heading")


def check_contents():
    listed = set(re.findall(r"\]\(([^)]+)\)", (DOCS / "SUMMARY.md").read_text()))
    pages = {str(page.relative_to(DOCS)) for page in DOCS.glob("**/*.md")} - {"SUMMARY.md"}
    wrong.extend(f"SUMMARY.md leaves out {page}" for page in sorted(pages - listed))


def blocks(page):
    """The kind and the text of every block."""
    for kind, text in re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(), re.M | re.S):
        if kind not in KINDS:
            wrong.append(f"{page.name}: a block of the unknown kind {kind!r}")
        yield kind, text


def commands(page, kinds):
    """Every command with the lines that are printed below it."""
    for kind, text in blocks(page):
        if kind not in kinds:
            continue
        printed = None
        for line in text.replace("\\\n", " ").splitlines():
            if kind == "console" and not line.startswith("$ "):
                printed.append(line)
            elif line.strip() and not line.lstrip().startswith("#"):
                printed = []
                yield line.removeprefix("$ "), printed


helps = {}


def options_of(words):
    if words not in helps:
        run = subprocess.run([PROGRAM, *words, "--help"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        helps[words] = set(re.findall(r"--[a-z0-9-]+", run.stdout)) if run.returncode == 0 else None
    return helps[words]


def check_options(page):
    inline = re.findall(r"`([^`\n]+)`", without_blocks(page))
    for line in [line for line, _ in commands(page, {"sh", "console", "bash"})] + inline:
        for call in re.findall(r"(?<![-\w])pavane ([a-z][a-z-]*(?: [^|;>]*)?)", line.split(" #")[0]):
            words = call.split()
            has_part = len(words) > 1 and (words[0] in ("traffic", "atlas") or words[:2] == ["bench", "survey"])
            command = tuple(words[:2]) if has_part else (words[0],)
            known = options_of(command)
            if known is None:
                wrong.append(f"{page.name}: there is no `pavane {' '.join(command)}`")
                continue
            for option in (word for word in words if re.match(r"--[a-z]", word)):
                if option.split("=")[0] not in known:
                    wrong.append(f"{page.name}: `pavane {' '.join(command)}` has no {option}")


def is_printed(printed, told):
    """The first expected line that does not occur in order, or None. Times and column widths are ignored; without … the lines must be consecutive."""
    plain = lambda line: re.sub(r"\s+", " ", re.sub(r"\d+\.\d+ s\b", "_ s", line)).strip()
    wanted, told = [plain(line) for line in printed if line.strip()], [plain(line) for line in told.splitlines() if line.strip()]
    at, is_gap = 0, False
    for line in wanted:
        if line == "…":
            is_gap = True
            continue
        found = told.index(line, at) if line in told[at:] else None
        if found is None or (found != at and not is_gap):
            return line
        at, is_gap = found + 1, False
    return None if is_gap or at == len(told) else "(more is printed)"


def needs_mpi(command):
    return re.search(r"\bmpi(?:cc|run)\b", command) is not None


def has_simgrid():
    return subprocess.run(["/usr/bin/python3", "-c", "import simgrid"], stderr=subprocess.DEVNULL).returncode == 0


def can_run(command, with_mpi):
    if needs_mpi(command):
        return with_mpi
    return "sim.replay.py" not in command or has_simgrid()


def execute(page, with_mpi):
    """Runs the commands of a page; returns their number."""
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/bin")
        os.symlink(PROGRAM, f"{folder}/bin/pavane")
        for name, source in GIVEN.items():
            os.symlink(ROOT / source, f"{folder}/{name}")
        environment = {**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
        # All at once: what a command prints is read after its line.
        for line, printed in list(commands(page, {"sh", "console"})):
            command, _, comment = line.partition(" #")
            if not can_run(command, with_mpi):
                print(f"{page.name}: not run: {command.strip()}")
                continue
            if re.search(r"\blong\b", comment):
                for pattern, replacement in SHORTER:
                    command = re.sub(pattern, replacement, command)
                if command == line.partition(" #")[0]:
                    wrong.append(f"{page.name}: {command}: long, and nothing makes it shorter")
            expected = int((re.search(r"exit code (\d+)", comment) or [0, 0])[1])
            count, begun = count + 1, time.monotonic()
            run = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
            if time.monotonic() - begun > 5:
                print(f"{page.name}: {time.monotonic() - begun:.0f} s: {command}")
            if run.returncode != expected and not (command.startswith("timeout") and run.returncode == 130):
                wrong.append(f"{page.name}: {command}: exit code {run.returncode}: {run.stderr.strip()[-500:]}")
            elif printed and (missing := is_printed(printed, run.stdout)):
                wrong.append(f"{page.name}: {command}: not as printed: {missing}\n{run.stdout}")
    return count


def build():
    """Builds the book with mdBook and checks the links of its pages; returns their number."""
    mdbook = shutil.which("mdbook", path=f"{ROOT}/target/mdbook/bin:{os.environ['PATH']}")
    if mdbook is None:
        sys.exit("mdBook is not installed: run ./test mdbook, which installs it")
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([mdbook, "build", "-d", folder], cwd=ROOT, capture_output=True, text=True)
        if run.returncode != 0 or re.search(r"WARN|ERROR", run.stderr):
            wrong.append(f"mdbook: {run.stderr}")
        for page in pathlib.Path(folder).glob("**/*.html"):
            if page.name in ("404.html", "toc.html"):
                continue
            count += 1
            for target in re.findall(r'(?:href|src)="([^"#:]+)(?:#[^"]*)?"', page.read_text()):
                if not (page.parent / target).exists():
                    wrong.append(f"mdbook: {page.name}: {target} is not there")
    return count


def main():
    arguments = sys.argv[1:]
    begun = time.monotonic()
    if arguments == ["--mdbook"]:
        done = f"{build()} pages were built"
    else:
        with_mpi = arguments == ["--mpi"]
        pages = [ROOT / "README.md", *sorted(DOCS.glob("**/*.md"))]
        if with_mpi:
            pages = [page for page in pages if any(needs_mpi(line) for line, _ in commands(page, {"sh", "console"}))]
        elif arguments:
            pages = [page for page in pages if page.name in arguments]
        check_contents()
        for page in pages:
            check_links(page)
            check_options(page)
        done = f"{sum(execute(page, with_mpi) for page in pages)} commands of {len(pages)} pages were run"
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{done} in {time.monotonic() - begun:.0f} s, {len(wrong)} complaints")
    sys.exit(bool(wrong))


main()
