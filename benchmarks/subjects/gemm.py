"""Matrix products: few rows and many, of BERT's sizes, compiled for their rows and with the rows open."""

from onnx import helper

from compare.cases import Case
from subjects import single

ROWS = [*range(1, 17), 32, 128]
QUICK_ROWS = [1, 4, 12, 13, 128]
#: (K, N) of BERT-base
BERT = [(768, 768), (768, 3072), (3072, 768)]
#: (M, K, N) against the roof
LARGE = [(1024, 1024, 1024), (512, 512, 512), (128, 3072, 768)]


def sizes(quick):
    """(M, K, N) of all, each once."""
    rows = QUICK_ROWS if quick else ROWS
    return list(dict.fromkeys([*((m, k, n) for k, n in (BERT[:1] if quick else BERT) for m in rows), *LARGE]))


def cases(options, folder):
    node = helper.make_node("MatMul", ["x", "w"], ["y"])
    for m, k, n in sizes(options.quick):
        name = f"{m}x{k}x{n}"
        if options.names and name not in options.names:
            continue
        path = single.write(folder, name, node, (m, k), (k, n))
        forms = {"": path, "open": single.write(folder, name + ".open", node, (m, k), (k, n), {0: "M"}.items())}
        yield Case(name, f"K={k} N={n}", forms, *single.answer(path, (m, k)), single.program(path))
