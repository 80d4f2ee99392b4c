"""@TITLE@, for torch.distributed, written by pavane.

Import the module and call its functions like those of torch.distributed. As a program it compares every byte with what
the collective must deliver, and measures:

    torchrun --nproc-per-node @RANKS@ FILE.py [--bytes 1M] [--backend nccl|gloo]

A schedule for @RANKS@ ranks: rank r of the group is processor r of the network (the r-th living one, if some are lost).
"""

import argparse
import functools
import os
import time

import torch
import torch.distributed as dist

RANKS = @RANKS@
STEPS = @STEPS@
# Equal chunks in the input, output and scratch buffers of every rank.
INPUTS = @INPUTS@
OUTPUTS = @OUTPUTS@
SCRATCH = @SCRATCH@
# A place is a buffer (i: input, o: output, s: scratch) and the number of a chunk in it.
# TRANSFERS: step, sender, receiver, place at the sender, place at the receiver, and what the receiver adds to it.
# COPIES: rank, and places of a copy within it.
# EXPECTED: rank, chunk of its output, and the chunks of inputs (rank, chunk) whose sum it must be.
# @TABLES@
REDUCTIONS = [
    (dist.ReduceOp.SUM, torch.add),
    (dist.ReduceOp.PRODUCT, torch.mul),
    (dist.ReduceOp.MIN, torch.minimum),
    (dist.ReduceOp.MAX, torch.maximum),
]


@functools.lru_cache(maxsize=None)
def plan(rank):
    """The transfers of a rank: for every step, lists of (number in the step, peer, source, landing, addend)."""
    steps = [[] for _ in range(STEPS)]
    numbers = [0] * STEPS
    for step, sender, receiver, source, landing, addend in TRANSFERS:
        number = numbers[step]
        numbers[step] += 1
        if rank == sender:
            steps[step].append((number, receiver, source, None, None))
        elif rank == receiver:
            steps[step].append((number, sender, None, landing, addend))
    return [step for step in steps if step]


def chunk_length_of(rank, output, input):
    """The number of elements of a chunk, from the lengths of the buffers."""
    lengths = set()
    for name, tensor, count in (("input", input, INPUTS[rank]), ("output", output, OUTPUTS[rank])):
        if not tensor.is_contiguous():
            raise ValueError(f"the {name} tensor of rank {rank} is not contiguous; pass tensor.contiguous()")
        if count:
            if tensor.numel() == 0 or tensor.numel() % count:
                raise ValueError(
                    f"the {name} tensor of rank {rank} has {tensor.numel()} elements; a multiple of {count} is needed"
                )
            lengths.add(tensor.numel() // count)
    if len(lengths) > 1:
        raise ValueError(f"the input and output tensors of rank {rank} do not fit together: chunks of {sorted(lengths)}")
    return lengths.pop() if lengths else None


def run(output, input, group=None, op=dist.ReduceOp.SUM, chunk_length=None):
    """Carries the schedule out. Rank r has INPUTS[r] chunks in its input tensor and OUTPUTS[r] in its output tensor. A
    rank that only passes chunks on gives empty tensors and the number of elements of a chunk."""
    if dist.get_world_size(group) != RANKS:
        raise ValueError(f"this schedule is for {RANKS} ranks, but the group has {dist.get_world_size(group)}")
    combine = next((function for known, function in REDUCTIONS if op == known), None)
    if combine is None:
        raise ValueError(f"{op}: use SUM, PRODUCT, MIN or MAX")
    rank = dist.get_rank(group)
    length = chunk_length_of(rank, output, input) or chunk_length
    if length is None:
        raise ValueError(f"rank {rank} only passes chunks on; give it chunk_length")
    buffers = {"i": input.view(-1), "o": output.view(-1), "s": input.new_empty(SCRATCH[rank] * length)}

    def at(place):
        return buffers[place[0]][place[1] * length : (place[1] + 1) * length]

    def global_rank(peer):
        return peer if group is None else dist.get_global_rank(group, peer)

    for owner, source, target in COPIES:
        if owner == rank and at(source).data_ptr() != at(target).data_ptr():
            at(target).copy_(at(source))
    for step in plan(rank):
        calls, sums = [], []
        for number, peer, source, landing, addend in step:
            if source is not None:
                calls.append(dist.P2POp(dist.isend, at(source), global_rank(peer), group, number))
                continue
            part = at(landing)
            if addend is not None:
                part = torch.empty_like(part)
                sums.append((landing, addend, part))
            calls.append(dist.P2POp(dist.irecv, part, global_rank(peer), group, number))
        for work in dist.batch_isend_irecv(calls):
            work.wait()
        for landing, addend, part in sums:
            combine(at(addend), part, out=at(landing))


# @FUNCTIONS@
def pattern(rank, chunk, length, device):
    """What the check puts into a chunk of an input: 32-bit integers that depend on rank, chunk and position."""
    position = torch.arange(length, dtype=torch.int64, device=device)
    mixed = (position * 2654435761 + rank * 40503 + chunk * 2246822519 + 374761393) % (1 << 31)
    return (mixed ^ (mixed >> 13)).to(torch.int32)


def wrong_bytes(rank, output, length):
    """The number of bytes of an output that differ from what they must be, and the number of bytes compared."""
    wrong = torch.zeros(1, dtype=torch.int64, device=output.device)
    compared = 0
    for owner, chunk, parts in EXPECTED:
        if owner == rank:
            must = sum(pattern(*part, length, output.device) for part in parts)
            got = output[chunk * length : (chunk + 1) * length]
            wrong += (got.view(torch.uint8) != must.to(torch.int32).view(torch.uint8)).sum()
            compared += 4 * length
    return wrong, compared


def size(text):
    """A size as in nccl-tests: 4096, 64K, 1M, 1G."""
    factor = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper(), 1)
    number = int(text[:-1] if factor > 1 else text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a positive size")
    return number * factor


def main():
    parser = argparse.ArgumentParser(description="@TITLE@: checks every byte, and measures.")
    parser.add_argument("--bytes", type=size, default=1 << 20, help="size of the largest buffer, such as 64K or 1G")
    parser.add_argument("--backend", default="nccl" if torch.cuda.is_available() else "gloo", help="nccl or gloo")
    parser.add_argument("--iterations", type=int, default=20, help="runs that are measured")
    options = parser.parse_args()
    local = int(os.environ.get("LOCAL_RANK", 0))
    device, is_shared = torch.device("cpu"), False
    if options.backend == "nccl":
        is_shared = int(os.environ.get("LOCAL_WORLD_SIZE", 1)) > torch.cuda.device_count()
        if is_shared:
            # NCCL refuses two ranks of one host on one GPU, so every rank claims to be a host of its own.
            os.environ.setdefault("NCCL_HOSTID", f"rank{os.environ.get('RANK', 0)}")
            os.environ.setdefault("NCCL_SOCKET_IFNAME", "lo")
        device = torch.device("cuda", local % torch.cuda.device_count())
        torch.cuda.set_device(device)
    dist.init_process_group(options.backend, **({"device_id": device} if device.type == "cuda" else {}))
    rank = dist.get_rank()
    if dist.get_world_size() != RANKS:
        raise SystemExit(f"this schedule is for {RANKS} ranks, but {dist.get_world_size()} were started")
    units = max(INPUTS + OUTPUTS)
    length = max(1, options.bytes // (4 * units))

    chunks = [pattern(rank, chunk, length, device) for chunk in range(INPUTS[rank])]
    empty = torch.empty(0, dtype=torch.int32, device=device)
    source = torch.cat(chunks) if chunks else empty
    target = torch.zeros(OUTPUTS[rank] * length, dtype=torch.int32, device=device)
    run(target, source, chunk_length=length)
    wrong, compared = wrong_bytes(rank, target, length)
    totals = torch.cat([wrong, torch.tensor([compared], device=device)])
    dist.all_reduce(totals)

    def now():
        if device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter()

    dist.barrier()
    start = now()
    for _ in range(options.iterations):
        run(target, source, chunk_length=length)
    seconds = torch.tensor([(now() - start) / max(1, options.iterations)], dtype=torch.float64, device=device)
    dist.all_reduce(seconds, op=dist.ReduceOp.MAX)
    if rank == 0:
        wrong, compared = totals.tolist()
        size_in_bytes, bus = 4 * units * length, @BUS@
        bandwidth = size_in_bytes / max(seconds.item(), 1e-9) / 1e9
        text = f"{'FAILED' if wrong else 'ok'}: {RANKS} ranks, {STEPS} steps, {size_in_bytes} bytes; "
        text += f"{compared} bytes compared, {wrong} wrong; {1e6 * seconds.item():.1f} us, {bandwidth:.3f} GB/s"
        text += "" if bus is None else f", bus bandwidth {bus * bandwidth:.3f} GB/s"
        print(text + (" (ranks share a GPU: this shows correctness, not bandwidth)" if is_shared else ""), flush=True)
    is_wrong = bool(totals[0].item())
    dist.destroy_process_group()
    raise SystemExit(1 if is_wrong else 0)


if __name__ == "__main__":
    main()
