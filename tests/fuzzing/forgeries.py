"""More mutants of schedule files: longer schedules that claim to be optimal, random certificates of every kind, and textual changes."""

import copy
import json

from fuzzing.mutants import bounded, mutator, parts


def lengthen(rng, document):
    """Splits steps, so that the schedule is longer but still valid."""
    ends, total = [], 0
    for phase in document.get("phases") or []:
        total += phase["steps"]
        ends.append((total, phase))
    for _ in range(rng.randint(1, 2)):
        wide = [index for index, step in enumerate(document["steps"]) if len(step) > 1]
        if not wide:
            return document
        place = rng.choice(wide)
        step = document["steps"][place]
        middle = rng.randrange(1, len(step))
        document["steps"][place : place + 1] = [step[:middle], step[middle:]]
        owner = next((phase for end, phase in ends if place < end), None)
        if owner:
            owner["steps"] += 1
            ends = [(end + (place < end), phase) for end, phase in ends]
    return document


def length_of(document, part):
    return part["steps"] if document.get("phases") else len(document["steps"])


@mutator
def longer_schedule(rng, document):
    return lengthen(rng, document)


@mutator
def longer_and_optimal(rng, document):
    """A longer schedule whose bound is raised to its length; the certificate stays the same."""
    lengthen(rng, document)
    part = bounded(rng, document)
    part["bound"]["steps"] = length_of(document, part)
    document["status"] = "optimal"
    return document


@mutator
def higher_bound(rng, document):
    part = bounded(rng, document)
    part["bound"]["steps"] = rng.choice([part["bound"]["steps"] + 1, length_of(document, part), 2**32, 2**64, 0])
    return document


@mutator
def no_certificate(rng, document):
    part = bounded(rng, document)
    choice = rng.choice(["certificate", "bound", "reason", "kind"])
    if choice == "bound":
        part.pop("bound")
    elif choice == "certificate":
        part["bound"].pop("certificate")
    elif choice == "reason":
        part["bound"]["reason"] = rng.choice(["cut", "growth", "exact", "because"])
    else:
        part["bound"]["certificate"]["kind"] = rng.choice(sorted(CERTIFICATES))
    return document


@mutator
def bent_certificate(rng, document):
    """Changes one number of the certificate."""
    certificate = bounded(rng, document)["bound"]["certificate"]
    spots = [(certificate, field) for field, value in certificate.items() if type(value) is int]
    spots += [(value, place) for value in certificate.values() if isinstance(value, list) for place, entry in enumerate(value) if type(entry) is int]
    holder, place = rng.choice(spots)
    holder[place] = rng.choice([0, 1, holder[place] + 1, holder[place] * 2, 2**31, 2**32, 2**53, 2**63, 2**64 - 1])
    return document


@mutator
def forged_certificate(rng, document):
    """A random certificate of a random kind, for a schedule that may be longer than necessary."""
    if rng.random() < 0.7:
        lengthen(rng, document)
    part = bounded(rng, document)
    name = rng.choice(sorted(CERTIFICATES))
    certificate = {"kind": name, **CERTIFICATES[name](rng, Sizes(document, part))}
    steps = length_of(document, part)
    part["bound"] = {"steps": rng.choice([steps, steps, steps - 1, steps + 1]), "reason": name, "certificate": certificate}
    return document


class Sizes:
    """The sizes of a problem, and random choices within them."""

    def __init__(self, document, part):
        network = document["network"]
        self.document, self.steps = document, length_of(document, part)
        self.routers, self.channels, self.processors = network["routers"], len(network["channels"]), len(network["processors"])
        self.messages = max(len(part.get("messages", [])), len(part.get("senders", [])) * len(part.get("receivers", [])), 1)

    def some(self, rng, count):
        return sorted(rng.sample(range(count), rng.randint(1, count))) if count else []

    def message(self, rng):
        return rng.randrange(self.messages + 1)

    def processor(self, rng):
        return rng.randrange(self.processors + 1) if rng.random() < 0.1 else rng.randrange(self.processors)


def nested_sets(rng, sizes):
    """A partition of the routers into sets, each within a later set or none."""
    owner = [rng.randrange(3) for _ in range(sizes.routers)]
    sets = [{"routers": [r for r in range(sizes.routers) if owner[r] == index]} for index in range(3)]
    for index, entry in enumerate(sets):
        if rng.random() < 0.6:
            entry["within"] = rng.randrange(index + 1, 4) if rng.random() < 0.9 else rng.randrange(3)
    return sets


def prices(rng, count):
    scale = rng.choice([1, 3, 10, 10**6, 2**31, 2**60, 2**63])
    return [rng.randint(0, 3) * scale for _ in range(count + rng.choice([0, 0, 0, 0, 1, -1]) if count else 0)]


CERTIFICATES = {
    "growth": lambda rng, s: {"message": s.message(rng)},
    "cut-growth": lambda rng, s: {"message": s.message(rng), "routers": s.some(rng, s.routers)},
    "nested-growth": lambda rng, s: {"message": s.message(rng), "sets": nested_sets(rng, s)},
    "joint-growth": lambda rng, s: {"routers": s.some(rng, s.routers)} if rng.random() < 0.7 else {},
    "send-growth": lambda rng, s: {"processor": s.processor(rng), "growth": rng.randint(0, s.steps + 1)},
    "neighbour-growth": lambda rng, s: {"message": s.message(rng)},
    "receive": lambda rng, s: {"processor": s.processor(rng)},
    "send": lambda rng, s: {"processor": s.processor(rng)},
    "distance": lambda rng, s: {},
    "port-distance": lambda rng, s: {},
    "late-entry": lambda rng, s: {"routers": s.some(rng, s.routers)} if rng.random() < 0.5 else {},
    "eccentricity": lambda rng, s: {"message": s.message(rng), "to": s.processor(rng)},
    "ball": lambda rng, s: {"processor": s.processor(rng), "radius": rng.randint(0, 3)},
    "send-ball": lambda rng, s: {"processor": s.processor(rng), "radius": rng.randint(0, 3)},
    "cut": lambda rng, s: {"routers": s.some(rng, s.routers)},
    "relay": lambda rng, s: {"router": rng.randrange(s.routers)},
    "cut-queue": lambda rng, s: {"routers": s.some(rng, s.routers)},
    "separator": lambda rng, s: {"routers": s.some(rng, s.routers)},
    "branches": lambda rng, s: {"message": s.message(rng)},
    "independent-set": lambda rng, s: {"processors": s.some(rng, s.processors)},
    "congestion": lambda rng, s: {"prices": prices(rng, s.channels)},
    "port-congestion": lambda rng, s: {"channels": prices(rng, s.channels), "sends": prices(rng, s.processors), "receives": prices(rng, s.processors)},
    "exact": lambda rng, s: {"steps": s.steps - 1, "proof": rng.choice(["s.lrat.gz", "none.lrat", "../s.lrat.gz", "/etc/passwd", ""]), "encoding": rng.choice([1, 2, 3, 0, 99])},
}


# The text.


@mutator
def double_key(rng, document):
    """Duplicates a key of an object, with the value of another object of the same kind."""
    holders = [(holder, key) for holder, key in places(document) if isinstance(holder, dict) and key in DOUBLED]
    field = rng.choice(sorted({key for _, key in holders}))
    holder = rng.choice([holder for holder, key in holders if key == field])
    other = rng.choice([holder[field] for holder, key in holders if key == field] + [0])
    mark = "duplicate key"
    holder[mark] = None
    text = json.dumps(document)
    return text.replace(f'"{mark}": null', f'"{field}": {json.dumps(other)}').encode()


DOUBLED = {"format", "network", "steps", "model", "collective", "name", "routers", "from", "to", "message", "path", "duplex", "ports", "routing", "processors", "kind", "senders", "bound"}


@mutator
def list_for_object(rng, document):
    """Replaces an object of the file by the list of its values."""
    holders = [(None, None)] + [(holder, key) for holder, key in places(document) if isinstance(holder[key], dict)]
    holder, key = rng.choice(holders)
    if holder is None:
        return json.dumps(list(document.values())).encode()
    holder[key] = list(holder[key].values())
    return document


@mutator
def other_text(rng, document):
    text = json.dumps(document)
    choice = rng.choice(["array", "fields", "cut", "tail", "nan", "deep", "latin", "empty", "bom", "gzip", "comment"])
    if choice == "array":
        return json.dumps([document]).encode()
    if choice == "fields":
        return json.dumps([document["format"], *[document[name] for name in ("network", "model", "collective", "steps")]]).encode()
    if choice == "cut":
        return text[: rng.randrange(len(text))].encode()
    if choice == "deep":
        return b"[" * 100_000
    if choice == "latin":
        return text.replace("name", "n\xe4me").encode("latin-1")
    if choice == "nan":
        return text.replace("0", rng.choice(["NaN", "1e400", "00", "0.0", "1e0"]), 1).encode()
    endings = {"tail": text + " {}", "empty": "", "bom": "\ufeff" + text, "gzip": "\x1f\u008b", "comment": "// a schedule\n" + text}
    return endings[choice].encode("latin-1" if choice == "gzip" else "utf-8")


def places(value, found=None):
    """Every (container, key) in a JSON value."""
    found = [] if found is None else found
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], (dict, list)):
            places(value[key], found)
    return found


def change_anything(rng, document):
    """Removes any value, or replaces it by another value of the document or an unusual one."""
    spots = places(document)
    holder, key = rng.choice(spots)
    choice = rng.random()
    if choice < 0.2:
        del holder[key]
    elif choice < 0.6:
        other_holder, other_key = rng.choice(spots)
        holder[key] = copy.deepcopy(other_holder[other_key])
    else:
        holder[key] = rng.choice([None, True, False, -1, 0, 1, 2, 1.5, 1e300, 2**31, 2**32, 2**63, 2**64, 10**30, "", "0", "all", [], {}, [[]], {"a": 1}])
    return document


mutator(change_anything)


@mutator
def change_any_two(rng, document):
    return change_anything(rng, change_anything(rng, document))


@mutator
def drop_part(rng, document):
    document.pop(rng.choice(sorted(document)))
    return document


@mutator
def unknown_field(rng, document):
    """Adds a field. Readers ignore fields that they do not know."""
    rng.choice([document, document["network"], document["model"], parts(document)[0]])["remark"] = rng.choice([1, "x", None, {"steps": 3}])
    return document


@mutator
def same_again(rng, document):
    return document
