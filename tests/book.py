"""The book: every page is in its table of contents, every link leads somewhere, every option is one of the program,
and every command of the chapters in EXECUTED is run, in order, in one folder per chapter."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parent.parent
DOCS = ROOT / "docs"
PROGRAM = (ROOT / os.environ.get("PAVANE", "target/debug/pavane")).resolve()
# Other chapters have commands that take minutes or more machines: their options are looked up instead.
EXECUTED = ["first-hour.md", "engines.md", "bounds.md", "recipes.md", "trust.md"]

wrong = []


def anchors(text):
    """The anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def check_links(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?://", target):
            continue
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if not file.exists():
            wrong.append(f"{page.name}: {target} leads nowhere")
        elif anchor and anchor not in anchors(file.read_text()):
            wrong.append(f"{page.name}: {target} has no such heading")


def check_contents():
    listed = set(re.findall(r"\]\(([^)]+)\)", (DOCS / "SUMMARY.md").read_text()))
    pages = {str(page.relative_to(DOCS)) for page in DOCS.glob("**/*.md")} - {"SUMMARY.md"}
    wrong.extend(f"SUMMARY.md leaves out {page}" for page in sorted(pages - listed))


def commands(page):
    """The lines of its shell blocks, joined where they are continued."""
    for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(), re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                yield line


helps = {}


def options_of(words):
    if words not in helps:
        run = subprocess.run([PROGRAM, *words, "--help"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        helps[words] = set(re.findall(r"--[a-z0-9-]+", run.stdout)) if run.returncode == 0 else None
    return helps[words]


def check_options(page):
    for line in commands(page):
        for call in re.findall(r"\bpavane ([a-z][^|;>]*)", line.split(" #")[0]):
            words = call.split()
            command = tuple(words[:2]) if words[0] == "traffic" else (words[0],)
            known = options_of(command)
            if known is None:
                wrong.append(f"{page.name}: there is no `pavane {' '.join(command)}`")
                continue
            for option in (word for word in words if re.match(r"--[a-z]", word)):
                if option.split("=")[0] not in known:
                    wrong.append(f"{page.name}: `pavane {' '.join(command)}` has no {option}")


def execute(page):
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(PROGRAM, f"{folder}/pavane")
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        for line in commands(page):
            if not line.startswith(("pavane ", "printf ")):
                continue
            count += 1
            run = subprocess.run(["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True)
            if run.returncode != 0:
                wrong.append(f"{page.name}: {line}: exit code {run.returncode}: {run.stderr.strip()}")
    return count


check_contents()
for page in [ROOT / "README.md", *sorted(DOCS.glob("**/*.md"))]:
    check_links(page)
    check_options(page)
count = sum(execute(DOCS / name) for name in EXECUTED)
for line in wrong:
    print(line, file=sys.stderr)
print(f"{count} commands of the book were run, {len(wrong)} complaints")
sys.exit(bool(wrong))
