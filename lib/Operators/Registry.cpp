//===- Registry.cpp - which function builds which operator -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Operators/Registry.h"

using namespace mlir;

namespace tssa::operators {

bool Node::has(StringRef attribute) const {
  return attributes.get(attribute) || tensors.contains(attribute) || subgraphs.contains(attribute);
}

int64_t Node::getInt(StringRef attribute, int64_t otherwise) const {
  auto value = dyn_cast_or_null<IntegerAttr>(attributes.get(attribute));
  return value ? value.getInt() : otherwise;
}

double Node::getFloat(StringRef attribute, double otherwise) const {
  auto value = dyn_cast_or_null<FloatAttr>(attributes.get(attribute));
  return value ? value.getValueAsDouble() : otherwise;
}

StringRef Node::getString(StringRef attribute, StringRef otherwise) const {
  auto value = dyn_cast_or_null<StringAttr>(attributes.get(attribute));
  return value ? value.getValue() : otherwise;
}

SmallVector<int64_t> Node::getInts(StringRef attribute, ArrayRef<int64_t> otherwise) const {
  auto value = dyn_cast_or_null<DenseI64ArrayAttr>(attributes.get(attribute));
  return SmallVector<int64_t>(value ? value.asArrayRef() : otherwise);
}

SmallVector<double> Node::getFloats(StringRef attribute, ArrayRef<double> otherwise) const {
  auto value = dyn_cast_or_null<DenseF32ArrayAttr>(attributes.get(attribute));
  if (!value)
    return SmallVector<double>(otherwise);
  return SmallVector<double>(value.asArrayRef().begin(), value.asArrayRef().end());
}

SmallVector<std::string> Node::getStrings(StringRef attribute) const {
  SmallVector<std::string> result;
  if (auto value = dyn_cast_or_null<ArrayAttr>(attributes.get(attribute)))
    for (auto string : value.getAsRange<StringAttr>())
      result.push_back(string.str());
  return result;
}

static std::string getKey(StringRef domain, StringRef op) {
  bool isStandard = domain.empty() || domain == "ai.onnx";
  return ((isStandard ? StringRef() : domain) + ":" + op).str();
}

void Registry::add(StringRef op, OperatorFn fn, int64_t since, int64_t until) {
  addIn("", op, std::move(fn), since, until);
}

void Registry::addIn(StringRef domain, StringRef op, OperatorFn fn, int64_t since, int64_t until) {
  entries[getKey(domain, op)].push_back({since, until, std::move(fn)});
}

const OperatorFn *Registry::find(StringRef domain, StringRef op, int64_t version) const {
  auto it = entries.find(getKey(domain, op));
  if (it == entries.end())
    return nullptr;
  for (const Entry &entry : it->second)
    if (entry.since <= version && version <= entry.until)
      return &entry.fn;
  return nullptr;
}

void Registry::refuse(StringRef domain, StringRef op, StringRef hint) {
  hints[getKey(domain, op)] = hint.str();
}

StringRef Registry::findHint(StringRef domain, StringRef op) const {
  auto it = hints.find(getKey(domain, op));
  if (it == hints.end())
    it = hints.find(getKey(domain, ""));
  return it == hints.end() ? StringRef() : StringRef(it->second);
}

void Registry::markExtern(StringRef op) { externs.insert(getKey("", op)); }

void Registry::describeInputs(StringRef domain, StringRef op, StringRef text) {
  inputs[getKey(domain, op)] = text.str();
}

std::vector<Registry::Listed> Registry::list() const {
  std::vector<Listed> lines;
  for (const auto &[key, versions] : entries) {
    auto [domain, op] = StringRef(key).split(':');
    for (const Entry &entry : versions)
      lines.push_back({domain.str(), op.str(), entry.since, entry.until, inputs.lookup(key),
                       externs.contains(key)});
  }
  llvm::sort(lines, [](const Listed &a, const Listed &b) {
    return std::tie(a.domain, a.op, a.since) < std::tie(b.domain, b.op, b.since);
  });
  return lines;
}

const Registry &Registry::get() {
  static const Registry registry = [] {
    Registry result;
    registerActivations(result);
    registerArgReduction(result);
    registerBatchNormalization(result);
    registerConstants(result);
    registerContrib(result);
    registerControlFlow(result);
    registerConvTranspose(result);
    registerConvolution(result);
    registerDeformConv(result);
    registerEinsum(result);
    registerElementwise(result);
    registerGather(result);
    registerGridSample(result);
    registerLocalNormalization(result);
    registerML(result);
    registerMatMul(result);
    registerMovement(result);
    registerNormalization(result);
    registerPad(result);
    registerPooling(result);
    registerQuantization(result);
    registerRearrangement(result);
    registerRecurrent(result);
    registerReduction(result);
    registerRegions(result);
    registerResize(result);
    registerScan(result);
    registerScatter(result);
    registerSequences(result);
    registerShape(result);
    registerSignal(result);
    registerSoftmax(result);
    registerSorting(result);
    registerTermCounts(result);
    registerTraining(result);
    registerUnpooling(result);
    return result;
  }();
  return registry;
}

} // namespace tssa::operators
