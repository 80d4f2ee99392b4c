"""`pavane solve`, then `pavane verify` of its output and of mutants, compared with the checker."""

import re

from fuzzing import forgeries, problems, step_mutants  # noqa: F401 (two of them add mutators)
from fuzzing.mutants import mutants
from independent.network import Malformed, read_network
from independent.overlap import problems_of_whole, start_of, steps_of
from independent.rules import problems_of
from independent.schedule import is_for, read_document, read_schedule

MUTANTS, REFUTATIONS = 16, 6
# Words that tell the reader that a name comes from the file and was not checked.
CAVEAT = re.compile(r"not (been )?(checked|compared|verified)|unchecked|calls itself|names? in the file")


def schedule_case(case):
    solved = solve(case)
    if solved:
        net, document, optimal = solved
        verify_original(case, net, document, optimal)
        verify_mutants(case, net, document)


def solve(case, most_faults=2):
    """Solves a random problem. Returns the network, the document and whether it is called optimal; None if there is no schedule."""
    rng, folder = case.rng, case.folder
    net = problems.draw_network(rng, folder)
    fault_options, texts = problems.draw_faults(rng, net.network, most_faults)
    broken = net.network.without(texts)
    collective = problems.draw_collective(rng, net.network, broken, folder)
    rule_options, model = problems.draw_rules(rng, may_store=rng.random() < 0.1 or not broken.switches())
    output = rng.choice(["s.json", "s.json", "s.json.gz"])
    budget = ["--evaluations", rng.choice([1, 30, 300]), "--seed", rng.randrange(1000), "--threads", 1]
    prove = ["--prove"] if rng.random() < 0.1 else []
    answer = case.run("solve", net.argument, *collective.arguments, *fault_options, *rule_options, *budget, *prove, "-o", output, "--json")
    expected = problems.can_be_solved(broken, model, collective.phases)
    if answer.code is None or answer.code not in (0, 1, 2):
        return None
    if answer.code != 0:
        case.counts["unsolved"] += 1
        case.expect(expected is not True or answer.code == 1, "solve refuses a problem that has a schedule", answer.err)
        return None
    case.expect(expected is not False, "solve answers a problem that has no schedule", answer.out[:300])
    case.counts["solved"] += 1
    return check_solution(case, net, broken, model, collective, folder / output, case.parse(answer))


def check_solution(case, net, broken, model, collective, path, printed):
    """The file is valid and for the problem of the command line."""
    try:
        document = read_document(path)
        network, phases = read_schedule(document)
        start = start_of(document, phases)
    except Malformed as error:
        case.fail("solve writes a file that cannot be read", error)
        return None
    wrong = wrong_in(phases, start)
    case.expect(not wrong, "solve writes a schedule that is not valid", wrong[:3])
    is_right = is_for(document, net.network) and network.identity(True) == broken.identity(True)
    case.expect(is_right, "solve writes a file for another network", document["network"])
    case.expect({**document["model"]} == model, "solve writes other rules", (document["model"], model))
    if collective.phases is not None:
        asked = [sorted((m.origin, tuple(sorted(m.destinations))) for m in phase.problem.messages) for phase in phases]
        case.expect(asked == collective.phases, "solve writes another collective", (asked, collective.phases))
    steps = steps_of(phases, start)
    case.expect(printed and printed["steps"] == steps, "solve prints another number of steps than it writes", printed)
    optimal = bool(printed and printed["optimal"])
    case.expect(optimal == (document.get("status") == "optimal"), "solve prints another status than it writes", document.get("status"))
    for phase in phases:
        check_claim(case, "solve", phase, len(phase.steps), optimal, (phase.bound or {}).get("steps", 0))
    return net, document, optimal


def check_claim(case, command, phase, steps, optimal, bound):
    """No schedule may be shorter than an accepted bound or than a schedule that is called optimal."""
    if optimal:
        case.expect(steps >= case.least(phase.problem), "a schedule is shorter than a lower bound of the checker", phase.problem.messages)
        case.expect(not case.is_refuted(phase.problem, steps), f"{command} calls a schedule optimal, but there is a shorter one", phase.kind)
    elif bound:
        case.expect(not case.is_refuted(phase.problem, bound), f"{command} accepts a bound, but there is a shorter schedule", (phase.kind, bound))


def verify_original(case, net, document, optimal):
    name = "s.json" if (case.folder / "s.json").exists() else "s.json.gz"
    for options in ([], ["--network", net.argument]):
        verdict = case.parse(case.run("verify", name, "--json", *options, codes=(0,)))
        judged = verdict and (verdict.get("phases") or [verdict])
        case.expect(verdict and verdict["valid"], "verify refuses what solve wrote", verdict)
        case.expect(judged and all(part.get("optimal") for part in judged) >= optimal, "verify does not confirm that a schedule is optimal", verdict)


def wrong_in(phases, start):
    """What is wrong in the phases, and where they overlap."""
    wrong = [text for phase in phases for text in problems_of(phase)]
    return wrong if wrong or start is None else problems_of_whole(phases, start)


class Opinion:
    """The verdict of the checker on a mutant."""

    def __init__(self, path):
        self.phases, self.document, self.wrong = [], None, []
        try:
            self.document = read_document(path)
            _, self.phases = read_schedule(self.document)
            self.wrong = wrong_in(self.phases, start_of(self.document, self.phases))
            self.is_valid = not self.wrong
        except Malformed as error:
            self.is_valid, self.wrong = False, [f"malformed: {error}"]

    @property
    def has_false_bound(self):
        return self.is_valid and any(phase.bound and phase.bound["steps"] > len(phase.steps) for phase in self.phases)


def verify_mutants(case, net, document):
    made = mutants(case.rng, document, MUTANTS)
    names = [case.write(f"m{index}.json", content) for index, (_, content) in enumerate(made)]
    opinions = [Opinion(case.folder / name) for name in names]
    labels = [label for label, _ in made]
    case.counts["mutants"] += len(names)
    case.counts["valid mutants"] += sum(opinion.is_valid for opinion in opinions)
    for name, label, opinion, verdict in zip(names, labels, opinions, verify_all(case, names, labels)):
        compare(case, f"{name} ({label})", opinion, verdict)
    for name, label, opinion, verdict in zip(names, labels, opinions, verify_all(case, names, labels, "--network", net.argument)):
        compare_for_network(case, f"{name} ({label})", opinion, verdict, net)
    verify_refutations(case, made, opinions)
    renamed = [index for index, label in enumerate(labels) if "names" in label]
    chosen = case.rng.choice(renamed or range(len(names)))
    verify_in_words(case, names[chosen], labels[chosen], opinions[chosen])


def verify_all(case, names, labels, *options):
    """The verdicts of `pavane verify` on several files, from one run; from one run per file if that fails."""
    answer = case.run("verify", *names, "--json", *options)
    verdicts = case.parse(answer)
    if len(names) == 1 and isinstance(verdicts, dict):
        return [verdicts]
    if isinstance(verdicts, list) and len(verdicts) == len(names):
        return verdicts
    if answer.code in (0, 1, 2):
        case.fail("verify gives no verdict on some of several files", answer.out[-300:] + answer.err[-300:])
    singles = []
    for name, label in zip(names, labels):
        before = len(case.failures)
        singles.append(case.parse(case.run("verify", name, "--json", *options)))
        case.failures[before:] = [(what, f"{label}: {detail}") for what, detail in case.failures[before:]]
    return singles


def compare(case, what, opinion, verdict):
    """Without --network: both agree on validity, and no accepted claim is refuted."""
    accepted = bool(verdict and verdict.get("valid"))
    if accepted and not opinion.is_valid:
        case.fail("verify accepts a file that the checker refuses", f"{what}: {opinion.wrong[:2]}")
    elif opinion.is_valid and not accepted:
        case.fail("verify refuses a file that the checker accepts", f"{what}: {verdict}")
    elif accepted:
        judged = verdict.get("phases") or [verdict]
        case.expect(len(judged) == len(opinion.phases), "verify judges another number of phases", what)
        for phase, part in zip(opinion.phases, judged):
            before = len(case.failures)
            case.expect(part["steps"] == len(phase.steps), "verify counts other steps", what)
            check_claim(case, "verify", phase, part["steps"], part["optimal"], part["bound"])
            is_false = bool(phase.bound and phase.bound["steps"] > len(phase.steps))
            case.expect(not is_false or part["bound_error"], "verify accepts a bound above the schedule", what)
            case.failures[before:] = [(kind, f"{what}: {detail}") for kind, detail in case.failures[before:]]


def compare_for_network(case, what, opinion, verdict, net):
    """With --network: only files for exactly this network, with the faults that they list, are accepted."""
    accepted = bool(verdict and verdict.get("valid"))
    fits = opinion.is_valid and is_for(opinion.document, net.network)
    if fits is None:
        return  # The same network with other channel numbers: both answers are fine.
    if accepted and not opinion.is_valid:
        case.fail("verify --network accepts a file that the checker refuses", f"{what}: {opinion.wrong[:2]}")
    elif accepted and not fits:
        case.fail("verify --network accepts a file for another network", what)
    elif fits and not accepted:
        case.fail("verify --network refuses a file that the checker accepts", f"{what}: {verdict}")


def verify_refutations(case, made, opinions):
    """Turns mutants into refutation files (without steps), which claim that fewer steps than their bound are impossible."""
    chosen = [index for index, (_, content) in enumerate(made) if isinstance(content, dict) and content.get("bound") and not content.get("phases")][:REFUTATIONS]
    if not chosen:
        return
    names, problems_, labels = [], [], [made[index][0] for index in chosen]
    for index in chosen:
        claim = {**{key: value for key, value in made[index][1].items() if key != "steps"}, "format": "pavane/refutation/1"}
        names.append(case.write(f"q{index}.json", claim))
        try:
            problems_.append(read_schedule({**claim, "format": "pavane/schedule/1", "steps": []})[1][0].problem)
        except Malformed:
            problems_.append(None)
    for index, name, label, problem, verdict in zip(chosen, names, labels, problems_, verify_all(case, names, labels)):
        refuted, what = (verdict or {}).get("refuted"), f"{name} ({label}): {verdict}"
        if refuted is None:
            continue
        case.counts["refutations"] += 1
        if case.expect(problem is not None, "verify accepts a refutation that the checker cannot read", what):
            is_false = opinions[index].is_valid and len(opinions[index].phases[0].steps) <= refuted
            case.expect(not is_false and not case.is_refuted(problem, refuted + 1), "verify accepts a refutation, but there is a schedule", what)


def verify_in_words(case, name, label, opinion):
    """Exit code 0: the schedule is valid and its bound holds; 1: not; 2: malformed."""
    answer = case.run("verify", name)
    if answer.code == 0:
        case.expect(opinion.is_valid and not opinion.has_false_bound, "verify ends with exit code 0 for a file that is wrong", f"{name} ({label})")
        if opinion.is_valid:
            check_names(case, f"{name} ({label})", opinion, answer.out)
    elif answer.code is not None and opinion.is_valid and answer.code == 2:
        case.fail("verify ends with exit code 2 for a file that can be judged", f"{name} ({label}): {answer.err}")


def check_names(case, what, opinion, text):
    """The names in a file are claims. A name that is known to be false must not be printed as if it had been checked."""
    if CAVEAT.search(text):
        return
    name = opinion.document["network"].get("name", "")
    named = problems.named_network(name)
    if named is not None and is_for(opinion.document, named) is False:
        case.expect(f" on {name}:" not in text and f" on {name} without" not in text, "verify prints a name of the network that is false", f"{what}: {text}")
    processors = set(read_network(opinion.document["network"]).processors)
    pairs = {(m.origin, d) for phase in opinion.phases for m in phase.problem.messages for d in m.destinations}
    if opinion.document["collective"].get("name") == "aas" and (opinion.phases[0].kind != "scatter" or len(pairs) < len(processors) * (len(processors) - 1)):
        case.expect("\n  all-to-all on " not in text and "\n  aas on " not in text, "verify prints a name of the collective that is false", f"{what}: {text}")
