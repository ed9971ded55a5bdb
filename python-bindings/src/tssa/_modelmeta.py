# Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""What an ONNX model says of itself: its producer, names and descriptions.

They are fields of the model's protobuf. Tensors and nodes are skipped, so that only a few bytes of a large file are read.
"""

import io
from typing import BinaryIO, Dict, Iterator, NamedTuple, Tuple, Union

from ._errors import InvalidProtobuf

# Wire types of protobuf; their sizes in bytes where they are fixed.
_VARINT, _BYTES = 0, 2
_FIXED = {1: 8, 5: 4}
# Fields of onnx.ModelProto, and of its GraphProto and StringStringEntryProto.
_TEXTS = {2: "producer_name", 4: "domain", 6: "description"}
_MODEL_VERSION, _GRAPH, _METADATA = 5, 7, 14
_GRAPH_TEXTS = {2: "graph_name", 10: "graph_description"}
_KEY, _VALUE = 1, 2
_INPUT, _OUTPUT, _NAME = 11, 12, 1
# From a ValueInfoProto to its type, the type as a sequence or optional, the type of its elements, and that as a tensor.
_FORMS = {"sequence": (2, 4, 1, 1), "optional": (2, 9, 1, 1)}


class ModelMetadata(NamedTuple):
    """What ONNX Runtime's get_modelmeta() returns. version: 2 ** 63 - 1 if the model says none, as there."""

    producer_name: str
    graph_name: str
    domain: str
    description: str
    graph_description: str
    version: int
    custom_metadata_map: Dict[str, str]


class Forms(NamedTuple):
    """The inputs and the outputs that are no tensors, by name: a "sequence" of tensors, or an "optional" tensor."""

    inputs: Dict[str, str]
    outputs: Dict[str, str]


def read_modelmeta(file: BinaryIO) -> Tuple[ModelMetadata, Forms]:
    """Reads a serialized onnx.ModelProto: what it says of itself, and the forms of its inputs and outputs.

    InvalidProtobuf: it is damaged where it is read.
    """
    texts = dict.fromkeys([*_TEXTS.values(), *_GRAPH_TEXTS.values()], "")
    version, entries, forms = 2 ** 63 - 1, {}, Forms({}, {})
    message = _Message(file, file.seek(0, io.SEEK_END))
    for number, value in message.list_fields(0, message.size):
        if number == _MODEL_VERSION and isinstance(value, int):
            version = value - 2 ** 64 if value >= 2 ** 63 else value
        elif isinstance(value, int):
            continue
        elif number in _TEXTS:
            texts[_TEXTS[number]] = message.read_text(*value)
        elif number == _GRAPH:
            for part, place in message.list_fields(*value):
                if isinstance(place, int):
                    continue
                if part in _GRAPH_TEXTS:
                    texts[_GRAPH_TEXTS[part]] = message.read_text(*place)
                elif part in (_INPUT, _OUTPUT):
                    form = next((name for name, path in _FORMS.items() if message.has_path(path, *place)), None)
                    if form is not None:
                        names = message.read_texts({_NAME: "name"}, *place).values()
                        (forms.inputs if part == _INPUT else forms.outputs).update(dict.fromkeys(names, form))
        elif number == _METADATA:
            entry = {"key": "", "value": "", **message.read_texts({_KEY: "key", _VALUE: "value"}, *value)}
            entries[entry["key"]] = entry["value"]
    return ModelMetadata(**texts, version=version, custom_metadata_map=entries), forms


def read_model_or_reason(model: Union[str, bytes]) -> Tuple[Union[ModelMetadata, str], Forms]:
    """As read_modelmeta, of a path or bytes. The first result may be the reason why there is no metadata, such as that the
    model is a program as text."""
    try:
        with open(model, "rb") if isinstance(model, str) else io.BytesIO(model) as file:
            return read_modelmeta(file)
    except (InvalidProtobuf, OSError) as error:
        return str(error), Forms({}, {})


class _Message:
    """The bytes of a protobuf. `begin` and `end` are positions in it."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self.size = size

    def list_fields(self, begin: int, end: int) -> Iterator[Tuple[int, Union[int, Tuple[int, int]]]]:
        """Yields the number of each field, with its value or the begin and end of its bytes."""
        while begin < end:
            key, begin = self._read_varint(begin, end)
            number, wire = key >> 3, key & 7
            if number == 0 or wire not in (_VARINT, _BYTES, *_FIXED):
                raise self._make_error()
            value, content = (0, begin) if wire in _FIXED else self._read_varint(begin, end)
            begin = content + (_FIXED.get(wire, 0) if wire != _BYTES else value)
            if begin > end:
                raise self._make_error()
            yield number, value if wire == _VARINT else (content, begin)

    def read_texts(self, names: Dict[int, str], begin: int, end: int) -> Dict[str, str]:
        """Returns the text of the fields that `names` has, by name."""
        return {names[number]: self.read_text(*value) for number, value in self.list_fields(begin, end)
                if number in names and not isinstance(value, int)}

    def has_path(self, path: Tuple[int, ...], begin: int, end: int) -> bool:
        """Whether there is a message at `path`, the number of a field and those of fields inside of it."""
        return not path or any(
            number == path[0] and not isinstance(value, int) and self.has_path(path[1:], *value)
            for number, value in self.list_fields(begin, end))

    def read_text(self, begin: int, end: int) -> str:
        self._file.seek(begin)
        try:
            return self._file.read(end - begin).decode("utf-8")
        except UnicodeDecodeError:
            raise self._make_error() from None

    def _read_varint(self, begin: int, end: int) -> Tuple[int, int]:
        """Returns a number, and the position after it."""
        self._file.seek(begin)
        content, value = self._file.read(min(10, end - begin)), 0
        for position, byte in enumerate(content):
            value |= (byte & 127) << 7 * position
            if byte < 128:
                return value & (2 ** 64 - 1), begin + position + 1
        raise self._make_error()

    def _make_error(self) -> InvalidProtobuf:
        return InvalidProtobuf(f"the model is no ONNX protobuf, or its {self.size} bytes are damaged")
