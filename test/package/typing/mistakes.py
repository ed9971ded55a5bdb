"""Programs in which a type checker must find an error in each marked line; test/torch/test_typing.py."""

import tssa

session = tssa.InferenceSession(5)  # error
session.run(None, [1.0])  # error
options = tssa.SessionOptions()
options.intra_op_num_thread = 2  # error
options.intra_op_num_threads = "2"  # error
options.add_input_shape("x", [1.5])  # error
session.io_binding().bind_ortvalue_input("x", 5)  # error
session.run_async(None, {}, lambda results, data: None, 5)  # error
tssa.OrtValue.ortvalue_from_numpy([1.0])  # error
tssa.SparseTensor  # error


@tssa.compile
def doubled(x: float) -> float:
    return x * 2


doubled("1")  # error
text: str = doubled(1.0)  # error
