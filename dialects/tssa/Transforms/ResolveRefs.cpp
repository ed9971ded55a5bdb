//===- ResolveRefs.cpp - no refs through control flow -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A *name* is a ref that control flow carries. If the analysis found one storage and one path
/// that the name always has, only the integers of the path that change are carried, and the name
/// becomes a view of that storage. Any other name becomes a storage of its own, and its value is
/// carried. If a write makes this copy observable, the pass fails with an error that points at
/// the name and at the root that it may alias.
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Analysis/Aliases.h"
#include "dialects/tssa/Transforms/CarriedValues.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/Remarks.h"
#include "tssa/Support/Unsupported.h"

namespace mlir::tssa::refs {
#define GEN_PASS_DEF_TSSARESOLVEREFS
#include "dialects/tssa/Transforms/Passes.h.inc"
} // namespace mlir::tssa::refs

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

namespace {
class Resolver {
public:
  Resolver(func::FuncOp function, const Aliases &aliases)
      : function(function), aliases(aliases), builder(function.getContext()) {}
  void run();

private:
  void resolveBlock(Block &block);
  void resolve(Operation *op);
  SmallVector<Value> unpackInits(Operation *op);
  void resolveRegion(Region &region, ValueRange yieldsInto);
  /// Returns the types of the values that are carried for the names among `values`.
  SmallVector<Type> getCarriedTypes(ValueRange values);
  /// Appends to `carried` the values to carry where `ref` comes into `name`.
  void unpack(Value ref, Value name, SmallVectorImpl<Value> &carried);
  /// Replaces each name among `values` by a ref built from the trailing values of `carriers`.
  void pack(ValueRange values, ValueRange carriers);

  func::FuncOp function;
  const Aliases &aliases;
  OpBuilder builder;
  /// The storage that was allocated for each name that owns one.
  DenseMap<Value, Value> storages;
  /// The replaced ops. They are erased at the end, because the analysis refers to their results.
  SmallVector<Operation *> replaced;
};
} // namespace

static bool isRef(Value value) { return isa<RefType>(value.getType()); }

SmallVector<Type> Resolver::getCarriedTypes(ValueRange values) {
  SmallVector<Type> types;
  for (Value name : llvm::make_filter_range(values, isRef)) {
    if (aliases.isOwner(name))
      types.push_back(cast<RefType>(name.getType()).getTensorType());
    else
      types.append(countDynamic(aliases.getRootedPath(name).path), builder.getIndexType());
  }
  return types;
}

void Resolver::unpack(Value ref, Value name, SmallVectorImpl<Value> &carried) {
  if (aliases.isOwner(name)) {
    carried.push_back(ReadOp::create(builder, name.getLoc(), ref));
    return;
  }
  Path path = getPathFromRoot(ref);
  for (auto [step, bound] :
       llvm::zip_equal(aliases.getRootedPath(name).path.getAsRange<ViewStep>(), path))
    for (auto [integer, given] : llvm::zip_equal(step.getIntegers(), bound.integers))
      if (ShapedType::isDynamic(integer))
        carried.push_back(getValueOrCreateConstantIndexOp(builder, name.getLoc(), given));
}

void Resolver::pack(ValueRange values, ValueRange carriers) {
  ValueRange carried = carriers.take_back(getCarriedTypes(values).size());
  for (Value name : llvm::make_filter_range(values, isRef)) {
    RootedPath rooted = aliases.getRootedPath(name);
    Value ref;
    auto options = remark::RemarkOpts::name("ref").category("tssa-resolve-refs");
    if (aliases.isOwner(name)) {
      remark::missed(name.getLoc(), options)
          << remark::reason("it may refer to different storages, so its value is carried");
      ref = storages[name] = AllocOp::create(builder, name.getLoc(), carried.front());
      carried = carried.drop_front();
    } else {
      unsigned count = countDynamic(rooted.path);
      remark::passed(name.getLoc(), options) << remark::metric("CarriedIndexes", count);
      Value root = storages.contains(rooted.root) ? storages.lookup(rooted.root) : rooted.root;
      ref = ViewOp::create(builder, name.getLoc(), root,
                           bindPath(rooted.path, carried.take_front(count)));
      carried = carried.drop_front(count);
    }
    name.replaceAllUsesWith(ref);
  }
}

SmallVector<Value> Resolver::unpackInits(Operation *op) {
  SmallVector<Value> inits;
  if (isa<scf::IfOp>(op))
    return inits;
  unsigned first = isa<scf::ForOp>(op) ? 3 : 0;
  for (auto [init, name] :
       llvm::zip_equal(op->getOperands().drop_front(first), getCarriedArguments(op->getRegion(0))))
    if (isRef(name))
      unpack(init, name, inits);
  return inits;
}

/// Resolves the names of `region`. `yieldsInto` are the arguments or results that get the values
/// that the region yields.
void Resolver::resolveRegion(Region &region, ValueRange yieldsInto) {
  builder.setInsertionPointToStart(&region.front());
  SmallVector<Value> arguments(region.getArguments());
  unsigned numCarried = getCarriedTypes(arguments).size();
  pack(ValueRange(arguments).drop_back(numCarried), arguments);
  resolveBlock(region.front());
  builder.setInsertionPoint(region.front().getTerminator());
  MutableOperandRange yielded = getYielded(region);
  SmallVector<Value> carried;
  for (auto [value, name] :
       llvm::zip_equal(SmallVector<Value>(yielded.getAsOperandRange()), yieldsInto))
    if (isRef(name))
      unpack(value, name, carried);
  yielded.append(carried);
}

void Resolver::resolve(Operation *op) {
  builder.setInsertionPoint(op);
  SmallVector<Value> results(op->getResults());
  Operation *carrying = addCarried(builder, op, unpackInits(op), getCarriedTypes(results));
  for (Region &region : carrying->getRegions()) {
    // The values that the body of a while yields become the arguments of its first region.
    bool isBody = isa<scf::WhileOp>(carrying) && region.getRegionNumber() == 1;
    ValueRange names = results;
    SmallVector<Value> before;
    if (isBody) {
      MutableArrayRef<BlockArgument> arguments = carrying->getRegion(0).getArguments();
      before.assign(arguments.begin(), arguments.begin() + op->getNumOperands());
      names = before;
    }
    resolveRegion(region, names);
  }
  builder.setInsertionPointAfter(carrying);
  for (auto [old, result] : llvm::zip(results, carrying->getResults()))
    if (!isRef(old))
      old.replaceAllUsesWith(result);
  pack(results, carrying->getResults());
  dropRefs(builder, carrying);
  replaced.push_back(op);
}

void Resolver::resolveBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isControlFlow(&op))
      continue;
    auto carriesRefs = [](Region &region) { return llvm::any_of(region.getArguments(), isRef); };
    if (llvm::any_of(op.getResults(), isRef) || llvm::any_of(op.getRegions(), carriesRefs)) {
      resolve(&op);
      continue;
    }
    for (Region &region : op.getRegions())
      if (!region.empty())
        resolveBlock(region.front());
  }
}

void Resolver::run() {
  resolveBlock(function.getBody().front());
  for (Operation *op : replaced) {
    op->dropAllReferences();
    op->erase();
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Replaces a select between refs by an scf.if.
static void expandSelect(arith::SelectOp op) {
  OpBuilder builder(op);
  auto branch = scf::IfOp::create(
      builder, op.getLoc(), op.getCondition(),
      [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, op.getTrueValue()); },
      [&](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, op.getFalseValue()); });
  op.replaceAllUsesWith(branch.getResult(0));
  op.erase();
}

static void report(const Conflict &conflict) {
  InFlightDiagnostic error = ::tssa::emitUnsupported(conflict.write);
  error << "this write may change a storage that another reference also refers to, and that "
           "reference is used afterwards; clone one of the two before control flow chooses between "
           "storages";
  error.attachNote(conflict.name.getLoc()) << "control flow chooses a reference here";
  error.attachNote(conflict.other.getLoc()) << "that may refer to this storage";
  error.attachNote(conflict.use->getLoc()) << "and the other reference is used here";
}

namespace {
struct ResolveRefs : refs::impl::TSSAResolveRefsBase<ResolveRefs> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || !function.getBody().hasOneBlock()) {
      function.emitError("expected a function with one block");
      return signalPassFailure();
    }
    function.walk([](arith::SelectOp op) {
      if (isRef(op.getResult()))
        expandSelect(op);
    });
    Aliases aliases(function);
    if (std::optional<Conflict> conflict = aliases.findConflict()) {
      report(*conflict);
      return signalPassFailure();
    }
    Resolver(function, aliases).run();
  }
};
} // namespace
