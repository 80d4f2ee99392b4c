def broadcast(tensor, src=@ROOT@, group=None):
    """Sends the tensor of rank @ROOT@ to all ranks."""
    if src != @ROOT@:
        raise ValueError(f"this schedule broadcasts from rank @ROOT@, not from rank {src}")
    run(tensor, tensor, group)


