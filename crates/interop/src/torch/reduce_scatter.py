def reduce_scatter_tensor(output, input, op=dist.ReduceOp.SUM, group=None):
    """Reduces the input tensors of all ranks; rank r gets part r of the result as its output tensor."""
    run(output, input, group, op)


