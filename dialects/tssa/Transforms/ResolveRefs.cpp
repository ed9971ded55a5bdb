//===- ResolveRefs.cpp - no refs through control flow -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A name is a ref that control flow carries. Where the analysis found the one storage
/// and path that it always is, only the integers of the path that change are carried,
/// and the name is a view of that storage. Any other name carries the value and is a
/// storage of its own, which is right when nobody can tell; else both are named.
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
  /// The types of what is carried for names.
  SmallVector<Type> getCarriedTypes(ValueRange values);
  /// What is carried for `ref` where it comes into `name`.
  void unpack(Value ref, Value name, SmallVectorImpl<Value> &carried);
  /// Makes each name among `values` what the last values of `carriers` say.
  void pack(ValueRange values, ValueRange carriers);

  func::FuncOp function;
  const Aliases &aliases;
  OpBuilder builder;
  /// The storage that each name that owns one was given.
  DenseMap<Value, Value> storages;
  /// Kept until the end: the analysis speaks of their results.
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
      types.append(countDynamic(aliases.getPlace(name).path), builder.getIndexType());
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
       llvm::zip_equal(aliases.getPlace(name).path.getAsRange<ViewStep>(), path))
    for (auto [integer, given] : llvm::zip_equal(step.getIntegers(), bound.integers))
      if (ShapedType::isDynamic(integer))
        carried.push_back(getValueOrCreateConstantIndexOp(builder, name.getLoc(), given));
}

void Resolver::pack(ValueRange values, ValueRange carriers) {
  ValueRange carried = carriers.take_back(getCarriedTypes(values).size());
  for (Value name : llvm::make_filter_range(values, isRef)) {
    Place place = aliases.getPlace(name);
    Value ref;
    auto options = remark::RemarkOpts::name("ref").category("tssa-resolve-refs");
    if (aliases.isOwner(name)) {
      remark::missed(name.getLoc(), options)
          << remark::reason("it does not always name the same storage: its value is carried");
      ref = storages[name] = AllocOp::create(builder, name.getLoc(), carried.front());
      carried = carried.drop_front();
    } else {
      unsigned count = countDynamic(place.path);
      remark::passed(name.getLoc(), options) << remark::metric("CarriedIndexes", count);
      Value root = storages.contains(place.root) ? storages.lookup(place.root) : place.root;
      ref = ViewOp::create(builder, name.getLoc(), root,
                           bindPath(place.path, carried.take_front(count)));
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

/// `yieldsInto` are the names that the yielded refs come into.
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
    // What the last region of a while yields comes into its first one.
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

/// A select between refs is a branch.
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
  error << "this write may change a storage that has another name: expected names of which "
           "control flow makes always the same storage, or that are not used after a write to the "
           "other; clone one of them where they become one";
  error.attachNote(conflict.name.getLoc()) << "control flow makes a name here";
  error.attachNote(conflict.other.getLoc()) << "for what may be this storage";
  error.attachNote(conflict.use->getLoc()) << "and the other one is used here";
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
