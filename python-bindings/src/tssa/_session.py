# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Compiled models, with an interface like ONNX Runtime's."""

import os
from collections import namedtuple

from . import _runtime
from ._elements import from_storage, get_element
from ._errors import Error, InvalidArgument, NoSuchFile, NotImplemented as Unavailable
from ._inputs import to_arguments
from ._labels import read_labels
from ._modelmeta import Forms, read_model_or_reason
from ._outputs import list_outputs
from ._shapes import list_shape_options
from ._targets import Targets
from ._tool import load

NodeArg = namedtuple("NodeArg", "name type shape")
"""An input or output. type: such as "f32", in an InferenceSession "tensor(float)". shape: sizes; for those that may have
any value None, in an InferenceSession their names where they have one."""

_PRECISIONS = ("f32", "f16", "bf16", "tf32", "fast")


class Session:
    """A model: an artifact (.so), or an ONNX model that is compiled now.

    Random numbers differ from run to run. Sessions with the same `seed` draw the same numbers, run by run. Without a
    seed, each session draws its own. The numbers of a node that has a seed in the model depend on that seed only.

    A damaged artifact is a tssa.Error. `verify=False` leaves out the check of its weights, and only that: loading then
    reads no weights, and damaged ones give wrong results.

    tuned: a folder of records, as --tuned of tssa-compile. An ONNX model that is compiled now gets their loops. An
    artifact is compiled already and needs none.

    precision: what the factors of matrix products and convolutions are rounded to, as --precision of tssa-compile: "f16",
    "bf16" or "tf32". "f32" leaves them as they are in the model, and "fast" is "bf16" where this machine multiplies those
    faster, else "f32".

    input_shapes: for an ONNX model, the shapes of inputs by name, such as {"x": ["N", 3, None]}: sizes, names of dims that
    have one size in a run, and None for any size. An input without a shape needs one; that of a sequence begins with the
    number of its parts.
    """

    _labels = None  # of the outputs of the program, by name, once they are read
    _profile = None  # an InferenceSession may have one, and _run_timed()
    _forms = Forms({}, {})  # an artifact does not say, so it has the tensors that sequences and optionals become

    def __init__(self, path, target="cpu", device="auto", threads=0, seed=None, verify=True, tuned=None,
                 input_shapes=None, precision="f32"):
        if not isinstance(verify, bool):
            raise TypeError(f"verify is True or False, got {verify!r}")
        path = os.fspath(path)
        if not os.path.exists(path):
            raise NoSuchFile(f"there is no model '{path}'")
        options = list_shape_options({} if input_shapes is None else input_shapes)
        if precision not in _PRECISIONS:
            raise ValueError(f"precision is f32, f16, bf16, tf32 or fast, got {precision!r}")
        if precision != "f32":
            options = [*options, f"--precision={precision}"]
        if path.endswith(".onnx"):
            self._program = load(path, target, device, threads, seed, verify, name=path, tuned=tuned, options=options)
            _, self._forms = read_model_or_reason(path)
        elif options:
            raise Unavailable("an artifact is compiled already: give the ONNX model to fix its dims, inputs and precision")
        else:
            self._program = _runtime.Program(path, device, threads, seed, verify)

    def _describe(self, ports):
        return [NodeArg(name, get_element(code, bits).name, [None if size < 0 else size for size in dims])
                for name, code, bits, dims, _, _, _ in ports]

    _string_type, _key_types = "string", {"string": "string", "int64": "i64"}

    def _get_program(self):
        if self._program is None:
            raise Error("the session is closed")
        return self._program

    def close(self):
        """Releases code, weights and memory. Arrays that were results stay valid."""
        self._program = None

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def get_inputs(self):
        """The inputs. A sequence has a type such as "seq(f32)" and no shape; run() takes it as a list of arrays, which have
        one shape. An optional has a type such as "optional(f32)" and the shape of its element; run() takes an array or None."""
        return [_to_form(arg, self._forms.inputs.get(arg.name)) for arg in self._describe(self._get_program().inputs)]

    def get_outputs(self):
        """The outputs, as get_inputs() has them. run() returns a sequence as a list of arrays, and an optional as an array or
        None. Strings have the type "string", and run() returns them as an array of dtype object with elements str. Maps have
        a type such as "seq(map(string,f32))" and no shape, and run() returns them as a list of dicts."""
        args = self._describe(self._get_program().outputs)
        return [self._to_output(args[output.positions[0]]._replace(name=output.name), output)
                for output in self._list_outputs()]

    def _to_output(self, arg, output):
        """Returns the description `arg` of the tensor that an output becomes as that of the output."""
        if output.labels is None:
            return _to_form(arg, self._forms.outputs.get(output.name))
        if output.form == "strings":
            return arg._replace(type=self._string_type)
        return NodeArg(arg.name, f"seq(map({self._key_types[output.labels.get_key_type()]},{arg.type}))", [])

    def run(self, output_names, inputs):
        """Runs the model. Returns the named outputs as numpy arrays; all outputs if `output_names` is None."""
        return self._run(output_names, inputs)

    def _run(self, output_names, inputs, memory=None, **options):
        """memory: arrays by the names of outputs, to which these are written. They are returned then."""
        program = self._get_program()
        self._check_names(inputs)
        wanted = self._find_outputs(output_names)
        call = program.run if self._profile is None else self._run_timed
        arguments = to_arguments(inputs, program.inputs, self._forms.inputs)
        if not memory:
            results = call(arguments, as_numpy=True, **options)
        else:
            targets = Targets(memory, wanted, program.outputs, arguments)
            results = call(arguments, as_numpy=True, targets=targets.arrays, **options)
            targets.finish(results)
        return [output.take(lambda i: from_storage(results[i], get_element(*program.outputs[i][1:3])))
                for output in wanted]

    def _check_names(self, inputs):
        if not hasattr(inputs, "keys"):
            raise TypeError(f"the inputs are a dict from names to arrays, got {type(inputs).__name__}")
        names = [port[0] for port in self._get_program().inputs]
        if set(inputs) != set(names):
            raise InvalidArgument(f"expected the inputs {names}, got {sorted(inputs)}", code=1)

    def _list_outputs(self):
        program = self._get_program()
        if self._labels is None:
            self._labels = read_labels(program)
        return list_outputs([port[0] for port in program.outputs], self._forms.outputs, self._labels)

    def _find_outputs(self, output_names):
        outputs = self._list_outputs()
        names = [output.name for output in outputs]
        for name in output_names or ():
            if name not in names:
                raise InvalidArgument(f"the model has no output '{name}', only {names}", code=1)
        return [outputs[names.index(name)] for name in output_names or names]


def _to_form(arg, form):
    """Returns the description of the tensor that a sequence or optional becomes as that of the sequence or optional."""
    if form is None:
        return arg
    if form == "sequence":
        return NodeArg(arg.name, f"seq({arg.type})", [])
    return NodeArg(arg.name, f"optional({arg.type})", arg.shape[1:])
