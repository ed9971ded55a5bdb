"""The check of the model: this compiler's code with the tiles of a published kernel, against its published times."""

import dataclasses
import math
import os
import re

from predictions import emulate, facts, model, published, subjects

SIZE = 512  # for which the tiles are compiled and emulated; code of other sizes differs in the trips of its loop


def schedule_with(text, tile):
    """A schedule of a product with other tiles."""
    rows, columns, down, across, steps, depth = tile
    splits = iter([f"[*, {down}, {rows // down}]", f"[*, {across}, {columns // across}]", f"[*, 1, {steps}]"])
    text = re.sub(r"(layout\.split %0#\d) \[[^\]]*\]", lambda found: f"{found[1]} {next(splits)}", text)
    return re.sub(r"depth \d+", f"depth {depth}", text)


def compile_tiles(tools, folder):
    """[(tile, facts of its kernel at SIZE)]"""
    path = os.path.join(folder, "tiles.onnx")
    subjects.product(SIZE, SIZE, SIZE, "f16")(path)
    text, result = tools.text(path, "cuda:sm_80", "--emit=schedule"), []
    for tile in published.TILES:
        schedule, program = os.path.join(folder, "tile.mlir"), os.path.join(folder, "tile.so")
        with open(schedule, "w") as file:
            file.write(schedule_with(text, tile))
        tools.compile(path, "cuda-emu", program, f"--schedule={schedule}")
        counted = emulate.count(tools, program, folder)
        tools.compile(path, "cuda:sm_80", program, f"--schedule={schedule}")
        variant = tools.inspect(program)["variants"][0]
        launches, failed = facts.read_program(tools, path, program, variant, "cuda:sm_80", counted, [f"--schedule={schedule}"])
        if failed:
            raise RuntimeError(f"tile {tile}: {failed}")
        result.append((tile, launches[0].kernel))
    return result


def at_size(kernel, tile, size):
    """The facts of a tile's kernel for another size."""
    rows, columns, _, _, steps, _ = tile
    scale = math.ceil(size / steps) / (SIZE // steps)
    loops = [dataclasses.replace(loop, trips=loop.trips * scale) for loop in kernel.loops]
    return dataclasses.replace(kernel, blocks=math.ceil(size / rows) * math.ceil(size / columns), loops=loops,
                               bytes=3 * 2 * size ** 2)


def compare(tools, folder):
    """[(size, published microseconds, predicted ones of the best tile, that tile)]"""
    device, tiles, result = tools.device("sm_80"), compile_tiles(tools, folder), []
    for size, (_, teraflops) in published.TUTORIAL.items():
        best = min((model.predict(at_size(kernel, tile, size), device).total, tile) for tile, kernel in tiles)
        result.append((size, 2 * size ** 3 / teraflops / 1e6, *best))
    return result
