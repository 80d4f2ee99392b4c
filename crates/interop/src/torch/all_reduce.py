def all_reduce(tensor, op=dist.ReduceOp.SUM, group=None):
    """Replaces the tensors of all ranks by their sum, product, minimum or maximum."""
    run(tensor, tensor.clone(), group, op)


