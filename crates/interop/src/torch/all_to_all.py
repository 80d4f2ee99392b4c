def all_to_all_single(output, input, group=None):
    """Sends part r of the input tensor to rank r; part s of the output tensor comes from rank s."""
    run(output, input, group)


