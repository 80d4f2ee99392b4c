"""The rules of a valid schedule. Each rule takes a problem and the steps of a schedule and yields a text for every violation."""

from collections import Counter, defaultdict


def path_rule(problem, steps):
    homes, channels = problem.network.homes, problem.network.channels
    for step, transfer in every_transfer(steps):
        visited = [homes[transfer.sender]]
        for channel in transfer.path:
            tail, head = channels[channel]
            if tail != visited[-1]:
                yield f"path: step {step}: channel {channel} does not start where the path of {transfer} has arrived"
            visited.append(head)
        if visited[-1] != homes[transfer.receiver] or transfer.sender == transfer.receiver:
            yield f"path: step {step}: {transfer} does not end at its receiver"
        if len(set(visited)) < len(visited):
            yield f"path: step {step}: {transfer} visits a router twice"


def channel_rule(problem, steps):
    for index, step in enumerate(steps):
        uses = Counter()
        for transfer in step:
            for channel in transfer.path:
                partner = problem.network.partner.get(channel, channel)
                uses[min(channel, partner) if problem.model.half else channel] += 1
        yield from (f"V1: step {index}: channel {channel} is used {count} times" for channel, count in uses.items() if count > 1)


def port_rule(problem, steps):
    for index, step in enumerate(steps):
        sends, receives = Counter(t.sender for t in step), Counter(t.receiver for t in step)
        for processor in sends | receives:
            out_ports, in_ports = ports_of(problem, processor)
            if sends[processor] > out_ports or receives[processor] > in_ports:
                yield f"V2: step {index}: processor {processor} sends {sends[processor]} and receives {receives[processor]}"


def ports_of(problem, processor):
    """How many transfers a processor can send and receive in one step."""
    home = problem.network.homes[processor]
    if problem.model.ports is not None:
        return problem.model.ports, problem.model.ports
    return len(problem.network.outgoing[home]), len(problem.network.incoming[home])


def holding_rule(problem, steps):
    holders = [{message.origin} for message in problem.messages]
    for index, step in enumerate(steps):
        for transfer in step:
            if transfer.sender not in holders[transfer.message]:
                yield f"V3: step {index}: {transfer.sender} does not hold the message of {transfer}"
        for transfer in step:
            holders[transfer.message].add(transfer.receiver)
    if not problem.model.sf:
        for step, transfer in every_transfer(steps):
            message = problem.messages[transfer.message]
            if len(message.destinations) == 1 and (transfer.sender != message.origin or transfer.receiver not in message.destinations):
                yield f"V3: step {step}: {transfer} does not go straight to the destination"


def length_rule(problem, steps):
    """The lengths of single paths and, under store-and-forward, of all hops of a message for one destination together."""
    network, model = problem.network, problem.model
    journeys = defaultdict(list)
    for step, transfer in every_transfer(steps):
        journeys[transfer.message].append(transfer)
        shortest = network.between(transfer.sender, transfer.receiver)
        if model.routing is not None and shortest is not None and len(transfer.path) > shortest + model.routing:
            yield f"V4: step {step}: {transfer} is longer than the routing allows"
    for index, hops in journeys.items() if model.sf else ():
        message = problem.messages[index]
        if len(message.destinations) > 1:
            continue
        channels = [channel for hop in hops for channel in hop.path]
        visited = [network.homes[message.origin]] + [network.channels[channel][1] for channel in channels]
        shortest = network.between(message.origin, *message.destinations)
        if len(set(visited)) < len(visited) or model.routing is not None and shortest is not None and len(channels) > shortest + model.routing:
            yield f"V4: the hops of message {list(message.key)} together are not a path that the routing allows"


def switching_rule(problem, steps):
    for step, transfer in every_transfer(steps):
        if problem.model.sf and len(transfer.path) > 1:
            yield f"V5: step {step}: {transfer} has more than one channel"


def delivery_rule(problem, steps):
    received = Counter((t.message, t.receiver) for _, t in every_transfer(steps))
    sent = Counter((t.message, t.sender) for _, t in every_transfer(steps))
    for index, message in enumerate(problem.messages):
        for processor in message.destinations:
            if not received[index, processor]:
                yield f"V6: {processor} never receives message {list(message.key)}"
    for (index, processor), count in received.items():
        message = problem.messages[index]
        if count > 1 or processor == message.origin:
            yield f"V6: {processor} receives message {list(message.key)} twice"
        if processor not in message.destinations and not sent[index, processor]:
            yield f"V6: {processor} neither wants message {list(message.key)} nor passes it on"
    for (index, processor), count in sent.items():
        if len(problem.messages[index].destinations) == 1 and count > 1:
            yield f"V6: message {list(problem.messages[index].key)} for one destination branches"


def round_rule(phase):
    """In a k-synchronous schedule nobody sends on what has come in the same synchronous step."""
    group_of = [group for group, count in enumerate(phase.rounds) for _ in range(count)]
    first = {}
    if phase.rounds:
        for step, transfer in every_transfer(phase.steps):
            first.setdefault((transfer.message, transfer.receiver), group_of[step])
        for step, transfer in every_transfer(phase.steps):
            is_origin = transfer.sender == phase.problem.messages[transfer.message].origin
            if not is_origin and first.get((transfer.message, transfer.sender)) == group_of[step]:
                yield f"V7: step {step}: {transfer.sender} has received the message of {transfer} in the same synchronous step"


def every_transfer(steps):
    return [(index, transfer) for index, step in enumerate(steps) for transfer in step]


RULES = [path_rule, channel_rule, port_rule, holding_rule, length_rule, switching_rule, delivery_rule]


def problems_of(phase):
    """All violations in a phase."""
    found = [text for rule in RULES for text in rule(phase.problem, phase.steps)]
    return found + list(round_rule(phase))
