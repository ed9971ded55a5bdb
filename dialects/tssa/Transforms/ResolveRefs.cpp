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
/// carried. If a write makes this copy observable, the name is selected: what is carried is a tag
/// for the candidate that it refers to, the integers of the candidates' paths, and the contents of
/// the name's slot if it has one. Where the candidates cannot be listed, the pass fails with an
/// error that points at the name and at the root that it may alias.
///
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Analysis/Selections.h"
#include "dialects/tssa/Transforms/CarriedValues.h"
#include "dialects/tssa/Transforms/Passes.h"
#include "dialects/tssa/Transforms/SelectedRefs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
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
  Resolver(func::FuncOp function, const Aliases &aliases, const Selections &selections)
      : function(function), aliases(aliases), selections(selections),
        builder(function.getContext()), selected(builder) {}
  void run();

private:
  void resolveBlock(Block &block);
  void resolve(Operation *op);
  SmallVector<Value> unpackInits(Operation *op);
  void resolveRegion(Region &region, ValueRange yieldsInto);
  void resolveReturn();
  /// Returns the types of the values that are carried for the names among `values`.
  SmallVector<Type> getCarriedTypes(ValueRange values);
  /// Returns the values to carry where `refs` come into the names among `names`, one by one.
  SmallVector<Value> unpack(ValueRange refs, ValueRange names);
  void unpackIndexes(Value ref, Value name, SmallVectorImpl<Value> &carried);
  void unpackSelected(Value name, const DenseMap<Value, Value> &given,
                      SmallVectorImpl<Value> &carried);
  /// Replaces each name among `values` by a ref built from the trailing values of `carriers`.
  void pack(ValueRange values, ValueRange carriers);
  /// Allocates the slots, of which names are views that may come before their owner.
  void allocateSlots(ValueRange values, ValueRange carried);
  void packView(Value name, ValueRange indexes);
  /// Takes the values of a selected name off the front of `carried`.
  void packSelected(Value name, ValueRange &carried);
  Value allocate(Value name, Value contents);
  /// Returns the storage that was allocated for `root`; itself if it is a storage.
  Value getStorage(Value root) const;

  /// Returns the root of `ref` in the analysis, and the path from there.
  RootedPath getPlace(Value ref) const;
  /// Returns the contents of the slot of `name` where it becomes `choice`.
  Value unpackSlot(Value name, const Choice &choice);
  /// A candidate of a name that is given its ref, and the tag of a sibling that must be `number`
  /// for it; null if it always is.
  struct Place {
    unsigned candidate;
    Value tag;
    unsigned number;
    int numSteps = -1;
    int order = 0;
  };
  /// Returns what `name` may be where it becomes `ref`; a later place goes before an earlier one.
  SmallVector<Place> findPlaces(Value name, Value ref, const DenseMap<Value, Value> &given) const;
  Value getTag(Location loc, ArrayRef<Place> places);

  func::FuncOp function;
  const Aliases &aliases;
  const Selections &selections;
  OpBuilder builder;
  SelectedRefs selected;
  /// The storage that was allocated for each name that owns one, or has a slot; and the inverse.
  DenseMap<Value, Value> storages, owners;
  /// The replaced ops with what replaces them. The ops are erased at the end, and so are the refs
  /// of their replacements, because the analysis refers to their results and arguments.
  SmallVector<std::pair<Operation *, Operation *>> replaced;
};
} // namespace

static bool isRef(Value value) { return isa<RefType>(value.getType()); }
static Type getTensorType(Value ref) { return cast<RefType>(ref.getType()).getTensorType(); }

SmallVector<Type> Resolver::getCarriedTypes(ValueRange values) {
  SmallVector<Type> types;
  for (Value name : llvm::make_filter_range(values, isRef)) {
    unsigned numIndexes = 0;
    if (selections.isSelected(name)) {
      if (selections.hasSlot(name))
        types.push_back(getTensorType(name));
      numIndexes = 1;
      for (const RootedPath &candidate : selections.getCandidates(name))
        numIndexes += countDynamic(candidate.path);
    } else if (aliases.isOwner(name)) {
      types.push_back(getTensorType(name));
    } else {
      numIndexes = countDynamic(aliases.getRootedPath(name).path);
    }
    types.append(numIndexes, builder.getIndexType());
  }
  return types;
}

//===----------------------------------------------------------------------===//
// From refs to carried values
//===----------------------------------------------------------------------===//

SmallVector<Value> Resolver::unpack(ValueRange refs, ValueRange names) {
  SmallVector<Value> carried;
  DenseMap<Value, Value> given;
  for (auto [ref, name] : llvm::zip_equal(refs, names))
    given[name] = ref;
  for (auto [ref, name] : llvm::zip_equal(refs, names)) {
    if (!isRef(name))
      continue;
    if (selections.isSelected(name))
      unpackSelected(name, given, carried);
    else if (aliases.isOwner(name))
      carried.push_back(selected.read(name.getLoc(), ref));
    else
      unpackIndexes(ref, name, carried);
  }
  return carried;
}

/// Appends the integers of `path` for which `skeleton` has a `?`.
static void appendVarying(OpBuilder &builder, Location loc, ArrayAttr skeleton, const Path &path,
                          SmallVectorImpl<Value> &integers) {
  for (auto [step, bound] : llvm::zip_equal(skeleton.getAsRange<ViewStep>(), path))
    for (auto [integer, given] : llvm::zip_equal(step.getIntegers(), bound.integers))
      if (ShapedType::isDynamic(integer))
        integers.push_back(getValueOrCreateConstantIndexOp(builder, loc, given));
}

void Resolver::unpackIndexes(Value ref, Value name, SmallVectorImpl<Value> &carried) {
  Path path = selected.contains(ref) ? selected.getPathFromName(ref) : getPathFromRoot(ref);
  appendVarying(builder, name.getLoc(), aliases.getRootedPath(name).path, path, carried);
}

RootedPath Resolver::getPlace(Value ref) const {
  SmallVector<Value> operands;
  Value root = getRoot(ref);
  auto owner = owners.find(root);
  return {owner == owners.end() ? root : owner->second,
          splitPath(ref.getContext(), getPathFromRoot(ref), operands)};
}

Value Resolver::unpackSlot(Value name, const Choice &choice) {
  Location loc = name.getLoc();
  auto emit = [&](OpBuilder &inner, unsigned number) -> SmallVector<Value> {
    Value ref = choice.refs[number];
    std::optional<unsigned> tag = selections.findCandidate(name, getPlace(ref));
    if (tag && selections.getCandidates(name)[*tag].root == name)
      return {ReadOp::create(inner, loc, ref)};
    // The tag will not point at the slot.
    auto type = cast<RankedTensorType>(getTensorType(ref));
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      sizes.push_back(ShapedType::isDynamic(size)
                          ? OpFoldResult(DimOp::create(inner, loc, inner.getIndexType(), ref,
                                                       inner.getI64IntegerAttr(dim)))
                          : OpFoldResult(inner.getIndexAttr(size)));
    return {tensor::EmptyOp::create(inner, loc, sizes, type.getElementType())};
  };
  return SelectedRefs::branch(builder, loc, choice, getTensorType(name), emit)[0];
}

SmallVector<Resolver::Place> Resolver::findPlaces(Value name, Value ref,
                                                  const DenseMap<Value, Value> &given) const {
  RootedPath place = getPlace(ref);
  SmallVector<Place> places;
  if (std::optional<unsigned> own = selections.findCandidate(name, place)) {
    places.push_back({*own, {}, 0});
    if (selections.getCandidates(name)[*own].root != name)
      return places;
  }
  for (Value sibling : selections.getSiblings(name)) {
    Choice other = selected.getChoice(given.lookup(sibling));
    for (auto [number, otherRef] : llvm::enumerate(other.refs)) {
      std::optional<RootedPath> shared =
          selections.getShared(name, place, sibling, getPlace(otherRef));
      if (shared)
        places.push_back({*selections.findCandidate(name, *shared), other.tag,
                          static_cast<unsigned>(number), static_cast<int>(shared->path.size()),
                          static_cast<int>(places.size())});
    }
  }
  // Last, and so before the others, is the slot that holds most of the storage, and among equals
  // that of the first name. The slot of `name` itself is first.
  llvm::sort(places, [](const Place &left, const Place &right) {
    return std::tuple(left.numSteps, -left.order) < std::tuple(right.numSteps, -right.order);
  });
  return places;
}

void Resolver::unpackSelected(Value name, const DenseMap<Value, Value> &given,
                              SmallVectorImpl<Value> &carried) {
  Location loc = name.getLoc();
  Choice choice = selected.getChoice(given.lookup(name));
  ArrayRef<RootedPath> candidates = selections.getCandidates(name);
  if (selections.hasSlot(name))
    carried.push_back(unpackSlot(name, choice));
  // The tag first, then the integers of each candidate.
  SmallVector<SmallVector<Value>> integers(candidates.size());
  Value tag;
  for (unsigned number = choice.refs.size(); number-- > 0;) {
    auto select = [&](Value value, Value &merged) {
      merged = merged ? selectByTag(builder, loc, choice.tag, number, value, merged) : value;
    };
    Path path = getPathFromRoot(choice.refs[number]);
    SmallVector<Place> places = findPlaces(name, choice.refs[number], given);
    select(getTag(loc, places), tag);
    for (const Place &place : places) {
      const RootedPath &candidate = candidates[place.candidate];
      if (candidate.root == name)
        continue;
      SmallVector<Value> own;
      Path rest(ArrayRef(path).take_back(candidate.path.size()));
      appendVarying(builder, loc, candidate.path, rest, own);
      integers[place.candidate].resize(own.size());
      for (auto [value, merged] : llvm::zip_equal(own, integers[place.candidate]))
        select(value, merged);
    }
  }
  carried.push_back(tag);
  for (auto [candidate, values] : llvm::zip_equal(candidates, integers)) {
    llvm::append_range(carried, values);
    if (values.empty())
      for (unsigned i = 0, count = countDynamic(candidate.path); i < count; ++i)
        carried.push_back(arith::ConstantIndexOp::create(builder, loc, 0));
  }
}

Value Resolver::getTag(Location loc, ArrayRef<Place> places) {
  Value tag;
  for (const Place &place : places) {
    Value own = arith::ConstantIndexOp::create(builder, loc, place.candidate);
    tag = tag && place.tag ? selectByTag(builder, loc, place.tag, place.number, own, tag) : own;
  }
  return tag;
}

//===----------------------------------------------------------------------===//
// From carried values to refs
//===----------------------------------------------------------------------===//

static auto getRemark() { return remark::RemarkOpts::name("ref").category("tssa-resolve-refs"); }

Value Resolver::allocate(Value name, Value contents) {
  Value storage = AllocOp::create(builder, name.getLoc(), contents);
  owners[storage] = name;
  return storages[name] = storage;
}

Value Resolver::getStorage(Value root) const {
  auto found = storages.find(root);
  return found == storages.end() ? root : found->second;
}

void Resolver::packView(Value name, ValueRange indexes) {
  RootedPath rooted = aliases.getRootedPath(name);
  remark::passed(name.getLoc(), getRemark()) << remark::metric("CarriedIndexes", indexes.size());
  Path path = bindPath(rooted.path, indexes);
  if (selected.contains(rooted.root)) {
    selected.addView(name, rooted.root, path);
    return;
  }
  Value root = getStorage(rooted.root);
  name.replaceAllUsesWith(ViewOp::create(builder, name.getLoc(), root, path).getRef());
}

/// Returns the first result of the branch that yields `tag` which is always equal to it, so that
/// names which are chosen together have one tag.
static Value findEqualTag(Value tag) {
  auto branch = tag.getDefiningOp<scf::IfOp>();
  if (!branch)
    return tag;
  auto areEqual = [](Value left, Value right) {
    std::optional<int64_t> constant = getConstantIntValue(left);
    return left == right || (constant && left.getType() == right.getType() &&
                             constant == getConstantIntValue(right));
  };
  unsigned number = cast<OpResult>(tag).getResultNumber();
  for (OpResult result : branch.getResults().take_front(number))
    if (llvm::all_of(ArrayRef{branch.thenYield(), branch.elseYield()}, [&](scf::YieldOp yield) {
          return areEqual(yield.getOperand(result.getResultNumber()), yield.getOperand(number));
        }))
      return result;
  return tag;
}

void Resolver::packSelected(Value name, ValueRange &carried) {
  auto take = [&](unsigned count) {
    ValueRange taken = carried.take_front(count);
    carried = carried.drop_front(count);
    return taken;
  };
  if (selections.hasSlot(name))
    take(1); // allocated before
  Choice choice{findEqualTag(take(1).front()), {}};
  for (const RootedPath &candidate : selections.getCandidates(name)) {
    Value root = getStorage(candidate.root);
    Path path = bindPath(candidate.path, take(countDynamic(candidate.path)));
    choice.refs.push_back(
        path.empty() ? root : ViewOp::create(builder, name.getLoc(), root, path).getRef());
  }
  remark::passed(name.getLoc(), getRemark()) << remark::metric("Candidates", choice.refs.size())
                                             << remark::metric("HasSlot", selections.hasSlot(name));
  selected.add(name, std::move(choice));
}

void Resolver::allocateSlots(ValueRange values, ValueRange carried) {
  for (Value name : llvm::make_filter_range(values, isRef)) {
    if (selections.isSelected(name) && selections.hasSlot(name))
      allocate(name, carried.front());
    carried = carried.drop_front(getCarriedTypes(name).size());
  }
}

void Resolver::pack(ValueRange values, ValueRange carriers) {
  ValueRange carried = carriers.take_back(getCarriedTypes(values).size());
  allocateSlots(values, carried);
  for (Value name : llvm::make_filter_range(values, isRef)) {
    if (selections.isSelected(name)) {
      packSelected(name, carried);
    } else if (aliases.isOwner(name)) {
      remark::missed(name.getLoc(), getRemark())
          << remark::reason("it may refer to different storages, so its value is carried");
      name.replaceAllUsesWith(allocate(name, carried.front()));
      carried = carried.drop_front();
    } else {
      unsigned count = countDynamic(aliases.getRootedPath(name).path);
      packView(name, carried.take_front(count));
      carried = carried.drop_front(count);
    }
  }
}

//===----------------------------------------------------------------------===//
// Ops that carry refs
//===----------------------------------------------------------------------===//

SmallVector<Value> Resolver::unpackInits(Operation *op) {
  if (isa<scf::IfOp>(op))
    return {};
  unsigned first = isa<scf::ForOp>(op) ? 3 : 0;
  MutableArrayRef<BlockArgument> arguments = getCarriedArguments(op->getRegion(0));
  SmallVector<Value> names(arguments.begin(), arguments.end());
  return unpack(op->getOperands().drop_front(first), names);
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
  yielded.append(unpack(SmallVector<Value>(yielded.getAsOperandRange()), yieldsInto));
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
  replaced.push_back({op, carrying});
}

void Resolver::resolveBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isControlFlow(&op)) {
      selected.rewrite(&op);
      continue;
    }
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

void Resolver::resolveReturn() {
  Operation *terminator = function.getBody().front().getTerminator();
  builder.setInsertionPoint(terminator);
  for (OpOperand &returned : terminator->getOpOperands()) {
    if (!isRef(returned.get()) || !selected.contains(returned.get()))
      continue;
    Location loc = returned.get().getLoc();
    returned.set(AllocOp::create(builder, loc, selected.read(loc, returned.get())));
  }
}

void Resolver::run() {
  resolveBlock(function.getBody().front());
  resolveReturn();
  for (auto [op, carrying] : replaced) {
    op->dropAllReferences();
    dropRefOperands(carrying);
  }
  for (auto [op, carrying] : replaced)
    op->erase();
  for (auto [op, carrying] : replaced)
    dropRefs(builder, carrying);
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
    Selections selections(aliases);
    if (selections.getConflict()) {
      report(*selections.getConflict());
      return signalPassFailure();
    }
    Resolver(function, aliases, selections).run();
  }
};
} // namespace
