# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""InferenceSession: a model with ONNX Runtime's names, types and options."""

import contextlib
import logging
import os

from . import _runtime
from ._config_entries import warn_once
from ._elements import get_element
from ._errors import Error, InvalidProtobuf, NoSuchFile, NotImplemented as Unavailable
from ._folders import make_folder
from ._iobinding import BoundRuns, unwrap
from ._modelmeta import read_model_or_reason
from ._profile import Profile
from ._session import NodeArg, Session
from ._session_options import SessionOptions
from ._tool import load, open_artifact

_log = logging.getLogger("tssa")
_CPU = "CPUExecutionProvider"
#: Of ONNX Runtime's severities: verbose, info, warning, error, fatal.
_LEVELS = [logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL]
_severity = 2
_seed = None


def set_default_logger_severity(severity):
    """Sets the severity from which sessions log, where their options say nothing: 0 verbose to 4 fatal."""
    global _severity  # pylint: disable=global-statement
    if severity not in range(5):
        raise ValueError(f"a severity is 0 (verbose), 1, 2, 3 or 4 (fatal), got {severity}")
    _severity = severity


def set_default_logger_verbosity(verbosity):
    """Messages differ by severity only: set_default_logger_severity."""


def set_seed(seed):
    """Sets the seed of sessions that are made from now on and get none of their own."""
    global _seed  # pylint: disable=global-statement
    _seed = int(seed)


def get_available_providers():
    return [_CPU]


def get_all_providers():
    return [_CPU]


def get_device():
    """The kind of device that sessions run on by default, in ONNX Runtime's words."""
    return "CPU"


class InferenceSession(BoundRuns, Session):
    """A model as ONNX Runtime's InferenceSession.

    path_or_bytes: the path of an ONNX model or of an artifact, the bytes of either, or an onnx.ModelProto. Bytes and protos
    have no external weights. What is compiled is kept in the cache (README), so that the next session of the model loads it.
    providers: names, or pairs of a name and a dict. Only "CPUExecutionProvider" is there, and runs the model in place
    of others, of which a warning tells once.
    Further options are those of Session: target, device, seed, verify, tuned. disabled_optimizers, enable_fallback and
    read_config_from_model of ONNX Runtime are accepted, and have no part in the results.
    """

    def __init__(self, path_or_bytes, sess_options=None, providers=None, provider_options=None, *, target="cpu",
                 device="auto", seed=None, verify=True, tuned=None, disabled_optimizers=None, enable_fallback=1,
                 read_config_from_model=0, **refused):
        # pylint: disable=super-init-not-called,unused-argument
        if refused:
            raise TypeError(f"InferenceSession has no option '{next(iter(refused))}'")
        self._options = sess_options if sess_options is not None else SessionOptions()
        if not isinstance(self._options, SessionOptions):
            raise TypeError(f"sess_options is a tssa.SessionOptions, got {type(sess_options).__name__}")
        self._options.check()
        _check_providers(providers, provider_options)
        self._arguments = {"target": target, "device": device, "seed": _seed if seed is None else seed,
                           "verify": verify, "tuned": tuned}
        self._model = _to_path_or_bytes(path_or_bytes)
        self._start()

    def _start(self):
        """Loads the program, and begins the profile if there is one."""
        self._profile = Profile(self._options.profile_file_prefix) if self._options.enable_profiling else None
        self._profiling_start = self._profile.start_ns if self._profile else 0
        self._meta = None
        self._program = self._load(**self._arguments)
        if self._profile:
            self._profile.set_program(self._program)

    def _load(self, target, device, seed, verify, tuned):
        threads, dims = self._options.intra_op_num_threads, self._options.list_compile_options()
        with _as_file(self._model) as path:
            name = path if isinstance(self._model, str) else "the model"
            if _is_artifact(path):
                if dims:
                    raise Unavailable("an artifact is compiled already: give the ONNX model to fix its dims and inputs")
                program = open_artifact(path, name, device, threads, seed, verify)
            else:
                program = load(path, target, device, threads, seed, verify, name=name, tuned=tuned, options=dims,
                               say=self._say)
                self._meta, self._forms = read_model_or_reason(self._model)
        self._say(logging.DEBUG, f"loaded for {program.device}, {len(program.inputs)} inputs, {len(program.outputs)} outputs")
        return program

    def _say(self, level, text):
        chosen = self._options.log_severity_level
        if level >= _LEVELS[min(chosen, 4) if chosen >= 0 else _severity]:
            name = f"[{self._options.logid}] " if self._options.logid else ""
            _log.log(max(level, _log.getEffectiveLevel()), "%s%s", name, text)

    def _describe(self, ports):
        # The compiler names a dim that has no name in the model by its input and its position.
        invented = {f"{name}.{at}" for name, _, _, dims, *_ in self._program.inputs for at in range(len(dims))}
        return [NodeArg(name, f"tensor({get_element(code, bits).onnx})",
                        [size if size >= 0 else symbol if symbol and symbol not in invented else None
                         for size, symbol in zip(dims, symbols)])
                for name, code, bits, dims, _, _, symbols in ports]

    _string_type, _key_types = "tensor(string)", {"string": "string", "int64": "int64"}

    def get_overridable_initializers(self):
        return []

    def run(self, output_names, input_feed, run_options=None):
        """Runs the model on arrays and OrtValues by name. Returns the named outputs, all if `output_names` is None or empty.

        InvalidArgument: a name, element type, rank or size is wrong.
        """
        return self._run_within(output_names, input_feed, run_options)

    def _run_within(self, output_names, input_feed, run_options, memory=None):
        inputs = unwrap(input_feed)
        if run_options is None:
            return self._run(output_names, inputs, memory)
        run_options.check()
        cancel = _runtime.Cancel()
        with run_options.watch(cancel):
            return self._run(output_names, inputs, memory, timeout=float(run_options.timeout), cancel=cancel)

    def _run_timed(self, arguments, **options):
        program, profile = self._get_program(), self._profile
        if profile is None:
            return program.run(arguments, **options)
        with profile.record() as trace:
            return program.run(arguments, trace=trace, **options)

    def get_modelmeta(self):
        """What the ONNX model says of itself: a ModelMetadata.

        NotImplemented: the session is of an artifact, which keeps none of it. InvalidProtobuf: the model is no ONNX model.
        """
        if self._meta is None:
            raise Unavailable("an artifact keeps no metadata of its model: make the session of the ONNX model")
        if isinstance(self._meta, str):
            raise InvalidProtobuf(self._meta)
        return self._meta

    def get_providers(self):
        return [_CPU]

    def get_provider_options(self):
        return {_CPU: {}}

    def get_session_options(self):
        return self._options

    def set_providers(self, providers=None, provider_options=None):
        _check_providers(providers, provider_options)

    def enable_fallback(self):
        pass  # there is one provider, and what it cannot run is refused when the session is made

    def disable_fallback(self):
        pass

    def end_profiling(self):
        """Writes what was recorded since the session was made, in Chrome's trace format, and returns the file's name.

        It is "" without enable_profiling, and from the second time on. Later runs are not recorded.
        Error: the file cannot be written. Then it is not there, and end_profiling() may be called again.
        """
        if self._profile is None:
            return ""
        path = self._profile.write()
        self._profile = None
        return path

    def get_profiling_start_time_ns(self):
        """When profiling began, in nanoseconds since 1970; 0 without enable_profiling."""
        return self._profiling_start

    def __getstate__(self):
        return {"_options": self._options, "_arguments": self._arguments, "_model": self._model}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._start()


def _to_path_or_bytes(model):
    if hasattr(model, "SerializeToString"):
        return model.SerializeToString()
    if isinstance(model, (bytes, bytearray, memoryview)):
        return bytes(model)
    if not isinstance(model, (str, os.PathLike)):
        raise TypeError(f"a model is a path, bytes or an onnx.ModelProto, got {type(model).__name__}")
    path = os.path.abspath(os.fspath(model))
    if not os.path.exists(path):
        raise NoSuchFile(f"there is no model '{os.fspath(model)}'")
    return path


@contextlib.contextmanager
def _as_file(model):
    """Yields the path of a model. Bytes are in a file for as long as this lasts."""
    if isinstance(model, str):
        yield model
        return
    if not model:
        raise InvalidProtobuf("the bytes of the model are empty")
    with make_folder() as folder:
        path = os.path.join(folder, "model.so" if model.startswith(b"\x7fELF") else "model.onnx")
        try:
            with open(path, "wb") as file:
                file.write(model)
        except OSError as error:
            raise Error(f"the bytes of the model cannot be written to '{folder}': {error.strerror}") from error
        yield path


def _is_artifact(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def _check_providers(providers, provider_options):
    names = [provider if isinstance(provider, str) else provider[0] for provider in providers or [_CPU]]
    if provider_options is not None and len(provider_options) != len(names):
        raise ValueError(f"there are {len(names)} providers, but options for {len(provider_options)}")
    for name in names:
        if name != _CPU:
            warn_once(f"there is no provider '{name}', only {get_available_providers()}, which runs the model; for an NVIDIA "
                      "GPU, use tssa.InferenceSession(model, target='cuda:sm_90') with its architecture", stacklevel=3)
