"""Makes the files of a release from programs that are built: archives, an installer, checksums and a list of dependencies.

    package.py archive FILES ARCHITECTURE PROGRAMS   adds an archive with the programs in a folder
    package.py finish FILES                          adds the installer, the list of dependencies and SHA256SUMS
"""

import gzip
import hashlib
import json
import pathlib
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAMS = ["pavane", "pavane-verify"]
SHELLS = {"bash": "pavane.bash", "zsh": "_pavane", "fish": "pavane.fish"}


def metadata():
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", str(ROOT / "Cargo.toml")]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def version(data):
    return next(package["version"] for package in data["packages"] if package["name"] == "pavane")


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def archive(files, architecture, programs):
    """An archive with the programs and, if they run on this machine, manual pages and completions."""
    name = f"pavane-{version(metadata())}-{architecture}-linux"
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary) / name
        folder.mkdir()
        for program in PROGRAMS:
            shutil.copy(programs / program, folder / program)
        for text in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"]:
            shutil.copy(ROOT / text, folder)
        # A program of another architecture cannot print them; those of the first archive are the same.
        pages = files / ".pages"
        if architecture == platform.machine():
            (pages / "completions").mkdir(parents=True, exist_ok=True)
            subprocess.run([folder / "pavane", "man", pages / "man"], check=True, stdout=subprocess.DEVNULL)
            for shell, file in SHELLS.items():
                script = subprocess.run([folder / "pavane", "completions", shell], check=True, capture_output=True).stdout
                (pages / "completions" / file).write_bytes(script)
        if pages.is_dir():
            shutil.copytree(pages, folder, dirs_exist_ok=True)
        pack(folder, files / f"{name}.tar.gz")


def pack(folder, path):
    """The same bytes for the same files, whenever and by whomever they are packed."""

    def plain(entry):
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        entry.mode = 0o755 if entry.isdir() or entry.name.split("/")[-1] in PROGRAMS else 0o644
        return entry

    with open(path, "wb") as raw, gzip.GzipFile("", "wb", mtime=0, fileobj=raw) as packed:
        with tarfile.open(fileobj=packed, mode="w") as tar:
            tar.add(folder, folder.name, recursive=False, filter=plain)
            for entry in sorted(folder.rglob("*")):
                tar.add(entry, f"{folder.name}/{entry.relative_to(folder)}", recursive=False, filter=plain)


def dependencies(data):
    """All dependencies in the format CycloneDX 1.5."""
    own = set(data["workspace_members"])
    checksums = {}
    name = number = None
    for line in (ROOT / "Cargo.lock").read_text().splitlines():
        key, _, value = line.partition(" = ")
        if key == "name":
            name = value.strip('"')
        elif key == "version":
            number = value.strip('"')
        elif key == "checksum":
            checksums[name, number] = value.strip('"')
    components = []
    for package in data["packages"]:
        if package["id"] in own:
            continue
        component = {
            "type": "library",
            "bom-ref": f"pkg:cargo/{package['name']}@{package['version']}",
            "name": package["name"],
            "version": package["version"],
            "purl": f"pkg:cargo/{package['name']}@{package['version']}",
            "licenses": [{"expression": (package["license"] or "NOASSERTION").replace("/", " OR ")}],
        }
        checksum = checksums.get((package["name"], package["version"]))
        if checksum:
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        components.append(component)
    program = {"type": "application", "name": "pavane", "version": version(data), "licenses": [{"expression": "MIT OR Apache-2.0"}]}
    components.sort(key=lambda component: component["purl"])
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"component": program}, "components": components}


def finish(files):
    data = metadata()
    shutil.rmtree(files / ".pages", ignore_errors=True)
    number = version(data)
    (files / f"pavane-{number}.sbom.json").write_text(json.dumps(dependencies(data), indent=1) + "\n")
    archives = sorted(files.glob(f"pavane-{number}-*-linux.tar.gz"))
    known = "".join(f"    {path.name[len(f'pavane-{number}-'):-len('-linux.tar.gz')]}) sum={sha256(path)} ;;\n" for path in archives)
    installer = (ROOT / "tools" / "install.sh").read_text()
    installer = installer.replace("@VERSION@", number).replace("    @CHECKSUMS@\n", known)
    (files / "install.sh").write_text(installer)
    (files / "install.sh").chmod(0o755)
    listed = [path for path in sorted(files.iterdir()) if path.name != "SHA256SUMS"]
    (files / "SHA256SUMS").write_text("".join(f"{sha256(path)}  {path.name}\n" for path in listed))


def main():
    match sys.argv[1:]:
        case ["archive", files, architecture, programs]:
            archive(pathlib.Path(files), architecture, pathlib.Path(programs))
        case ["finish", files]:
            finish(pathlib.Path(files))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
