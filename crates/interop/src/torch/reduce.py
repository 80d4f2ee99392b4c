def reduce(tensor, dst=@ROOT@, op=dist.ReduceOp.SUM, group=None):
    """Replaces the tensor of rank @ROOT@ by the sum, product, minimum or maximum over all ranks."""
    if dst != @ROOT@:
        raise ValueError(f"this schedule reduces to rank @ROOT@, not to rank {dst}")
    is_root = dist.get_rank(group) == dst
    run(tensor if is_root else tensor[:0], tensor.clone(), group, op)


