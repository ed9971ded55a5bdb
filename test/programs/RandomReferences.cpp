//===- RandomReferences.cpp - imperative programs made from a seed --------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Programs with views of views, writes through them, loops, branches, and refs that loops carry.
/// All arithmetic is exact, so that all correct compilers compute the same bits.
///
//===----------------------------------------------------------------------===//

#include "ReferenceMaker.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/TEDialect.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
namespace reference = ::tssa::reference;
using namespace ::tssa::reference;
using namespace mlir::tssa;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

LiveRef ReferenceMaker::view(const LiveRef &base, ArrayRef<refs::BoundStep> path,
                             ArrayRef<int64_t> extents) {
  refs::Path steps(path);
  Value ref = refs::ViewOp::create(builder, loc, base.ref, steps);
  return {ref, refs::reifyShape(steps, base.sizes), SmallVector<int64_t>(extents)};
}

/// Returns an index below `extent`: a constant or the index of a loop.
OpFoldResult ReferenceMaker::chooseIndex(int64_t extent) {
  if (!indexes.empty() && random.oneIn(2)) {
    const LiveIndex &index = indexes[random.below(indexes.size())];
    if (index.bound <= extent)
      return index.index;
  }
  return builder.getIndexAttr(random.below(extent));
}

/// Returns a random view operation on `ref`, or nothing if the one that was drawn does not fit.
std::optional<refs::BoundStep> ReferenceMaker::makeStep(const LiveRef &base) {
  MLIRContext *context = builder.getContext();
  unsigned rank = base.getRank();
  if (rank == 0 || rank > 3)
    return std::nullopt;
  int64_t dim = random.below(rank), extent = base.extents[dim];
  switch (random.below(6)) {
  case 0:
  case 1:
    return extent ? std::optional(refs::makeSelect(context, dim, chooseIndex(extent)))
                  : std::nullopt;
  case 2: {
    int64_t start = random.below(extent + 1), step = 1 + random.below(2);
    int64_t most = (extent - start + step - 1) / step;
    OpFoldResult size = builder.getIndexAttr(random.below(most + 1));
    return refs::makeSlice(context, dim, builder.getIndexAttr(start), size, step);
  }
  case 3: {
    SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(permutation[0], permutation[dim]);
    return refs::makePermute(context, permutation);
  }
  case 4:
    return extent == 1 ? refs::makeSqueeze(context, dim) : refs::makeUnsqueeze(context, dim);
  default: {
    SmallVector<OpFoldResult> merged(base.sizes);
    if (rank < 2 || !isa<Attribute>(base.sizes[0]) || !isa<Attribute>(base.sizes[1]))
      return std::nullopt;
    merged[1] = builder.getIndexAttr(base.extents[0] * base.extents[1]);
    merged.erase(merged.begin());
    return refs::makeReshape(context, merged);
  }
  }
}

void ReferenceMaker::stepView() {
  LiveRef base = choose();
  std::optional<refs::BoundStep> step = makeStep(base);
  if (!step)
    return;
  SmallVector<OpFoldResult> marks = step->getStep().reifyShape(
      getAsIndexOpFoldResult(builder.getContext(), base.extents), step->integers);
  SmallVector<int64_t> extents;
  for (OpFoldResult mark : marks)
    extents.push_back(*getConstantIntValue(mark));
  refs.push_back(view(base, *step, extents));
}

//===----------------------------------------------------------------------===//
// Writes
//===----------------------------------------------------------------------===//

const LiveRef *ReferenceMaker::chooseShape(const LiveRef &like) {
  SmallVector<const LiveRef *> found;
  for (const LiveRef &ref : refs)
    if (ref.sizes == like.sizes && ref.ref.getType() == like.ref.getType())
      found.push_back(&ref);
  return found.empty() ? nullptr : found[random.below(found.size())];
}

/// Computes an expression of the shape of `target` from the contents of `target` and of another
/// ref.
Value ReferenceMaker::makeValue(const LiveRef &target, bool readsOthers) {
  const LiveRef *found = readsOthers ? chooseShape(target) : nullptr;
  Value own = refs::ReadOp::create(builder, loc, target.ref);
  Value other = refs::ReadOp::create(builder, loc, (found ? found : &target)->ref);
  unsigned kind = random.below(5);
  double number = static_cast<double>(random.below(7)) - 3;
  auto op = te::buildCompute(
      builder, loc, target.sizes, builder.getF32Type(), [&](OpBuilder &b, Location) {
        AffineMap identity = b.getMultiDimIdentityMap(target.getRank());
        auto makeFloat = [&](double value) -> Value {
          return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
        };
        Value left = te::ReadOp::create(b, loc, own, identity);
        Value right = te::ReadOp::create(b, loc, other, identity);
        Value result;
        if (kind == 0)
          result = arith::AddFOp::create(b, loc, left, makeFloat(number));
        else if (kind == 1)
          result = arith::SubFOp::create(b, loc, left, right);
        else if (kind == 2)
          result = arith::MaximumFOp::create(b, loc, right, makeFloat(number));
        else if (kind == 3)
          result = arith::MulFOp::create(b, loc, right, makeFloat(0.5));
        else
          result = right;
        // Values must stay small however often a loop runs this.
        result = arith::MinimumFOp::create(b, loc, result, makeFloat(64));
        return SmallVector<Value>{arith::MaximumFOp::create(b, loc, result, makeFloat(-64))};
      });
  auto type = cast<refs::RefType>(target.ref.getType()).getTensorType();
  Value value = op.getResult(0);
  return value.getType() == type ? value
                                 : tensor::CastOp::create(builder, loc, type, value).getResult();
}

void ReferenceMaker::write(const LiveRef &target) {
  Value value = makeValue(target);
  refs::WriteOp::create(builder, loc, value, target.ref);
}

void ReferenceMaker::stepWrite() {
  LiveRef target = choose();
  write(target);
}

void ReferenceMaker::stepClone() {
  LiveRef source = choose();
  Value value = refs::ReadOp::create(builder, loc, source.ref);
  source.ref = refs::AllocOp::create(builder, loc, value);
  refs.push_back(source);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

void ReferenceMaker::statement(unsigned depth) {
  unsigned kind = random.below(depth < 3 ? 17 : 8);
  if (kind < 3)
    stepView();
  else if (kind < 6)
    stepWrite();
  else if (kind == 6)
    stepClone();
  else if (kind == 7)
    stepRows();
  else if (kind == 8)
    stepBranch(depth);
  else if (kind == 9)
    stepFor(depth);
  else if (kind == 10)
    stepWhile(depth);
  else if (kind == 11)
    stepRecurrence(depth);
  else if (kind == 12)
    stepSwap(depth);
  else if (kind < 15)
    stepChoose();
  else
    stepExchange(depth);
}

/// Adds three arguments that are storages. The first dim of the first two is the size N.
void ReferenceMaker::makeArguments() {
  int64_t named = 1 + random.below(4);
  sizes["N"] = named;
  Builder &b = builder;
  SmallVector<Type> types;
  SmallVector<SmallVector<int64_t>> extents = {
      {named, 3}, {named, 1, 4}, {static_cast<int64_t>(2 + random.below(3)), 4}};
  for (auto [number, shape] : llvm::enumerate(extents)) {
    SmallVector<int64_t> type(shape);
    if (number < 2)
      type.front() = ShapedType::kDynamic;
    types.push_back(refs::RefType::get(b.getContext(), type, b.getF32Type()));
  }
  function = func::FuncOp::create(builder, loc, "main", b.getFunctionType(types, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  for (auto [number, argument] : llvm::enumerate(function.getArguments())) {
    LiveRef ref{argument, {}, extents[number]};
    SmallVector<Attribute> dims;
    for (auto [dim, extent] : llvm::enumerate(extents[number])) {
      bool isNamed = number < 2 && dim == 0;
      ref.sizes.push_back(b.getIndexAttr(extent));
      dims.push_back(b.getI64IntegerAttr(extent));
      if (!isNamed)
        continue;
      dims.back() = b.getStringAttr("N");
      ref.sizes.back() =
          number == 0 ? OpFoldResult(refs::DimOp::create(builder, loc, argument, 0).getResult())
                      : refs.front().sizes.front();
    }
    te::setArgumentPort(function, number,
                        te::PortAttr::get(b.getContext(), b.getStringAttr("x" + Twine(number)),
                                          Type(), b.getArrayAttr(dims)));
    refs.push_back(std::move(ref));
  }
}

RandomProgram ReferenceMaker::make() {
  RandomProgram program;
  program.module = ModuleOp::create(loc);
  builder.setInsertionPointToStart(program.module->getBody());
  makeArguments();
  for (unsigned i = 0; i < options.numSteps; ++i)
    statement(0);
  SmallVector<Value> results;
  for (const LiveRef &ref : llvm::drop_begin(refs, 3))
    results.push_back(refs::ReadOp::create(builder, loc, ref.ref));
  if (results.empty())
    results.push_back(refs::ReadOp::create(builder, loc, refs.front().ref));
  func::ReturnOp::create(builder, loc, results);
  function.setType(
      builder.getFunctionType(function.getArgumentTypes(), TypeRange(ValueRange(results))));
  program.sizes = sizes;
  // The final contents of the arguments follow the results.
  program.errors.assign(results.size() + function.getNumArguments(), 0);
  return program;
}

RandomProgram reference::makeRandomReferenceProgram(MLIRContext &context, uint64_t seed,
                                                    const RandomProgramOptions &options) {
  context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect,
                      tensor::TensorDialect, te::TEDialect, refs::TSSADialect>();
  return ReferenceMaker(context, seed, options).make();
}
