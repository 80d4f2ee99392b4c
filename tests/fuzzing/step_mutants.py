"""Mutants of schedule files: changes of the steps and their transfers. See `fuzzing/mutants.py`."""

import copy

from fuzzing.mutants import mutator, transfers


@mutator
def drop_transfer(rng, document):
    step = rng.choice([step for step in document["steps"] if step])
    step.pop(rng.randrange(len(step)))
    return document


@mutator
def repeat_transfer(rng, document):
    rng.choice(document["steps"]).append(copy.deepcopy(rng.choice(transfers(document))))
    return document


@mutator
def move_transfer(rng, document):
    step = rng.choice([step for step in document["steps"] if step])
    transfer = step.pop(rng.randrange(len(step)))
    rng.choice(document["steps"]).append(transfer)
    return document


@mutator
def change_transfer(rng, document):
    transfer = rng.choice(transfers(document))
    field = rng.choice(["from", "to", "message"])
    other = rng.choice(transfers(document))[field]
    if field == "message":
        transfer[field] = rng.choice([list(other), [*transfer[field], 0], transfer[field][:-1], transfer[field][::-1]])
    else:
        transfer[field] = rng.choice([other, transfer[field] + 1, 2**32])
    return document


@mutator
def turn_transfer(rng, document):
    transfer = rng.choice(transfers(document))
    transfer["from"], transfer["to"] = transfer["to"], transfer["from"]
    if rng.random() < 0.5:
        transfer["path"].reverse()
    return document


@mutator
def change_path(rng, document):
    transfer = rng.choice(transfers(document))
    path, count = transfer["path"], len(document["network"]["channels"])
    choice = rng.choice(["drop", "add", "change", "other", "beyond", "reverse"])
    if choice == "drop":
        path.pop(rng.randrange(len(path)))
    elif choice == "add":
        path.insert(rng.randrange(len(path) + 1), rng.randrange(count))
    elif choice == "change":
        path[rng.randrange(len(path))] = rng.randrange(count)
    elif choice == "other":
        transfer["path"] = list(rng.choice(transfers(document))["path"])
    elif choice == "beyond":
        path.append(rng.choice([count, 2**32 - 1, 2**64]))
    else:
        path.reverse()
    return document


@mutator
def parallel_channel(rng, document):
    """Another channel between the same routers."""
    transfer, channels = rng.choice([t for t in transfers(document) if t["path"]]), document["network"]["channels"]
    place = rng.randrange(len(transfer["path"]))
    ends = channels[transfer["path"][place]]
    transfer["path"][place] = rng.choice([c for c, other in enumerate(channels) if other == ends])
    return document


@mutator
def change_steps(rng, document):
    steps = document["steps"]
    choice = rng.choice(["empty", "drop", "swap", "merge", "repeat", "reverse", "none"])
    place = rng.randrange(len(steps))
    if choice == "empty":
        steps.insert(rng.randrange(len(steps) + 1), [])
    elif choice == "drop":
        steps.pop(place)
    elif choice == "swap":
        other = rng.randrange(len(steps))
        steps[place], steps[other] = steps[other], steps[place]
    elif choice == "merge":
        steps[place] += steps.pop((place + 1) % len(steps))
    elif choice == "repeat":
        steps.append(copy.deepcopy(steps[place]))
    elif choice == "reverse":
        steps.reverse()
    else:
        document["steps"] = []
    return document


@mutator
def useless_transfer(rng, document):
    """Adds a transfer of any message over one channel."""
    network, example = document["network"], rng.choice(transfers(document))
    channel = rng.randrange(len(network["channels"]))
    tail, head = network["channels"][channel]
    living = [p for p, home in enumerate(network["processors"]) if home is not None]
    pairs = [(s, r) for s in living for r in living if s != r and network["processors"][s] == tail and network["processors"][r] == head]
    sender, receiver = rng.choice(pairs)
    rng.choice(document["steps"]).append({"message": example["message"], "from": sender, "to": receiver, "path": [channel]})
    return document
