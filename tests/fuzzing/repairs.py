"""`pavane repair`, compared with the checker: the schedule is valid on the broken network, and as many transfers are kept as printed."""

from fuzzing import problems
from fuzzing.schedules import check_claim, solve
from independent.folder import left_of, messages_of
from independent.network import Malformed
from independent.rules import problems_of
from independent.schedule import is_for, read_document, read_schedule


def repair_case(case):
    solved = solve(case, most_faults=case.rng.choice([0, 0, 1]))
    if not solved:
        return
    net, document, _ = solved
    network, phases = read_schedule(document)
    options, texts = problems.draw_faults(case.rng, network)
    if not texts:
        return
    name = "s.json" if (case.folder / "s.json").exists() else "s.json.gz"
    more = case.rng.choice([[], [], ["--keep", 0], ["--keep-steps"]])
    budget = ["--evaluations", case.rng.choice([1, 50, 300]), "--seed", case.rng.randrange(100), "--threads", 1]
    answer = case.run("repair", name, *options, *more, *budget, "-o", "r.json", "--json")
    broken = network.without(texts)
    left = [left_of(messages_of(phase), broken, False) for phase in phases]
    is_possible = all(left) and is_reachable(broken, phases, left)
    if answer.code == 0:
        case.counts["repaired"] += 1
        case.expect(is_possible, "repair answers a problem that has no schedule", left)
        check_repair(case, net, document, phases, texts, left, case.parse(answer))
    elif answer.code == 2 or answer.code == 3 and more != ["--keep-steps"]:
        has_ports = problems.all_have_ports(broken, document["model"])
        case.expect(not (is_possible and has_ports), "repair refuses a problem that has a schedule", answer.err)


def is_reachable(broken, phases, left):
    """Whether every message can be delivered. Messages of a gather or reduce go the other way, from destination to origin."""
    for phase, messages in zip(phases, left):
        network = broken.reversed() if phase.kind in ("gather", "reduce") else broken
        if any(network.between(origin, other) is None for origin, others in messages for other in others):
            return False
    return True


def check_repair(case, net, before, phases_before, faults, left, printed):
    try:
        document = read_document(case.folder / "r.json")
        network, phases = read_schedule(document)
    except Malformed as error:
        case.fail("repair writes a file that cannot be read", error)
        return
    wrong = [text for phase in phases for text in problems_of(phase)]
    case.expect(not wrong, "repair writes a schedule that is not valid", wrong[:3])
    healthy = read_schedule(before)[0]
    case.expect(network.identity(True) == healthy.without(faults).identity(True), "repair writes a schedule for another network", faults)
    case.expect(is_for(document, net.network), "repair names other faults than the network has", document["network"].get("faults"))
    case.expect([messages_of(phase) for phase in phases] == left, "repair writes another collective", left)
    steps = sum(len(phase.steps) for phase in phases)
    case.expect(printed["steps"] == steps, "repair prints another number of steps than it writes", printed["steps"])
    for phase in phases:
        check_claim(case, "repair", phase, len(phase.steps), "optimal" in printed["status"] and "from" not in printed["status"], (phase.bound or {}).get("steps", 0))
    verdict = case.parse(case.run("verify", "r.json", "--json", "--network", net.argument, codes=(0,)))
    case.expect(verdict and verdict["valid"], "verify refuses what repair wrote", verdict)
    check_kept(case, before, document, phases_before, phases, healthy.surviving(*healthy.named_parts(faults)), printed["transfers"])


def check_kept(case, before, after, phases_before, phases, surviving, printed):
    """Kept transfers have the same message, sender, receiver, path and step, counted from the first or from the last step."""
    if any(len(old.problem.messages) != len(new.problem.messages) and old.kind == "messages" for old, new in zip(phases_before, phases)):
        return  # The messages of a list have been renumbered.
    number = {old: new for new, old in enumerate(surviving)}
    total_before, total_after, kept = 0, 0, 0
    for old, new in zip(split(before, phases_before), split(after, phases)):
        old, new = [[name(entry, number) for entry in step] for step in old], [[name(entry) for entry in step] for step in new]
        total_before, total_after = total_before + sum(map(len, old)), total_after + sum(map(len, new))
        forward = sum(entry in then for step, then in zip(old, new) for entry in step)
        backward = sum(entry in then for step, then in zip(old[::-1], new[::-1]) for entry in step)
        kept += max(forward, backward)
    case.expect(printed["before"] == total_before, "repair miscounts the transfers before", (printed, total_before))
    case.expect(printed["kept"] == kept, "repair miscounts the transfers that are kept", (printed, kept))
    stay = printed["kept"] + printed["moved"] + printed["rerouted"]
    case.expect(stay + printed["dropped"] == total_before, "the transfers before do not add up", (printed, total_before))
    case.expect(stay + printed["new"] == total_after, "the transfers after do not add up", (printed, total_after))


def split(document, phases):
    steps, parts = list(document["steps"]), []
    for phase in phases:
        parts.append(steps[: len(phase.steps)])
        del steps[: len(phase.steps)]
    return parts


def name(entry, number=None):
    path = entry["path"] if number is None else [number.get(channel) for channel in entry["path"]]
    return tuple(entry["message"]), entry["from"], entry["to"], tuple(path)
