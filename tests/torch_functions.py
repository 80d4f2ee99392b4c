"""Compares the functions of exported modules with those of torch.distributed, on four ranks.

    RANK=r WORLD_SIZE=4 MASTER_ADDR=… MASTER_PORT=… python3 tests/torch_functions.py FOLDER

FOLDER has the modules of all-gather, all-to-all, all-reduce, broadcast, reduce and reduce-scatter, named so. Rank 0 prints
"ok" if everything agrees; the exit code is 1 if a rank sees a difference.
"""

import importlib.util
import pathlib
import sys

import torch
import torch.distributed as dist


def load(name):
    path = pathlib.Path(sys.argv[1]) / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    dist.init_process_group("gloo")
    rank, ranks = dist.get_rank(), dist.get_world_size()
    numbers = [torch.randn(24, generator=torch.Generator().manual_seed(one)) for one in range(ranks)]
    own = numbers[rank]
    wrong = []

    def compare(what, got, wanted):
        if not torch.allclose(got, wanted):
            wrong.append(what)

    gathered = torch.empty(24 * ranks)
    load("all-gather").all_gather_into_tensor(gathered, own)
    compare("all_gather_into_tensor", gathered, torch.cat(numbers))
    listed = [torch.empty(4, 6) for _ in range(ranks)]
    load("all-gather").all_gather(listed, own.view(4, 6))
    compare("all_gather", torch.cat(listed).view(-1), torch.cat(numbers))
    exchanged = torch.empty(24)
    load("all-to-all").all_to_all_single(exchanged, own)
    compare("all_to_all_single", exchanged, torch.cat([one.view(ranks, -1)[rank] for one in numbers]))
    for op in (dist.ReduceOp.SUM, dist.ReduceOp.PRODUCT, dist.ReduceOp.MIN, dist.ReduceOp.MAX):
        ours, theirs = own.clone(), own.clone()
        load("all-reduce").all_reduce(ours, op)
        dist.all_reduce(theirs, op)
        compare(f"all_reduce {op}", ours, theirs)
    copy = own.clone().view(2, 12)
    load("broadcast").broadcast(copy, src=1)
    compare("broadcast", copy.view(-1), numbers[1])
    summed = own.clone()
    load("reduce").reduce(summed, dst=2)
    compare("reduce", summed, sum(numbers) if rank == 2 else own)
    part = torch.empty(24 // ranks)
    load("reduce-scatter").reduce_scatter_tensor(part, own)
    compare("reduce_scatter_tensor", part, sum(numbers).view(ranks, -1)[rank])
    for what, call in (
        ("a length that is no multiple", lambda: load("all-to-all").all_to_all_single(torch.empty(5), torch.empty(5))),
        ("another root", lambda: load("broadcast").broadcast(own, src=3)),
        ("a tensor that is not contiguous", lambda: load("all-gather").all_gather_into_tensor(gathered, own.view(4, 6).t())),
    ):
        try:
            call()
        except ValueError:
            continue
        wrong.append(what)
    if wrong:
        print(f"rank {rank}: wrong: {', '.join(wrong)}", flush=True)
    dist.barrier()
    if rank == 0 and not wrong:
        print("ok", flush=True)
    sys.exit(1 if wrong else 0)


main()
