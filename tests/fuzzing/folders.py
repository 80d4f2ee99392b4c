"""`pavane faults --save`, `pavane verify DIR` and `pavane repair DIR`, compared with the checker, also on forged folders."""

import copy
import json
import shutil

from fuzzing import problems
from fuzzing.forgeries import change_anything
from fuzzing.mutants import MUTATORS
from independent.folder import judge_folder
from independent.network import Malformed
from independent.rules import problems_of
from independent.schedule import read_document, read_schedule

COLLECTIVES = ["oab", "oas", "aas", "aab", "gather", "reduce", "shift:1", "aab@sf", "aas@sf"]
FORGERIES, MOST_PARTS = 6, 14


def folder_case(case):
    drawn = survey(case)
    if not drawn:
        return
    net, arguments = drawn
    folder = case.folder / "ready"
    judged = judge_folder(folder, net.network)
    for part in judged:
        case.expect(not part.wrong, "faults --save writes a folder that the checker refuses", part.wrong[:3])
    for options in ([], ["--network", net.argument]):
        answer = case.run("verify", "ready", "--json", *options, codes=(0,))
        printed = case.parse(answer)
        case.expect(printed and printed["valid"], "verify refuses a folder of faults --save", printed)
        compare(case, "as written", folder, printed, net.network if options else None)
    look_up(case, net)
    for number in range(FORGERIES):
        forge(case, net, arguments, folder, case.folder / f"forged-{number}")


def survey(case):
    """Saves a folder for a random small network. Returns the network and the options of its problem; None if the survey is refused."""
    rng = case.rng
    net = problems.draw_network(rng, case.folder)
    of = rng.choice(["links", "routers", "links,routers", "channels"])
    if len(net.network.channels) > MOST_PARTS or len(net.network.homes) > 6:
        net = problems.Net("ring:4", problems.named_network("ring:4"))
    may_store = not net.network.switches()
    rules, model = problems.draw_rules(rng, may_store)
    names = [name for name in COLLECTIVES if may_store or "@sf" not in name]
    chosen = rng.sample(names, rng.choice([1, 1, 2]))
    options = [net.argument, *chosen, *rules, "--seed", rng.randrange(100), "--threads", 1, "--evaluations", rng.choice([1, 50])]
    answer = case.run("faults", *options, "--of", of, "--save", "ready", "--json")
    if answer.code != 0:
        case.counts["no survey"] += 1
        solvable = all(problems.all_have_ports(net.network, model) and is_connected(net.network) for _ in chosen)
        case.expect(not solvable, "faults refuses a network on which all can talk", answer.err)
        return None
    return net, [net.argument, chosen[0].split("@")[0], *rules]


def is_connected(network):
    return all(len(network.distances(start)) == network.routers for start in range(network.routers))


def look_up(case, net):
    """Looks up the schedule of a fault in the folder."""
    index = read_document(case.folder / "ready" / "index.json")
    part = case.rng.choice(index["collectives"])
    entries = [entry for entry in part["faults"] if entry.get("schedule")]
    if not entries:
        return
    entry = case.rng.choice(entries)
    faults = [text for fault in entry["faults"] for text in ("--fault", numbered(fault))]
    answer = case.run("repair", "ready", *faults, "--collective", part["collective"], "-o", "found.json", "--json", codes=(0,))
    if answer.code == 0:
        network, phases = read_schedule(read_document(case.folder / "found.json"))
        case.counts["looked up"] += 1
        wrong = [text for phase in phases for text in problems_of(phase)]
        case.expect(not wrong, "repair DIR writes a schedule that is not valid", wrong[:2])
        case.expect(network.identity(True) == net.network.without(entry["faults"]).identity(True), "repair DIR writes a schedule for another network", entry["faults"])


def compare(case, what, folder, printed, network):
    """Entries that the checker refuses must not count as valid, and entries with a shorter schedule must not count as optimal."""
    try:
        judged = judge_folder(folder, network)
    except Malformed as error:
        accepted = printed and printed.get("valid")
        case.expect(not accepted, "verify accepts a folder that the checker cannot read", f"{what}: {error}")
        return
    if not printed or not isinstance(printed.get("collectives"), list):
        return
    if printed["valid"]:
        wrong = [text for part in judged for text in part.wrong]
        case.expect(not wrong, "verify accepts a folder that the checker refuses", f"{what}: {wrong[:3]}")
    for part, counted in zip(judged, printed["collectives"]):
        served = [entry for entry in part.entries if entry.phases and not entry.wrong]
        case.expect(counted["valid"] <= len(served), "verify counts schedules of a folder as valid that are not", f"{what}: {counted}: {part.wrong[:3]}")
        optimal = [entry for entry in served if not any(case.is_refuted(phase.problem, len(phase.steps)) for phase in entry.phases)]
        case.expect(counted["optimal"] <= len(optimal), "verify counts schedules of a folder as optimal that are not", f"{what}: {counted}")
        if what == "as written":
            case.expect(counted["valid"] == len(served), "verify counts too few schedules of a folder as valid", counted)


def forge(case, net, arguments, folder, forged):
    shutil.copytree(folder, forged)
    name = case.rng.choice(sorted(FORGE))
    index = json.loads((forged / "index.json").read_text())
    try:
        text = FORGE[name](case, index, forged, arguments) or json.dumps(index)
    except (KeyError, IndexError, TypeError, AttributeError, ValueError, FileNotFoundError):
        return  # This forgery does not apply to this folder.
    (forged / "index.json").write_text(text)
    case.counts["forged folders"] += 1
    for options in ([], ["--network", net.argument]):
        before = len(case.failures)
        printed = case.parse(case.run("verify", forged.name, "--json", *options))
        compare(case, f"{forged.name} ({name})", forged, printed, net.network if options else None)
        case.failures[before:] = [(what, f"{name}: {detail}") for what, detail in case.failures[before:]]


def entries_of(case, index, wants_schedule=True):
    part = case.rng.choice(index["collectives"])
    return part, [entry for entry in part["faults"] if entry.get("schedule") or not wants_schedule]


def swap_files(case, index, folder, arguments):
    part, entries = entries_of(case, index)
    one, other = case.rng.sample(entries, 2)
    one["schedule"], other["schedule"] = other["schedule"], one["schedule"]


def swap_entries(case, index, folder, arguments):
    part, entries = entries_of(case, index)
    one, other = case.rng.sample(entries, 2)
    one["faults"], other["faults"] = other["faults"], one["faults"]


def no_fault_file(case, index, folder, arguments):
    """Swaps the schedule without faults and that of an entry."""
    part, entries = entries_of(case, index)
    entry = case.rng.choice(entries)
    if case.rng.random() < 0.5:
        part["no_fault"] = entry["schedule"]
    else:
        entry["schedule"] = part["no_fault"]
        entry.pop("renumbering", None)


def other_numbers(case, index, folder, arguments):
    rng = case.rng
    part, entries = entries_of(case, index)
    entry = rng.choice(entries)
    choice = rng.choice(["steps", "routers", "processors", "short", "beyond", "none", "missing", "disconnected"])
    count = len(json.loads((folder / entry["schedule"]).read_text())["network"]["processors"])
    if choice == "steps":
        entry["steps"] += rng.choice([-1, 1])
    elif choice in ("routers", "processors"):
        rng.shuffle(entry["renumbering"][choice])
    elif choice == "short":
        entry["renumbering"]["routers"].pop()
    elif choice == "beyond":
        entry["renumbering"]["processors"][0] = rng.choice([count, 2**32 - 1, 2**40])
    elif choice == "none":
        entry.pop("renumbering")
    elif choice == "missing":
        entry["missing"] = [rng.randrange(count)]
    else:
        entry["disconnected"] = [[0, 1]]


def other_index(case, index, folder, arguments):
    rng = case.rng
    choice = rng.choice(["drop", "repeat", "count", "of", "complete", "sample", "network", "moves", "path"])
    part, entries = entries_of(case, index, False)
    if choice == "drop":
        part["faults"].remove(rng.choice(entries))
    elif choice == "repeat":
        part["faults"].append(copy.deepcopy(rng.choice(entries)))
    elif choice == "count":
        index["count"] = rng.choice([0, 2, 3, 10**6])
    elif choice == "of":
        index["of"] = rng.choice([["links"], ["routers"], ["channels"], [], ["planets"]])
    elif choice == "complete":
        index["is_complete"] = False
    elif choice == "sample":
        index["is_sample"] = not index["is_sample"]
    elif choice == "network":
        index["network"] = rng.choice(["torus:8x8", "ring:5", "", "hypercube:30"])
    elif choice == "moves":
        part["root_moves"] = not part["root_moves"]
    else:
        rng.choice(entries)["schedule"] = rng.choice(["../s.json", "index.json", "none.json", "/dev/null", "", "."])


def smaller_network(case, index, folder, arguments):
    """The file of an entry is for a network with one more fault, on which it may well be optimal."""
    part, entries = entries_of(case, index)
    entry = case.rng.choice(entries)
    document = json.loads((folder / entry["schedule"]).read_text())
    tail, head = case.rng.choice(document["network"]["channels"])
    faults = [option for fault in [*entry["faults"], f"{tail}-{head}"] for option in ("--fault", numbered(fault))]
    budget = ["--evaluations", 50, "--seed", 1, "--threads", 1]
    case.run("solve", arguments[0], part["collective"].split("@")[0], *arguments[2:], *faults, *budget, "-o", folder / "forged.json")
    forged = json.loads((folder / "forged.json").read_text())
    forged["network"]["faults"] = case.rng.choice([forged["network"].get("faults", []), list(entry["faults"]), []])
    (folder / "forged.json").write_text(json.dumps(forged))
    entry["schedule"], entry["steps"] = "forged.json", len(forged["steps"])
    entry.pop("renumbering", None)


def numbered(fault):
    """A fault with router numbers instead of names."""
    mark = next((mark for mark in "-:" if mark in fault), None)
    return mark.join(f"r{end}" for end in fault.split(mark)) if mark else f"r{fault}"


def larger_network(case, index, folder, arguments):
    """The file of an entry is for another, often larger network."""
    part, entries = entries_of(case, index)
    budget = ["--evaluations", 1, "--seed", 1, "--threads", 1]
    case.run("solve", case.rng.choice(["ring:8", "mesh:3x3", "hypercube:3", "path:2", "ring:3"]), part["collective"].split("@")[0], *budget, "-o", folder / "large.json")
    if case.rng.random() < 0.2:
        part["no_fault"] = "large.json"
    else:
        case.rng.choice(entries)["schedule"] = "large.json"


def changed_file(case, index, folder, arguments):
    """A file of the folder is replaced by a mutant."""
    part, entries = entries_of(case, index)
    name = case.rng.choice([part["no_fault"], *(entry["schedule"] for entry in entries)])
    document = json.loads((folder / name).read_text())
    changed = MUTATORS[case.rng.choice(sorted(MUTATORS))](case.rng, document)
    (folder / name).write_bytes(changed if isinstance(changed, bytes) else json.dumps(changed).encode())


def changed_index(case, index, folder, arguments):
    change_anything(case.rng, index)


def index_text(case, index, folder, arguments):
    """A malformed index: lists instead of objects, a duplicate key, or a truncated text."""
    text = json.dumps(index)
    choice = case.rng.choice(["list", "twice", "cut", "entry"])
    if choice == "list":
        text = json.dumps(list(index.values()))
    elif choice == "twice":
        field, other = case.rng.choice([("count", 2), ("network", '"ring:9"'), ("steps", 9), ("schedule", '"none.json"'), ("is_complete", "false"), ("collectives", "[]")])
        text = text.replace(f'"{field}": ', f'"{field}": {other}, "{field}": ', 1)
    elif choice == "cut":
        text = text[: case.rng.randrange(len(text))]
    else:
        part, entries = entries_of(case, index)
        entry = case.rng.choice(entries)
        text = text.replace(json.dumps(entry), json.dumps(list(entry.values())), 1)
    return text


def deleted_file(case, index, folder, arguments):
    case.rng.choice(sorted(path for path in folder.iterdir() if path.name != "index.json")).unlink()


FORGERS = [swap_files, swap_entries, no_fault_file, other_numbers, other_index, smaller_network, larger_network, changed_file, changed_index, index_text, deleted_file]
FORGE = {function.__name__: function for function in FORGERS}
