//===- RandomProgram.cpp - te programs made from a seed -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomProgram.h"
#include "ProgramMaker.h"
#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/Sizes.h"
#include "dialects/te/IR/TEDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
namespace reference = ::tssa::reference;
namespace te = mlir::tssa::te;
using namespace ::tssa::reference;

//===----------------------------------------------------------------------===//
// Sizes and types
//===----------------------------------------------------------------------===//

/// Extents around the widths of vectors, and corner cases of loops.
static constexpr int64_t extents[] = {0, 1, 7, 8, 15, 16, 17, 33};

int64_t ProgramMaker::chooseExtent() {
  // Extents of 0 and 1 are corner cases, so they are rare.
  int64_t extent = random.pick<int64_t>(extents);
  return extent < 2 && !random.oneIn(3) ? 7 + random.below(3) : extent;
}

LiveSize ProgramMaker::constant(int64_t extent) { return {builder.getIndexAttr(extent), extent}; }

LiveSize ProgramMaker::add(const LiveSize &size, int64_t amount) {
  auto value = dyn_cast<Value>(size.size);
  if (!value)
    return constant(size.extent + amount);
  AffineMap map = AffineMap::get(0, 1, builder.getAffineSymbolExpr(0) + amount);
  return {affine::AffineApplyOp::create(builder, loc, map, value).getResult(),
          size.extent + amount};
}

Type ProgramMaker::chooseElementType() {
  Builder &b = builder;
  Type types[] = {b.getF32Type(), b.getF32Type(), b.getF32Type(),      b.getF32Type(),
                  b.getF32Type(), b.getF64Type(), b.getF16Type(),      b.getBF16Type(),
                  b.getI64Type(), b.getI32Type(), b.getIntegerType(8), b.getI1Type()};
  return random.pick<Type>(types);
}

AffineExpr ProgramMaker::dim(unsigned position) { return builder.getAffineDimExpr(position); }

AffineExpr ProgramMaker::getExpr(OpFoldResult size, SmallVectorImpl<Value> &symbols) {
  if (auto attribute = dyn_cast<Attribute>(size))
    return builder.getAffineConstantExpr(cast<IntegerAttr>(attribute).getInt());
  symbols.push_back(cast<Value>(size));
  return builder.getAffineSymbolExpr(symbols.size() - 1);
}

bool ProgramMaker::fits(ArrayRef<int64_t> extents) const {
  int64_t points = 1;
  for (int64_t extent : extents)
    points *= std::max<int64_t>(extent, 1);
  return points <= options.maxElements;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Chooses a shape of about a million elements, of which a few dims are short.
Type ProgramMaker::makeLongShape(SmallVector<int64_t> &shape) {
  static constexpr int64_t lengths[] = {128, 197, 255, 512, 768, 1000, 1031, 3072, 65536};
  int64_t count = 1;
  while (count < 500'000) {
    int64_t extent = random.oneIn(4) ? 1 + random.below(9) : random.pick<int64_t>(lengths);
    if (count * extent > 2'000'000 || shape.size() == 3)
      extent = 1'000'000 / count;
    shape.push_back(extent);
    count *= extent;
  }
  Type types[] = {builder.getF32Type(), builder.getF32Type(), builder.getF16Type(),
                  builder.getI32Type()};
  return RankedTensorType::get(shape, random.pick<Type>(types));
}

/// Adds arguments of random shapes. Half of their dims are named sizes.
void ProgramMaker::makeArguments() {
  unsigned numSymbols = random.below(3);
  SmallVector<int64_t> symbolExtents;
  for (unsigned i = 0; i < numSymbols; ++i) {
    symbolExtents.push_back(chooseExtent());
    sizes["N" + std::to_string(i)] = symbolExtents.back();
  }
  symbols.resize(numSymbols);
  unsigned numArguments = 2 + random.below(2);
  SmallVector<SmallVector<int>> chosen;
  SmallVector<SmallVector<int64_t>> shapes;
  SmallVector<Type> types;
  if (options.longSums) {
    types.push_back(makeLongShape(shapes.emplace_back()));
    chosen.emplace_back(shapes.back().size(), -1);
    numArguments = 2;
  }
  for (unsigned i = types.size(); i < numArguments; ++i) {
    unsigned rank = i == 0 ? 2 : random.below(4);
    SmallVector<int> &which = chosen.emplace_back();
    SmallVector<int64_t> &extent = shapes.emplace_back();
    SmallVector<int64_t> shape;
    for (unsigned d = 0; d < rank; ++d) {
      bool named = numSymbols && random.oneIn(2);
      which.push_back(named ? static_cast<int>(random.below(numSymbols)) : -1);
      extent.push_back(named ? symbolExtents[which.back()] : chooseExtent());
      if (!fits(extent)) {
        which.pop_back();
        extent.pop_back();
        break;
      }
      shape.push_back(named ? ShapedType::kDynamic : extent.back());
    }
    Type element = i == 0 ? builder.getF32Type() : chooseElementType();
    types.push_back(RankedTensorType::get(shape, element));
  }
  addArguments(types, shapes, chosen);
}

/// Begins the function with arguments of `types` and `shapes`, of which the dims have the named
/// sizes `chosen`, or -1.
void ProgramMaker::addArguments(ArrayRef<Type> types, ArrayRef<SmallVector<int64_t>> shapes,
                                ArrayRef<SmallVector<int>> chosen) {
  function = func::FuncOp::create(builder, loc, "main", builder.getFunctionType(types, {}));
  Block *entry = function.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  for (unsigned i = 0; i < types.size(); ++i) {
    SmallVector<Attribute> dims;
    LiveTensor tensor;
    tensor.value = entry->getArgument(i);
    tensor.element = cast<RankedTensorType>(types[i]).getElementType();
    tensor.extents = shapes[i];
    for (auto [d, symbol] : llvm::enumerate(chosen[i])) {
      if (symbol < 0) {
        tensor.sizes.push_back(builder.getIndexAttr(shapes[i][d]));
        dims.push_back(builder.getI64IntegerAttr(shapes[i][d]));
        continue;
      }
      if (!symbols[symbol].size)
        symbols[symbol] = {tensor::DimOp::create(builder, loc, tensor.value, d).getResult(),
                           sizes["N" + std::to_string(symbol)]};
      tensor.sizes.push_back(symbols[symbol].size);
      dims.push_back(builder.getStringAttr("N" + std::to_string(symbol)));
    }
    te::setArgumentPort(function, i,
                        te::PortAttr::get(builder.getContext(),
                                          builder.getStringAttr("x" + std::to_string(i)),
                                          tensor.element, builder.getArrayAttr(dims)));
    live.push_back(tensor);
  }
}

LiveTensor ProgramMaker::makeConstant(Type element, ArrayRef<int64_t> extents) {
  LiveTensor tensor;
  tensor.element = element;
  for (int64_t extent : extents) {
    tensor.sizes.push_back(builder.getIndexAttr(extent));
    tensor.extents.push_back(extent);
  }
  auto type = RankedTensorType::get(extents, element);
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    if (isa<FloatType>(element))
      values.push_back(FloatAttr::get(element, static_cast<double>(random.below(17)) / 8 - 1));
    else
      values.push_back(IntegerAttr::get(element, random.below(element.isInteger(1) ? 2 : 4)));
  tensor.value =
      mlir::tssa::te::ConstantOp::create(builder, loc, type, DenseElementsAttr::get(type, values));
  return tensor;
}

const LiveTensor *ProgramMaker::choose(llvm::function_ref<bool(const LiveTensor &)> accepts) {
  SmallVector<const LiveTensor *> candidates;
  for (const LiveTensor &tensor : live)
    if (accepts(tensor))
      candidates.push_back(&tensor);
  // Recent tensors are chosen more often, so that chains of expressions form.
  if (candidates.empty())
    return nullptr;
  size_t a = random.below(candidates.size()), b = random.below(candidates.size());
  return candidates[std::max(a, b)];
}

const LiveTensor &ProgramMaker::chooseAny() {
  return *choose([](const LiveTensor &) { return true; });
}

void ProgramMaker::addResult(Value value, const LiveTensor &like, double error) {
  LiveTensor tensor = like;
  tensor.value = value;
  tensor.element = cast<RankedTensorType>(value.getType()).getElementType();
  tensor.error = error;
  live.push_back(tensor);
}

void ProgramMaker::addResult(Value value, ArrayRef<LiveSize> sizes, double error) {
  LiveTensor tensor;
  for (const LiveSize &size : sizes) {
    tensor.sizes.push_back(size.size);
    tensor.extents.push_back(size.extent);
  }
  addResult(value, tensor, error);
}

double ProgramMaker::getError(Type type, double error) {
  if (!isa<FloatType>(type))
    return error;
  return std::max(error, type.isF16() || type.isBF16() ? 0.05 : 5e-4);
}

/// Returns the tensors that no step used, but at most four and at least one.
void ProgramMaker::finish() {
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attributes;
  for (const LiveTensor &tensor : llvm::reverse(live)) {
    bool isLast = &tensor == &live.back();
    if (!isLast && (!tensor.value.use_empty() || isa<BlockArgument>(tensor.value)))
      continue;
    if (results.size() == 4)
      break;
    SmallVector<Attribute> dims;
    for (OpFoldResult size : tensor.sizes) {
      auto symbol = llvm::find_if(symbols, [&](const LiveSize &s) { return s.size == size; });
      if (auto attribute = dyn_cast<Attribute>(size))
        dims.push_back(builder.getI64IntegerAttr(cast<IntegerAttr>(attribute).getInt()));
      else if (symbol != symbols.end())
        dims.push_back(builder.getStringAttr("N" + std::to_string(symbol - symbols.begin())));
      else
        dims.push_back(builder.getStringAttr(""));
    }
    attributes.push_back(te::makeAttributes(te::PortAttr::get(
        builder.getContext(), builder.getStringAttr("y" + std::to_string(results.size())),
        tensor.element, builder.getArrayAttr(dims))));
    results.push_back(tensor.value);
    errors.push_back(tensor.error);
  }
  func::ReturnOp::create(builder, loc, results);
  function.setType(
      builder.getFunctionType(function.getArgumentTypes(), ValueRange(results).getTypes()));
  for (auto [index, attribute] : llvm::enumerate(attributes))
    function.setResultAttrs(index, attribute);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

ProgramMaker::ProgramMaker(MLIRContext &context, uint64_t seed, const RandomProgramOptions &options)
    : options(options), random(seed), builder(&context), loc(UnknownLoc::get(&context)),
      module(ModuleOp::create(loc)) {
  builder.setInsertionPointToStart(module->getBody());
}

RandomProgram ProgramMaker::make() {
  using Step = bool (ProgramMaker::*)();
  static constexpr Step steps[] = {&ProgramMaker::stepElementwise,  &ProgramMaker::stepElementwise,
                                   &ProgramMaker::stepElementwise,  &ProgramMaker::stepSelect,
                                   &ProgramMaker::stepTranspose,    &ProgramMaker::stepSlice,
                                   &ProgramMaker::stepReverse,      &ProgramMaker::stepBroadcast,
                                   &ProgramMaker::stepFlatten,      &ProgramMaker::stepSplit,
                                   &ProgramMaker::stepPad,          &ProgramMaker::stepConcat,
                                   &ProgramMaker::stepReduce,       &ProgramMaker::stepReduce,
                                   &ProgramMaker::stepContraction,  &ProgramMaker::stepContraction,
                                   &ProgramMaker::stepWindow,       &ProgramMaker::stepArgMax,
                                   &ProgramMaker::stepSoftmaxPair,  &ProgramMaker::stepWelford,
                                   &ProgramMaker::stepGather,       &ProgramMaker::stepUpdate,
                                   &ProgramMaker::stepScatter,      &ProgramMaker::stepScan,
                                   &ProgramMaker::stepBranch,       &ProgramMaker::stepLoop,
                                   &ProgramMaker::stepWriteWindows, &ProgramMaker::stepReadColumn};
  makeArguments();
  // If a step does not find what it needs, another one is tried.
  unsigned done = 0;
  for (unsigned tries = 0; done < options.numSteps && tries < 20 * options.numSteps; ++tries) {
    loc = NameLoc::get(builder.getStringAttr("step" + std::to_string(done)));
    done += (this->*random.pick<Step>(steps))();
  }
  if (options.siblings)
    stepSiblings();
  if (options.layers)
    stepLayers();
  if (options.rows)
    stepRows();
  if (options.longSums)
    stepLongSum();
  finish();
  return {std::move(module), sizes, errors};
}

RandomProgram reference::makeRandomProgram(MLIRContext &context, uint64_t seed,
                                           const RandomProgramOptions &options) {
  context
      .loadDialect<affine::AffineDialect, arith::ArithDialect, func::FuncDialect, math::MathDialect,
                   scf::SCFDialect, tensor::TensorDialect, mlir::tssa::te::TEDialect>();
  return ProgramMaker(context, seed, options).make();
}
