//===- RandomInputs.cpp - inputs made from a seed -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tssa/Reference/RandomInputs.h"
#include "dialects/te/IR/Program.h"
#include "dialects/tssa/IR/TSSAOps.h"

using namespace mlir;
using namespace mlir::tssa;
namespace reference = ::tssa::reference;
using namespace ::tssa::reference;
using llvm::Expected;

uint64_t Random::next() {
  uint64_t z = (state += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

double Random::normal() {
  double sum = 0;
  for (int i = 0; i < 12; ++i)
    sum += uniform();
  return sum - 6;
}

Expected<HostTensor> reference::makeRandomTensor(ElementKind kind, ArrayRef<int64_t> shape,
                                                 Random &random) {
  Expected<HostTensor> tensor = HostTensor::create(kind, shape);
  if (!tensor)
    return tensor;
  uint8_t *data = tensor->getMutableData();
  for (int64_t i = 0; i < tensor->getNumElements(); ++i)
    storeElement(kind, data, i,
                 isFloat(kind) ? makeFloat(random.normal())
                               : makeInt(random.below(kind == ElementKind::I1 ? 2 : 4)));
  return tensor;
}

/// Returns the size of a dynamic dim of an argument. `given` is a constant, the name of the dim, or
/// null.
static int64_t chooseSize(Attribute given, const llvm::StringMap<int64_t> &sizes,
                          int64_t defaultSize) {
  if (auto constant = dyn_cast_or_null<IntegerAttr>(given))
    return constant.getInt();
  if (auto name = dyn_cast_or_null<StringAttr>(given))
    if (auto it = sizes.find(name.getValue()); it != sizes.end())
      return it->second;
  return defaultSize;
}

Expected<std::vector<HostTensor>> reference::makeRandomInputs(func::FuncOp function, uint64_t seed,
                                                              const llvm::StringMap<int64_t> &sizes,
                                                              int64_t defaultSize) {
  Random random(seed);
  std::vector<HostTensor> inputs;
  for (auto [index, argumentType] : llvm::enumerate(function.getArgumentTypes())) {
    if (te::isWeights(function, index) || te::isArena(function, index))
      continue;
    auto ref = dyn_cast<refs::RefType>(argumentType);
    auto type = ref ? ShapedType(ref.getTensorType()) : dyn_cast<ShapedType>(argumentType);
    if (!type || !type.hasRank())
      return llvm::createStringError("no random input for argument " + std::to_string(index) +
                                     ", which is no tensor of a known rank");
    Expected<ElementKind> kind = getElementKind(type.getElementType());
    if (!kind)
      return kind.takeError();
    te::PortAttr port = te::getArgumentPort(function, index);
    DenseI64ArrayAttr example = port ? port.getExample() : DenseI64ArrayAttr();
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        shape[dim] = chooseSize(port ? port.getDim(dim) : Attribute(), sizes,
                                example && dim < example.size() ? example[dim] : defaultSize);
    Expected<HostTensor> tensor = makeRandomTensor(*kind, shape, random);
    if (!tensor)
      return tensor.takeError();
    inputs.push_back(std::move(*tensor));
  }
  return inputs;
}
