"""What the file-type model sees of a file: its first and last bytes."""

import os


def edge_tokens(path, config):
    """The model's input for one file, or None where a file has too little to say.

    The first `beg_size` bytes after leading white space and the last `end_size`
    before trailing white space, both out of blocks of `block_size`, filled up
    with `padding_token` after the first and before the last.
    """
    block, padding = config["block_size"], config["padding_token"]
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        first = file.read(block).lstrip()[: config["beg_size"]]
        file.seek(max(0, size - block))
        last = file.read(block).rstrip()[-config["end_size"] :]
    if size < config["min_file_size_for_dl"] or len(first) < config["min_file_size_for_dl"]:
        return None
    first_fill = [padding] * (config["beg_size"] - len(first))
    last_fill = [padding] * (config["end_size"] - len(last))
    return [*first, *first_fill, *last_fill, *last]
