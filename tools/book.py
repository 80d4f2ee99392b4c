"""Adds to the book what is not a page of docs/: README.md as the front page, and the executed notebooks of docs/notebooks as chapters below the chapter on
Python. A preprocessor of mdBook, which calls it (book.toml).

    python3 tools/book.py NOTEBOOK     prints a notebook as Markdown"""

import base64
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "notebooks"
FRONT = "introduction.md"
PARENT = "python.md"
# Pages of the book for folders of the sources.
PAGES = {"docs/notebooks": "notebooks/network.md", "docs/decisions/README.md": "decisions/index.html", "docs/SUMMARY.md": FRONT}


def picture(svg):
    """A picture as an image of its own, so that its styles and names stay inside."""
    title = re.search(r"<title>(.*?)</title>", svg)
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{title[1] if title else "picture"}" src="data:image/svg+xml;base64,{data}">'


def block(html):
    """HTML that Markdown leaves alone: it ends at the first empty line."""
    html = re.sub(r"<svg.*?</svg>", lambda found: picture(found[0]), html, flags=re.S)
    return "<div>\n" + re.sub(r"\n\s*\n", "\n", html.strip()) + "\n</div>\n"


def fenced(text, language):
    fence = "```" if "```" not in text else "````"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def output(shown):
    """An output of a cell in its richest form."""
    if shown["output_type"] == "stream":
        return fenced("".join(shown["text"]), "text")
    if shown["output_type"] == "error":
        raise SystemExit(f"a cell ends in an error: {shown['ename']}")
    data = {kind: "".join(text) for kind, text in shown["data"].items()}
    if "image/svg+xml" in data:
        return block(data["image/svg+xml"])
    if "text/html" in data:
        return block(data["text/html"])
    return fenced(data["text/plain"], "text")


def markdown(path):
    """A notebook as Markdown."""
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source + "\n")
        elif cell["cell_type"] == "code":
            parts.append(fenced(source, "python"))
            parts.extend(output(shown) for shown in cell["outputs"])
    return "\n".join(parts)


def chapters(parent):
    """The notebooks as chapters below a chapter."""
    first = len(parent["sub_items"]) + 1
    for number, path in enumerate(sorted(FOLDER.glob("*.ipynb"), reverse=True), first):
        content = markdown(path)
        yield {"Chapter": {
            "name": re.search(r"^# (.*)$", content, re.M)[1],
            "content": content,
            "number": parent["number"] and [*parent["number"], number],
            "sub_items": [],
            "path": f"notebooks/{path.stem}.md",
            "source_path": None,
            "parent_names": [*parent["parent_names"], parent["name"]],
        }}


def front():
    """README.md with the links of the book; files outside of it are only named."""
    def link(found):
        text, target = found[1], found[2]
        if target in PAGES:
            return f"[{text}]({PAGES[target]})"
        if target.startswith("docs/"):
            return f"[{text}]({target.removeprefix('docs/')})"
        return found[0] if re.match(r"https?://|#", target) else text
    return re.sub(r"\[([^\]]*)\]\(([^)\s]+)\)", link, (ROOT / "README.md").read_text())


def add(items, missing):
    """Fills the front page and adds the chapters below their parent; removes what was found from `missing`."""
    for chapter in (item["Chapter"] for item in items if isinstance(item, dict) and "Chapter" in item):
        missing.discard(chapter["path"])
        if chapter["path"] == FRONT:
            chapter["content"] = front()
        if chapter["path"] == PARENT:
            chapter["sub_items"].extend(chapters(chapter))
        else:
            add(chapter["sub_items"], missing)


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    if len(sys.argv) > 1:
        print(markdown(pathlib.Path(sys.argv[1])))
        return
    _, book = json.load(sys.stdin)
    missing = {FRONT, PARENT}
    add(book["sections"], missing)
    if missing:
        sys.exit(f"the book has no chapter {', '.join(sorted(missing))}")
    json.dump(book, sys.stdout)


main()
