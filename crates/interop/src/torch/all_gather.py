def all_gather_into_tensor(output_tensor, input_tensor, group=None):
    """Gathers the input tensors of all ranks into the output tensor of every rank."""
    run(output_tensor, input_tensor, group)


def all_gather(tensor_list, tensor, group=None):
    """Gathers the tensors of all ranks into a list on every rank."""
    gathered = tensor.new_empty(RANKS * tensor.numel())
    run(gathered, tensor, group)
    for target, part in zip(tensor_list, gathered.split(tensor.numel())):
        target.copy_(part.view_as(target))


