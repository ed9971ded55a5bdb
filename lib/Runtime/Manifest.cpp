//===- Manifest.cpp - names and consistency of manifests -----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ManifestCheck.h"

#include "Checked.h"
#include "ScratchParts.h"

#include "tssa/Runtime/NearName.h"
#include "tssa/Support/GPUArch.h"

#include <algorithm>
#include <cctype>
#include <set>

using namespace tssa;
using namespace tssa::runtime;

namespace {
struct DTypeInfo {
  const char *name;
  unsigned bytes;
  tssa_dtype abi;
};
} // namespace

static const DTypeInfo dtypes[numDTypes] = {
    {"f32", 4, {2, 32, 1}},    {"f64", 8, {2, 64, 1}},        {"f16", 2, {2, 16, 1}},
    {"bf16", 2, {4, 16, 1}},   {"bool", 1, {6, 8, 1}},        {"i8", 1, {0, 8, 1}},
    {"u8", 1, {1, 8, 1}},      {"i16", 2, {0, 16, 1}},        {"u16", 2, {1, 16, 1}},
    {"i32", 4, {0, 32, 1}},    {"u32", 4, {1, 32, 1}},        {"i64", 8, {0, 64, 1}},
    {"u64", 8, {1, 64, 1}},    {"f8e4m3fn", 1, {10, 8, 1}},   {"f8e4m3fnuz", 1, {11, 8, 1}},
    {"f8e5m2", 1, {12, 8, 1}}, {"f8e5m2fnuz", 1, {13, 8, 1}}, {"f8e8m0", 1, {14, 8, 1}},
    {"f4e2m1", 1, {17, 4, 1}}, {"i4", 1, {0, 4, 1}},          {"u4", 1, {1, 4, 1}},
    {"i2", 1, {0, 2, 1}},      {"u2", 1, {1, 2, 1}}};

unsigned tssa::runtime::getByteSize(DType type) { return dtypes[unsigned(type)].bytes; }

const char *tssa::runtime::getName(DType type) { return dtypes[unsigned(type)].name; }

tssa_dtype tssa::runtime::toABI(DType type) { return dtypes[unsigned(type)].abi; }

std::optional<DType> tssa::runtime::fromABI(tssa_dtype type) {
  for (unsigned i = 0; i < numDTypes; ++i) {
    const tssa_dtype &abi = dtypes[i].abi;
    if (abi.code == type.code && abi.bits == type.bits && abi.lanes == type.lanes)
      return DType(i);
  }
  return std::nullopt;
}

static Status inconsistent(const std::string &what) {
  return makeError(TSSA_CORRUPT, "manifest: " + what);
}

/// Checks the labels of a port. `where` begins its errors.
static Status checkLabels(const Port &port, bool isInput, const std::string &where) {
  const Labels &labels = port.labels;
  bool hasLabels = labels.kind != Labels::None;
  if (isInput && hasLabels)
    return inconsistent(where + "has labels, which only an output may have");
  if ((!labels.strings.empty() && (!hasLabels || labels.kind == Labels::IntKeys)) ||
      (!labels.ints.empty() && labels.kind != Labels::IntKeys))
    return inconsistent(where + "has labels of the wrong kind");
  if (labels.kind == Labels::Strings && port.dtype != DType::I64)
    return inconsistent(where + "has strings, but its elements are not indexes of type i64");
  if (!labels.areKeys())
    return Status::success();
  if (port.dims.size() != 2 ||
      (port.dims[1].kind == Dim::Static && uint64_t(port.dims[1].value) != labels.size()))
    return inconsistent(where + "does not have a column for each of its " +
                        std::to_string(labels.size()) + " keys");
  return Status::success();
}

static Status checkPort(const Manifest &manifest, const Port &port, bool isInput) {
  std::string where = std::string(isInput ? "input '" : "output '") + port.name + "' ";
  if (port.name.empty())
    return inconsistent(where + "has no name");
  if (isInput != (port.kind == Port::In || port.kind == Port::InOut))
    return inconsistent(where + "has the wrong kind");
  if (port.dims.size() > maxRank)
    return inconsistent(where + "has rank " + std::to_string(port.dims.size()) + ", at most " +
                        std::to_string(maxRank));
  std::vector<int64_t> fixed;
  for (const Dim &dim : port.dims) {
    switch (dim.kind) {
    case Dim::Static:
      fixed.push_back(dim.value);
      break;
    case Dim::Symbol:
      if (dim.value < 0 || uint64_t(dim.value) >= manifest.symbols.size())
        return inconsistent(where + "uses a symbol that does not exist");
      break;
    case Dim::Derived:
      if (isInput)
        return inconsistent(where + "has a size that only a run could compute");
      break;
    }
  }
  if (!checkedBytes(fixed.data(), int32_t(fixed.size()), getByteSize(port.dtype)))
    return inconsistent(where + "has an impossible size");
  if (port.kind == Port::Alias) {
    if (port.aliasOf < 0 || uint64_t(port.aliasOf) >= manifest.inputs.size())
      return inconsistent(where + "aliases an input that does not exist");
    if (manifest.inputs[port.aliasOf].dtype != port.dtype)
      return inconsistent(where + "aliases an input of another type");
  }
  return checkLabels(port, isInput, where);
}

static Status checkPorts(const Manifest &manifest, bool inputs) {
  std::set<std::string_view> names;
  for (const Port &port : inputs ? manifest.inputs : manifest.outputs) {
    if (Status status = checkPort(manifest, port, inputs); !status.ok())
      return status;
    if (!names.insert(port.name).second)
      return inconsistent(std::string("two ") + (inputs ? "inputs" : "outputs") + " are named '" +
                          port.name + "'");
  }
  return Status::success();
}

static Status checkSymbols(const Manifest &manifest) {
  for (size_t i = 0; i < manifest.symbols.size(); ++i) {
    const Symbol &symbol = manifest.symbols[i];
    std::string where = "symbol '" + symbol.name + "' ";
    if (symbol.min < 0 || symbol.max < symbol.min)
      return inconsistent(where + "has an empty range");
    if (symbol.input < 0 || uint64_t(symbol.input) >= manifest.inputs.size())
      return inconsistent(where + "occurs in an input that does not exist");
    const std::vector<Dim> &dims = manifest.inputs[symbol.input].dims;
    if (symbol.dim < 0 || uint64_t(symbol.dim) >= dims.size() ||
        dims[symbol.dim].kind != Dim::Symbol || uint64_t(dims[symbol.dim].value) != i)
      return inconsistent(where + "does not occur in the dimension that it names");
  }
  return Status::success();
}

/// Returns whether `text` consists of letters, digits and underscores, as a name in C does.
static bool isIdentifier(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

static bool isPlainFileName(const std::string &file) {
  return file != "." && file != ".." && file.find('/') == std::string::npos &&
         file.find('\0') == std::string::npos;
}

/// Returns whether `text` is one line of printable ASCII characters that is not absurdly long.
static bool isLine(std::string_view text) {
  return text.size() <= 4096 && std::all_of(text.begin(), text.end(),
                                            [](unsigned char c) { return c >= 0x20 && c < 0x7f; });
}

static Status checkKernels(const Variant &variant, const std::string &where) {
  std::set<std::string_view> names;
  for (const Kernel &kernel : variant.kernels) {
    if (kernel.name.empty() || !names.insert(kernel.name).second)
      return inconsistent(where + "has two kernels '" + kernel.name + "', or one without a name");
    if (kernel.parameters < 1 || kernel.threads < 1 || kernel.sharedBytes < 0)
      return inconsistent(where + "has kernel '" + kernel.name +
                          "' with no parameters, no threads or negative memory");
  }
  std::set<std::pair<Image::Kind, std::string_view>> images;
  for (const Image &image : variant.images) {
    if (!GPUArch::parse(image.arch))
      return inconsistent(where + "has an image for '" + printable(image.arch) + "'");
    if (!images.emplace(image.kind, image.arch).second)
      return inconsistent(where + "has two images for " + image.arch);
  }
  return Status::success();
}

static Status checkVariant(const Manifest &manifest, const Variant &variant) {
  std::string where = "variant '" + variant.target + "' ";
  if (!isIdentifier(variant.suffix))
    return inconsistent(where + "has exports with invalid names");
  if (!isLine(variant.machine))
    return inconsistent(where + "has a machine that is not one line of text");
  if (!isPlainFileName(variant.weightsFile))
    return inconsistent(where + "has a weights file that is not a plain file name");
  for (const Launch &launch : variant.launches)
    for (int32_t node : launch.nodes)
      if (node < 0 || uint64_t(node) >= manifest.nodes.size())
        return inconsistent(where + "has a launch of '" + launch.kernel +
                            "' that names a node that does not exist");
  if (variant.memory.constantBytes < 0 || variant.memory.arenaBytes < -1)
    return inconsistent(where + "has a negative memory size");
  if (variant.memory.scratchBytes < 0 || variant.memory.scratchBytes % ScratchParts::alignment != 0)
    return inconsistent(where + "has scratch memory of an invalid size");
  return checkKernels(variant, where);
}

static Status checkVariants(const Manifest &manifest) {
  std::set<std::pair<std::string_view, std::vector<std::string>>> targets;
  std::set<std::string_view> suffixes;
  if (manifest.variants.empty())
    return inconsistent("no variant of the program");
  for (const Variant &variant : manifest.variants) {
    if (Status status = checkVariant(manifest, variant); !status.ok())
      return status;
    // Only CPUs differ by what instructions they have.
    bool isCPU = variant.target == "cpu";
    auto features = isCPU ? variant.cpuFeatures : std::vector<std::string>();
    if (!targets.emplace(variant.target, std::move(features)).second ||
        !suffixes.insert(variant.suffix).second)
      return inconsistent("two variants are for '" + variant.target +
                          "', or have the same exports");
  }
  return Status::success();
}

Status tssa::runtime::checkManifest(const Manifest &manifest) {
  if (Status status = checkPorts(manifest, true); !status.ok())
    return status;
  if (Status status = checkPorts(manifest, false); !status.ok())
    return status;
  if (Status status = checkSymbols(manifest); !status.ok())
    return status;
  return checkVariants(manifest);
}
