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

#include "RandomProgram.h"
#include "dialects/te/IR/Builders.h"
#include "dialects/te/IR/Program.h"
#include "dialects/te/IR/TEDialect.h"
#include "dialects/tssa/IR/TSSAOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tssa/Reference/RandomInputs.h"

using namespace mlir;
namespace reference = ::tssa::reference;
using namespace ::tssa::reference;
using namespace mlir::tssa;

namespace {
/// A ref, with its sizes in the program and their values when the program runs.
struct LiveRef {
  Value ref;
  SmallVector<OpFoldResult> sizes;
  SmallVector<int64_t> extents;
  unsigned getRank() const { return sizes.size(); }
};

/// The index of a loop around the current statement. When the program runs, it is less than
/// `bound`.
struct LiveIndex {
  Value index;
  int64_t bound;
};

class ReferenceMaker {
public:
  ReferenceMaker(MLIRContext &context, uint64_t seed, const RandomProgramOptions &options)
      : options(options), random(seed), builder(&context), loc(builder.getUnknownLoc()) {}
  RandomProgram make();

private:
  void makeArguments();
  Value constantIndex(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  const LiveRef &choose() { return refs[random.below(refs.size())]; }
  const LiveRef *chooseShape(const LiveRef &like);
  void statement(unsigned depth);
  void block(unsigned depth);

  // Views.
  void stepView();
  std::optional<refs::BoundStep> makeStep(const LiveRef &base);
  OpFoldResult chooseIndex(int64_t extent);
  LiveRef view(const LiveRef &base, ArrayRef<refs::BoundStep> path, ArrayRef<int64_t> extents);

  // Writes.
  void stepWrite();
  void stepClone();
  Value makeValue(const LiveRef &target, bool readsOthers = true);
  void write(const LiveRef &target);

  // Control.
  Value makeCondition();
  void stepBranch(unsigned depth);
  void stepFor(unsigned depth);
  void stepRows();
  void stepWhile(unsigned depth);
  void stepRecurrence(unsigned depth);
  void stepSwap(unsigned depth);
  void stepChoose();
  void stepExchange(unsigned depth);
  scf::ForOp makeLoop(ValueRange carried, int64_t &trips);

  const RandomProgramOptions options;
  Random random;
  OpBuilder builder;
  Location loc;
  func::FuncOp function;
  SmallVector<LiveRef> refs;
  SmallVector<LiveIndex> indexes;
  /// How many more times control flow may choose between storages. The number of storages that a
  /// name may refer to has a limit.
  unsigned choices = 2;
  llvm::StringMap<int64_t> sizes;
};
} // namespace

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
// Control
//===----------------------------------------------------------------------===//

/// Returns whether an element of some ref is less than a number.
Value ReferenceMaker::makeCondition() {
  LiveRef ref = choose();
  if (llvm::is_contained(ref.extents, 0))
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(random.oneIn(2)));
  Value tensor = refs::ReadOp::create(builder, loc, ref.ref);
  SmallVector<Value> at;
  for (int64_t extent : ref.extents)
    at.push_back(constantIndex(random.below(extent)));
  Value element = tensor::ExtractOp::create(builder, loc, tensor, at);
  Value limit = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0.25));
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, element, limit);
}

/// Builds a few statements. The refs that they define are dropped afterwards.
void ReferenceMaker::block(unsigned depth) {
  size_t numRefs = refs.size();
  for (unsigned i = 0, count = 1 + random.below(3); i < count; ++i)
    statement(depth + 1);
  refs.resize(numRefs);
}

void ReferenceMaker::stepBranch(unsigned depth) {
  auto branch = scf::IfOp::create(builder, loc, makeCondition(), random.oneIn(2));
  OpBuilder::InsertionGuard guard(builder);
  for (Region &region : branch->getRegions())
    if (!region.empty()) {
      builder.setInsertionPoint(region.front().getTerminator());
      block(depth);
    }
}

/// Builds a loop of zero to three iterations, or of as many as a named size.
scf::ForOp ReferenceMaker::makeLoop(ValueRange carried, int64_t &trips) {
  trips = random.below(4);
  Value bound = constantIndex(trips);
  if (random.oneIn(3)) {
    bound = refs::DimOp::create(builder, loc, refs.front().ref, 0);
    trips = refs.front().extents[0];
  }
  return scf::ForOp::create(builder, loc, constantIndex(0), bound, constantIndex(1), carried);
}

void ReferenceMaker::stepFor(unsigned depth) {
  int64_t trips;
  scf::ForOp loop = makeLoop({}, trips);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  indexes.push_back({loop.getInductionVar(), trips});
  block(depth);
  indexes.pop_back();
}

/// Builds a loop over all rows, or over every second one, in which no iteration uses another's row.
void ReferenceMaker::stepRows() {
  LiveRef base = choose();
  if (base.getRank() == 0)
    return;
  int64_t step = 1 + random.below(2);
  Value bound = constantIndex(random.below(base.extents[0] + 1));
  if (auto size = dyn_cast<Value>(base.sizes[0]))
    bound = size;
  auto loop = scf::ForOp::create(builder, loc, constantIndex(0), bound, constantIndex(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  LiveRef row = view(base, refs::makeSelect(builder.getContext(), 0, loop.getInductionVar()),
                     ArrayRef(base.extents).drop_front());
  Value value = makeValue(row, /*readsOthers=*/false);
  refs::WriteOp::create(builder, loc, value, row.ref);
}

/// Builds a loop whose counter is in a storage that its condition reads.
void ReferenceMaker::stepWhile(unsigned depth) {
  Type type = builder.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
  };
  Value start =
      tensor::FromElementsOp::create(builder, loc, RankedTensorType::get({}, type), constant(0));
  Value counter = refs::AllocOp::create(builder, loc, start);
  auto readCounter = [&]() -> Value {
    Value tensor = refs::ReadOp::create(builder, loc, counter);
    return tensor::ExtractOp::create(builder, loc, tensor, ValueRange());
  };
  auto loop = scf::WhileOp::create(builder, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, readCounter(),
                                     constant(random.below(3)));
  scf::ConditionOp::create(builder, loc, more, ValueRange());
  builder.createBlock(&loop.getAfter());
  Value next = arith::AddIOp::create(builder, loc, readCounter(), constant(1));
  Value tensor =
      tensor::FromElementsOp::create(builder, loc, RankedTensorType::get({}, type), next);
  refs::WriteOp::create(builder, loc, tensor, counter);
  block(depth);
  scf::YieldOp::create(builder, loc);
}

/// Builds a loop that carries a ref to another storage in each iteration.
void ReferenceMaker::stepRecurrence(unsigned depth) {
  LiveRef state = choose();
  Value value = refs::ReadOp::create(builder, loc, state.ref);
  Value first = refs::AllocOp::create(builder, loc, value);
  int64_t trips;
  scf::ForOp loop = makeLoop(first, trips);
  LiveRef carried = state;
  carried.ref = loop.getRegionIterArg(0);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    size_t numRefs = refs.size();
    refs.push_back(carried);
    indexes.push_back({loop.getInductionVar(), trips});
    block(depth);
    Value next = refs::AllocOp::create(builder, loc, makeValue(carried));
    scf::YieldOp::create(builder, loc, next);
    indexes.pop_back();
    refs.resize(numRefs);
  }
  carried.ref = loop.getResult(0);
  refs.push_back(carried);
}

/// Builds a loop that carries refs to two rows of a storage and swaps them in each iteration.
void ReferenceMaker::stepSwap(unsigned depth) {
  LiveRef base = choose();
  if (base.getRank() == 0 || base.extents[0] < 2)
    return;
  auto makeRow = [&](int64_t row) {
    return view(base, refs::makeSelect(builder.getContext(), 0, builder.getIndexAttr(row)),
                ArrayRef(base.extents).drop_front());
  };
  LiveRef current = makeRow(0), next = makeRow(1);
  int64_t trips;
  scf::ForOp loop = makeLoop({current.ref, next.ref}, trips);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    size_t numRefs = refs.size();
    LiveRef here = current, there = next;
    here.ref = loop.getRegionIterArg(0);
    there.ref = loop.getRegionIterArg(1);
    refs.push_back(here);
    refs.push_back(there);
    write(there);
    block(depth);
    refs.resize(numRefs);
    scf::YieldOp::create(builder, loc, ValueRange{there.ref, here.ref});
  }
  current.ref = loop.getResult(0);
  refs.push_back(current);
}

/// Builds a name that is one of two refs.
void ReferenceMaker::stepChoose() {
  LiveRef chosen = choose();
  LiveRef other = *chooseShape(chosen);
  if (choices == 0)
    return;
  --choices;
  chosen.ref = arith::SelectOp::create(builder, loc, makeCondition(), chosen.ref, other.ref);
  refs.push_back(chosen);
}

/// Builds a loop that carries two refs, which may be the same. An iteration swaps them, or gives
/// the second one, or both, a new storage.
void ReferenceMaker::stepExchange(unsigned depth) {
  LiveRef here = choose(), there = *chooseShape(here);
  if (choices == 0)
    return;
  --choices;
  int64_t trips;
  scf::ForOp loop = makeLoop({here.ref, there.ref}, trips);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    size_t numRefs = refs.size();
    here.ref = loop.getRegionIterArg(0);
    there.ref = loop.getRegionIterArg(1);
    refs.push_back(here);
    refs.push_back(there);
    block(depth);
    bool isShared = random.oneIn(2);
    auto branch = scf::IfOp::create(
        builder, loc, makeCondition(),
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, ValueRange{there.ref, here.ref});
        },
        [&](OpBuilder &inner, Location) {
          Value value = refs::ReadOp::create(inner, loc, there.ref);
          Value made = refs::AllocOp::create(inner, loc, value);
          scf::YieldOp::create(inner, loc, ValueRange{isShared ? made : here.ref, made});
        });
    scf::YieldOp::create(builder, loc, branch.getResults());
    refs.resize(numRefs);
  }
  here.ref = loop.getResult(0);
  there.ref = loop.getResult(1);
  refs.push_back(here);
  refs.push_back(there);
}

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

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

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
