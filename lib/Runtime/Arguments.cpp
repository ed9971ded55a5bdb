//===- Arguments.cpp -----------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Arguments.h"

#include "Checked.h"
#include "ManifestCheck.h"
#include "Strided.h"

#include "tssa/Runtime/NearName.h"
#include "tssa/Runtime/SmallFloat.h"

#include <algorithm>

using namespace tssa::runtime;

static constexpr int32_t cpuDevice = 1;

std::string tssa::runtime::describe(const Manifest &manifest, const Port &port) {
  std::string text = getName(port.dtype);
  text += '[';
  for (const Dim &dim : port.dims) {
    if (text.back() != '[')
      text += ',';
    if (dim.kind == Dim::Static)
      text += std::to_string(dim.value);
    else if (dim.kind == Dim::Symbol)
      text += printable(manifest.symbols[dim.value].name);
    else
      text += dim.text.empty() ? "?" : printable(dim.text);
  }
  return text + ']';
}

std::string tssa::runtime::describe(const tssa_tensor &tensor) {
  std::string text;
  if (std::optional<DType> type = fromABI(tensor.dtype))
    text = getName(*type);
  else
    text = "dtype(code " + std::to_string(tensor.dtype.code) + ", bits " +
           std::to_string(tensor.dtype.bits) + ", lanes " + std::to_string(tensor.dtype.lanes) +
           ")";
  text += '[';
  for (int32_t i = 0; i < tensor.ndim; ++i)
    text += (i ? "," : "") + std::to_string(tensor.shape[i]);
  return text + ']';
}

static Status invalid(const std::string &where, const std::string &what) {
  return makeError(TSSA_INVALID_ARGUMENT, where + ": " + what);
}

std::string tssa::runtime::nameOf(const Port &port) {
  bool isInput = port.kind == Port::In || port.kind == Port::InOut;
  return (isInput ? "input '" : "output '") + printable(port.name) + "'";
}

/// Checks that a tensor can be read at all. This does not depend on its port.
static Status checkForm(const std::string &where, const tssa_tensor &tensor) {
  if (tensor.ndim < 0 || tensor.ndim > int32_t(maxRank))
    return invalid(where, "rank " + std::to_string(tensor.ndim) + ", expected 0 to " +
                              std::to_string(maxRank));
  if (tensor.ndim > 0 && !tensor.shape)
    return invalid(where, "its shape is null");
  if (tensor.device.type != cpuDevice)
    return invalid(where,
                   "device type " + std::to_string(tensor.device.type) + ", expected 1 (CPU)");
  return Status::success();
}

/// Returns whether the distance in bytes from the first element to each other element fits into an
/// address.
static bool isReachable(const tssa_tensor &tensor, int64_t elementBytes) {
  tssa::CheckedSize distance = tensor.byte_offset;
  for (int32_t i = 0; tensor.strides && i < tensor.ndim; ++i) {
    if (tensor.shape[i] == 0)
      return true;
    int64_t stride = tensor.strides[i];
    tssa::CheckedSize steps = tensor.shape[i], bytes = elementBytes;
    if (tensor.shape[i] > 1)
      distance += bytes * steps * tssa::CheckedSize(stride < 0 ? -(stride + 1) : stride);
  }
  return distance.isValid();
}

/// Checks dtype, rank and static sizes against the port. Sizes of symbols are compared
/// elsewhere.
static Status checkType(const Manifest &manifest, const std::string &where, const Port &port,
                        const tssa_tensor &tensor, int64_t &bytes) {
  auto mismatch = [&](const char *what) {
    return invalid(where, std::string("wrong ") + what + ": expected " + describe(manifest, port) +
                              ", got " + describe(tensor));
  };
  if (fromABI(tensor.dtype) != port.dtype)
    return mismatch("dtype");
  if (uint64_t(tensor.ndim) != port.dims.size())
    return mismatch("rank");
  for (int32_t i = 0; i < tensor.ndim; ++i)
    if (tensor.shape[i] < 0 ||
        (port.dims[i].kind == Dim::Static && port.dims[i].value != tensor.shape[i]))
      return mismatch("size");
  std::optional<int64_t> size = checkedBytes(tensor.shape, tensor.ndim, getByteSize(port.dtype));
  if (!size)
    return mismatch("size");
  bytes = *size;
  if (bytes && !tensor.data)
    return invalid(where, "its data is null");
  if (bytes && !isReachable(tensor, getByteSize(port.dtype)))
    return invalid(where, "its strides or its byte_offset exceed the address space");
  return Status::success();
}

static Status readSymbols(const Manifest &manifest, const std::vector<tssa_tensor> &args,
                          std::vector<int64_t> &sizes) {
  for (const Symbol &symbol : manifest.symbols) {
    int64_t size = args[symbol.input].shape[symbol.dim];
    if (size < symbol.min || size > symbol.max)
      return invalid(nameOf(manifest.inputs[symbol.input]),
                     "dimension " + std::to_string(symbol.dim) + " (" + printable(symbol.name) +
                         ") is " + std::to_string(size) + ", expected " +
                         std::to_string(symbol.min) + " to " + std::to_string(symbol.max));
    sizes.push_back(size);
  }
  for (size_t i = 0; i < manifest.inputs.size(); ++i) {
    const Port &port = manifest.inputs[i];
    for (size_t d = 0; d < port.dims.size(); ++d) {
      if (port.dims[d].kind != Dim::Symbol)
        continue;
      const Symbol &symbol = manifest.symbols[port.dims[d].value];
      int64_t expected = sizes[port.dims[d].value];
      if (args[i].shape[d] != expected)
        return invalid(nameOf(port), "dimension " + std::to_string(d) + " is " +
                                         std::to_string(args[i].shape[d]) + ", expected " +
                                         std::to_string(expected) + ": it is " +
                                         printable(symbol.name) + ", the size of dimension " +
                                         std::to_string(symbol.dim) + " of " +
                                         nameOf(manifest.inputs[symbol.input]));
    }
  }
  return Status::success();
}

static std::vector<std::string> namesOf(const std::vector<Port> &ports) {
  std::vector<std::string> names;
  for (const Port &port : ports)
    names.push_back(port.name);
  return names;
}

static std::string quoteAll(const std::vector<std::string> &names) {
  constexpr size_t most = 20;
  std::string text;
  for (size_t i = 0; i < std::min(most, names.size()); ++i)
    text += (i ? ", '" : "'") + printable(names[i]) + "'";
  return names.size() > most ? text + ", ..." : names.empty() ? "none" : text;
}

/// Finds the index of `name` among `ports`. If there is none, the error lists the ports.
static Status findPort(const std::vector<Port> &ports, const char *kind, std::string_view name,
                       size_t &index) {
  for (index = 0; index < ports.size(); ++index)
    if (ports[index].name == name)
      return Status::success();
  std::vector<std::string> names = namesOf(ports);
  return makeError(TSSA_INVALID_ARGUMENT, std::string("there is no ") + kind + " '" +
                                              printable(name) + "'" + suggestName(name, names) +
                                              " (" + kind + "s: " + quoteAll(names) + ")");
}

/// Finds each input's tensor by name.
static Status matchInputs(const Manifest &manifest, const std::vector<NamedTensor> &inputs,
                          std::vector<tssa_tensor> &args) {
  std::vector<bool> given(manifest.inputs.size());
  args.resize(manifest.inputs.size());
  for (const NamedTensor &input : inputs) {
    size_t index;
    if (Status status = findPort(manifest.inputs, "input", input.name, index); !status.ok())
      return status;
    if (given[index])
      return invalid(nameOf(manifest.inputs[index]), "given twice");
    given[index] = true;
    args[index] = input.tensor;
  }
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i])
      return invalid(nameOf(manifest.inputs[i]),
                     "missing, expected " + describe(manifest, manifest.inputs[i]));
  return Status::success();
}

/// Converts one checked input to the form that compiled code expects.
static Status normalize(const Port &port, size_t input, BoundInputs &bound) {
  tssa_tensor &arg = bound.args[input];
  int64_t bytes = bound.bytes[input];
  char *data = static_cast<char *>(arg.data) + arg.byte_offset;
  unsigned elementBytes = getByteSize(port.dtype);
  bool aligned = reinterpret_cast<uintptr_t>(data) % elementBytes == 0;
  bool asIs = bytes == 0 || (isContiguous(arg) && aligned && areCanonical(port.dtype, data, bytes));
  if (asIs) {
    arg.data = bytes ? data : Buffer().getData();
  } else {
    Buffer &copy = bound.copies[input];
    if (!copy.allocate(uint64_t(bytes)))
      return makeError(TSSA_OUT_OF_MEMORY, nameOf(port) + ": no memory for a copy of " +
                                               std::to_string(bytes) + " bytes");
    copyStrided(arg, elementBytes, copy.getData());
    makeCanonical(port.dtype, copy.getData(), bytes);
    arg.data = copy.getData();
  }
  arg.strides = nullptr;
  arg.byte_offset = 0;
  return Status::success();
}

void BoundInputs::copyBack(size_t input) const {
  const tssa_tensor &tensor = given[input];
  scatterStrided(args[input].data, getByteSize(*fromABI(tensor.dtype)), tensor);
}

/// Requires that no element of an overwritten argument shares memory with another element of this
/// argument or with another argument.
static Status checkOverlaps(const Manifest &manifest, const std::vector<tssa_tensor> &args) {
  for (size_t i = 0; i < args.size(); ++i) {
    const Port &port = manifest.inputs[i];
    if (port.kind != Port::InOut)
      continue;
    std::string where = nameOf(port);
    if (mayOverlapItself(args[i]))
      return invalid(where, "is overwritten by the program, and elements of it "
                            "share memory");
    for (size_t other = 0; other < args.size(); ++other)
      if (other != i && mayOverlap(args[i], getByteSize(port.dtype), args[other],
                                   getByteSize(manifest.inputs[other].dtype)))
        return invalid(where, "is overwritten by the program and overlaps " +
                                  nameOf(manifest.inputs[other]));
  }
  return Status::success();
}

Status tssa::runtime::bindInputs(const Manifest &manifest, const std::vector<NamedTensor> &inputs,
                                 BoundInputs &bound) {
  if (Status status = matchInputs(manifest, inputs, bound.args); !status.ok())
    return status;
  bound.bytes.resize(bound.args.size());
  for (size_t i = 0; i < bound.args.size(); ++i) {
    const Port &port = manifest.inputs[i];
    std::string where = nameOf(port);
    if (Status status = checkForm(where, bound.args[i]); !status.ok())
      return status;
    if (Status status = checkType(manifest, where, port, bound.args[i], bound.bytes[i]);
        !status.ok())
      return status;
  }
  if (Status status = readSymbols(manifest, bound.args, bound.sizes); !status.ok())
    return status;
  if (Status status = checkOverlaps(manifest, bound.args); !status.ok())
    return status;
  bound.given = bound.args;
  bound.copies.resize(bound.args.size());
  for (size_t i = 0; i < bound.args.size(); ++i)
    if (Status status = normalize(manifest.inputs[i], i, bound); !status.ok())
      return status;
  return Status::success();
}

/// Checks a caller's buffer for `port`: it must be contiguous and large enough, as far as that is
/// known before the run.
static Status checkInto(const Manifest &manifest, const Port &port, const BoundInputs &inputs,
                        tssa_tensor &into) {
  std::string where = nameOf(port);
  if (port.kind == Port::Alias)
    return invalid(where, "it is the storage of " + nameOf(manifest.inputs[port.aliasOf]) +
                              " and cannot be written elsewhere");
  if (Status status = checkForm(where, into); !status.ok())
    return status;
  int64_t bytes;
  if (Status status = checkType(manifest, where, port, into, bytes); !status.ok())
    return status;
  for (size_t d = 0; d < port.dims.size(); ++d) {
    if (port.dims[d].kind != Dim::Symbol)
      continue;
    int64_t expected = inputs.sizes[port.dims[d].value];
    if (into.shape[d] != expected)
      return invalid(where, "dimension " + std::to_string(d) + " is " +
                                std::to_string(into.shape[d]) + ", expected " +
                                std::to_string(expected));
  }
  char *data = static_cast<char *>(into.data) + into.byte_offset;
  if (bytes && (!isContiguous(into) || reinterpret_cast<uintptr_t>(data) % getByteSize(port.dtype)))
    return invalid(where, "its buffer must be contiguous and aligned to its "
                          "elements");
  for (size_t i = 0; i < inputs.args.size(); ++i) {
    // A copied input is read completely before anything is written.
    bool matters = !inputs.isCopied(i) || manifest.inputs[i].kind == Port::InOut;
    if (matters && mayOverlap(into, getByteSize(port.dtype), inputs.given[i],
                              getByteSize(manifest.inputs[i].dtype)))
      return invalid(where, "its buffer overlaps " + nameOf(manifest.inputs[i]));
  }
  into.data = bytes ? data : Buffer().getData();
  into.byte_offset = 0;
  into.strides = nullptr;
  return Status::success();
}

Status tssa::runtime::bindOutputs(const Manifest &manifest,
                                  const std::vector<OutputRequest> &requests,
                                  const BoundInputs &inputs, std::vector<BoundOutput> &bound) {
  bound.resize(manifest.outputs.size());
  if (requests.empty())
    for (size_t i = 0; i < bound.size(); ++i)
      bound[i].request = i;
  for (size_t r = 0; r < requests.size(); ++r) {
    size_t index;
    if (Status status = findPort(manifest.outputs, "output", requests[r].name, index); !status.ok())
      return status;
    const Port &port = manifest.outputs[index];
    if (bound[index].request)
      return invalid(nameOf(port), "requested twice");
    bound[index].request = r;
    bound[index].into = requests[r].into;
    if (!bound[index].into)
      continue;
    if (Status status = checkInto(manifest, port, inputs, *bound[index].into); !status.ok())
      return status;
    for (size_t other = 0; other < bound.size(); ++other)
      if (other != index && bound[other].into &&
          mayOverlap(*bound[index].into, getByteSize(port.dtype), *bound[other].into,
                     getByteSize(manifest.outputs[other].dtype)))
        return invalid(nameOf(port),
                       "its buffer overlaps that of " + nameOf(manifest.outputs[other]));
  }
  return Status::success();
}
