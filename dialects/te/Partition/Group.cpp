//===- Group.cpp - expressions that become one launch -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Partition/Group.h"
#include "dialects/te/Analysis/Image.h"
#include "dialects/te/Analysis/PieceBounds.h"
#include "dialects/te/Analysis/ReadFacts.h"
#include "dialects/te/Analysis/Rows.h"
#include "dialects/te/IR/Contraction.h"
#include "dialects/te/IR/ElementBytes.h"
#include "dialects/te/IR/Sizes.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// A group whose members are read at more different indexes than this has no body of use.
static constexpr size_t mostSites = 512;

double Group::getCycles(const CostModel &model) const {
  double running = model.getRunning(computing, moving) - saved;
  return trips * (reduction ? running : model.launchCycles + running);
}

static double countElements(ArrayRef<OpFoldResult> sizes) { return getReuse(sizes, {}); }

static double countElements(Value tensor) { return countElements(findSizes(tensor)); }

static double getBytes(Value tensor, double elements) {
  return elements * getElementBytes(cast<RankedTensorType>(tensor.getType()).getElementType());
}

double GroupRead::getMoving(const CostModel &model) const {
  return model.getMoving(bytes, getBytes(tensor, countElements(tensor)));
}

namespace {
/// The points at which a launch reads a tensor: those of the leading dims of its root, or of a part
/// of them.
struct Site {
  Value tensor;
  PointMap index; ///< from the dims of the root
  SmallVector<OpFoldResult> dims;
  bool isReduced = false; ///< in the body of a reduction
  double share = 1;
  llvm::SmallBitVector used = {}; ///< dims of the root that the index depends on

  double countPoints() const { return countElements(dims) * share; }
};

class GroupTracer {
public:
  GroupTracer(ExpressionOpInterface root, const CostModel &model,
              function_ref<bool(ComputeOp)> isComputed)
      : model(model), isComputed(isComputed), sizes(root.getContext()) {
    group.root = group.stored = root;
    group.trips = countTrips(root);
  }

  Group trace();

private:
  void traceRoot();
  void traceReads(ExpressionOpInterface op, const Site &at);
  void visit(Site site, const TensorAccess &access);
  double countComputations(const Site &site) const;
  void addMoving();
  void compute(const Site &site, ComputeOp producer);
  void findReduction();
  void findRows();
  bool isRow(const Site &site, ComputeOp reduction);
  bool isReadHereOnly(ComputeOp op, bool rows = false) const;
  bool isBijective(const Site &site, ComputeOp reduction) const;

  Group group;
  const CostModel &model;
  function_ref<bool(ComputeOp)> isComputed;
  SizeTable sizes;
  SmallVector<Site, 0> computed; ///< the reads at which a producer is computed
  SmallVector<Site, 0> stored;   ///< the reads from memory
  SmallVector<double> elements;  ///< for each of `stored`: the different elements that it reads
};
} // namespace

/// Returns the part of the points of a box with these sizes at which a body runs.
static double getShare(const ExpressionBody &body, ArrayRef<OpFoldResult> domain) {
  if (body.where == IntegerSet())
    return 1;
  PieceBounds bounds = getPieceBounds(body.where, body.numDims);
  SmallVector<OpFoldResult> extents(domain.take_front(body.numDims)), all(extents);
  for (auto [dim, size] : llvm::enumerate(extents))
    size = size ? bounds.getExtent(dim, size) : size;
  return std::min(getReuse(extents, all), 1.0);
}

void GroupTracer::traceRoot() {
  ExpressionOpInterface root = group.root;
  SmallVector<OpFoldResult> domain = root.getIterationDomain();
  for (ExpressionBody body : root.getBodies()) {
    BodyFacts facts = getBodyFacts(body.region->front());
    double points = countElements(ArrayRef(domain).take_front(body.numDims));
    group.computing += model.getComputing(facts, points * getShare(body, domain));
    group.numOps += facts.numOps;
  }
  // A sum of products takes one multiply-add at each point.
  auto compute = dyn_cast<ComputeOp>(*root);
  if (!root.getCombiner().empty() && !(compute && matchContraction(compute)))
    group.computing +=
        model.getComputing(getBodyFacts(root.getCombiner().front()), countElements(domain));
  for (const TensorAccess &write : root.getWrites())
    group.writtenBytes += getBytes(
        write.tensor, assumeSizes(countImage(write, getExtents(write, domain), sizes).count));
}

/// Adds the reads of `op`, which is computed at the points of `at`.
void GroupTracer::traceReads(ExpressionOpInterface op, const Site &at) {
  SmallVector<OpFoldResult> domain = op.getIterationDomain();
  bool isRoot = op == group.root;
  auto compute = dyn_cast<ComputeOp>(*op);
  for (const TensorAccess &access : op.getReads()) {
    Site site{access.tensor, {access.map, access.symbols}, at.dims, at.isReduced, at.share};
    site.share *= getShare(access.point, domain);
    if (isRoot) {
      site.dims.truncate(access.point.numDims);
      site.isReduced = compute && compute.hasReduction() && site.dims.size() == domain.size();
    } else {
      site.index.symbols.clear();
      site.index.map =
          composeMap(access.map, access.symbols, at.index, IRMapping(), site.index.symbols);
    }
    visit(std::move(site), access);
  }
}

static bool isSame(const Site &a, const Site &b) {
  return a.tensor == b.tensor && a.index.map.getResults() == b.index.map.getResults() &&
         a.index.symbols == b.index.symbols && a.dims.size() == b.dims.size();
}

/// Returns the dims of the root that the index of `site` depends on: all, if data decides it.
static llvm::SmallBitVector findDims(const Site &site, bool isOpaque) {
  llvm::SmallBitVector dims(site.dims.size(), isOpaque);
  for (AffineExpr index : site.index.map.getResults())
    for (unsigned dim = 0; dim < site.dims.size(); ++dim)
      if (index.isFunctionOfDim(dim))
        dims.set(dim);
  return dims;
}

/// Returns the points at which what `site` reads is computed: fewer than there are if it does not
/// depend on some dim, and loops can compute it outside of that.
double GroupTracer::countComputations(const Site &site) const {
  double points = site.countPoints();
  if (site.isReduced)
    return points;
  SmallVector<OpFoldResult> used;
  for (unsigned dim : findDims(site, /*isOpaque=*/false).set_bits())
    used.push_back(site.dims[dim]);
  return std::min(points, std::max(countElements(used), points / model.hoistedPoints));
}

/// Adds `producer`, which is computed at `site`, as a member.
void GroupTracer::compute(const Site &site, ComputeOp producer) {
  BodyFacts facts = getFacts(producer);
  double points = countComputations(site);
  bool isRepeated =
      site.isReduced && getReuse(site.dims, producer.getParallelSizes()) * site.share > 2;
  BodyFacts paid = facts;
  if (isRepeated && !facts.isRearrangement())
    paid.cost += model.reducedOps;
  group.computing += model.getComputing(paid, points) * (isRepeated ? model.reducedFactor : 1);
  auto *member = llvm::find_if(group.members, [&](auto &m) { return m.op == producer; });
  if (member != group.members.end()) {
    member->points += points;
    return;
  }
  group.members.push_back({producer, Place::Read, points});
  group.numOps += facts.numOps;
}

void GroupTracer::visit(Site site, const TensorAccess &access) {
  auto producer = site.tensor.getDefiningOp<ComputeOp>();
  bool isMember = producer && !producer.hasReduction() && isComputed(producer);
  SmallVectorImpl<Site> &sites = isMember ? computed : stored;
  auto *same = llvm::find_if(sites, [&](const Site &other) { return isSame(site, other); });
  if (same != sites.end()) {
    same->share = std::max(same->share, site.share);
    return;
  }
  if (!isMember) {
    TensorAccess composed{access.op,    site.tensor, site.index.map, site.index.symbols,
                          IntegerSet(), {},          access.opaque};
    double count = assumeSizes(countImage(composed, site.dims, sizes).count);
    elements.push_back(std::min(count, site.countPoints()));
    site.used = findDims(site, access.opaque.any());
    stored.push_back(std::move(site));
    return;
  }
  if (computed.size() == mostSites)
    return;
  compute(site, producer);
  computed.push_back(site);
  traceReads(producer, site);
}

/// Adds what the group moves. Different indexes of one tensor read different elements, as far as it
/// has enough.
void GroupTracer::addMoving() {
  group.moving = model.getMoving(group.writtenBytes, group.writtenBytes);
  for (auto [site, count] : llvm::zip_equal(stored, elements)) {
    if (group.reduction && site.tensor.getDefiningOp() == group.reduction)
      continue;
    double bytes = getBytes(site.tensor, count),
           all = getBytes(site.tensor, countElements(site.tensor));
    auto *read =
        llvm::find_if(group.reads, [&, &site = site](auto &r) { return r.tensor == site.tensor; });
    if (read == group.reads.end())
      read = &group.reads.emplace_back(GroupRead{site.tensor, site.used, 0});
    read->dims |= site.used;
    read->bytes += std::min(bytes, std::max(all - read->bytes, 0.0));
  }
  for (const GroupRead &read : group.reads)
    group.moving += read.getMoving(model);
}

/// Returns whether only the group reads what `op` computes; with `rows`, reductions that the root
/// reads count as the group's.
bool GroupTracer::isReadHereOnly(ComputeOp op, bool rows) const {
  llvm::SmallSetVector<Operation *, 8> pending; // each member once, however many paths lead to it
  pending.insert(op);
  for (size_t next = 0; next < pending.size(); ++next)
    for (Operation *user : pending[next]->getUsers()) {
      Operation *reader = isa<ReadOp>(user) ? user->getParentOp() : nullptr;
      if (group.root == reader)
        continue;
      auto compute = dyn_cast_or_null<ComputeOp>(reader);
      if (!compute)
        return false;
      if (rows && compute.hasReduction()) {
        if (llvm::none_of(stored,
                          [&](auto &site) { return site.tensor.getDefiningOp() == reader; }))
          return false;
        continue;
      }
      if (llvm::none_of(group.members, [&](auto &member) { return member.op == compute; }))
        return false;
      pending.insert(reader);
    }
  return true;
}

/// Returns whether `site` reads each element of `reduction` at one point.
bool GroupTracer::isBijective(const Site &site, ComputeOp reduction) const {
  unsigned number = &site - stored.begin();
  double points = site.countPoints();
  return elements[number] == points && countElements(reduction.getParallelSizes()) == points;
}

/// Looks for a reduction in whose epilogue the group can be computed: the largest.
void GroupTracer::findReduction() {
  auto root = dyn_cast<ComputeOp>(*group.root);
  if (!root || root.hasReduction() || root.getPieces().size() != 1)
    return;
  for (const Site &site : stored) {
    auto reduction = site.tensor.getDefiningOp<ComputeOp>();
    unsigned numSites =
        llvm::count_if(stored, [&](const Site &other) { return other.tensor == site.tensor; });
    if (!reduction || !reduction.hasReduction() || numSites != 1 ||
        reduction->getBlock() != root->getBlock() || !isBijective(site, reduction) ||
        !isReadHereOnly(reduction))
      continue;
    if (!group.reduction || countElements(reduction.getIterationDomain()) >
                                countElements(group.reduction.getIterationDomain()))
      group.reduction = reduction;
  }
}

/// Returns whether the launch of the root can compute `reduction` row by row: it reduces only what
/// the root reads, too, and only the group and its rows read it, in the row of the point.
bool GroupTracer::isRow(const Site &site, ComputeOp reduction) {
  auto root = cast<ComputeOp>(*group.root);
  if (reduction->getBlock() != root->getBlock() ||
      !readsLeadingDims(site.index.map, root.getParallelSizes()) ||
      !hasResultsOfRows(reduction, root) || !hasEnoughRows(reduction))
    return false;
  if (!isReadHereOnly(reduction, /*rows=*/true))
    return false;
  GroupTracer tracer(cast<ExpressionOpInterface>(*reduction), model, isComputed);
  tracer.trace();
  return llvm::all_of(tracer.stored, [&](const Site &own) {
    bool isReduced = llvm::any_of(own.index.map.getResults(), [&](AffineExpr expr) {
      for (unsigned dim = reduction.getNumParallel(); dim < reduction.getNumDims(); ++dim)
        if (expr.isFunctionOfDim(dim))
          return true;
      return false;
    });
    return !isReduced || llvm::any_of(stored, [&](auto &s) { return s.tensor == own.tensor; });
  });
}

/// Looks for reductions whose rows the launch computes: it saves their launches, and each reads
/// from a cache what the root reads.
void GroupTracer::findRows() {
  auto root = dyn_cast<ComputeOp>(*group.root);
  if (!root || root.hasReduction() || root.getNumParallel() < 2 || root.getPieces().size() != 1)
    return;
  for (const Site &site : stored) {
    auto reduction = site.tensor.getDefiningOp<ComputeOp>();
    if (!reduction || !reduction.hasReduction() || reduction == group.reduction ||
        llvm::is_contained(group.rows, reduction) || !isRow(site, reduction))
      continue;
    group.rows.push_back(reduction);
    double bytes = getBytes(reduction.getResult(0), countElements(reduction.getIterationDomain()));
    group.saved += model.launchCycles + model.getMoving(bytes, bytes);
  }
}

Group GroupTracer::trace() {
  traceRoot();
  SmallVector<OpFoldResult> domain = group.root.getIterationDomain();
  traceReads(group.root, Site{Value(), PointMap(), domain});
  findReduction();
  findRows();
  if (group.reduction)
    group.writtenBytes = 0;
  addMoving();
  return std::move(group);
}

Group te::traceGroup(ExpressionOpInterface root, const CostModel &model,
                     function_ref<bool(ComputeOp)> isComputed) {
  return GroupTracer(root, model, isComputed).trace();
}

//===----------------------------------------------------------------------===//
// Groups of groups
//===----------------------------------------------------------------------===//

/// Adds `group`, which is computed in the epilogue of `whole`.
static void addEpilogue(Group &whole, Group group) {
  for (const Member &member : group.members)
    whole.members.push_back({member.op, Place::Epilogue, member.points});
  whole.members.push_back({cast<ComputeOp>(*group.root), Place::Epilogue,
                           getReuse(group.root.getIterationDomain(), {})});
  llvm::append_range(whole.reads, group.reads);
  whole.computing += group.computing;
  whole.moving += group.moving;
  whole.numOps += group.numOps;
  whole.saved += group.saved;
  whole.stored = group.root;
}

/// Adds `rows`, the group of a reduction that `whole` computes row by row.
static void addRow(Group &whole, Group rows) {
  for (const Member &member : rows.members) {
    auto *same = llvm::find_if(whole.members, [&](auto &other) { return other.op == member.op; });
    if (same == whole.members.end())
      whole.members.push_back(member);
    else
      same->points += member.points;
  }
  auto root = cast<ComputeOp>(*rows.root);
  whole.members.push_back({root, Place::Row, getReuse(root.getParallelSizes(), {})});
  whole.computing += rows.computing;
}

SmallVector<Group, 0> te::joinGroups(SmallVector<Group, 0> traced) {
  SmallVector<Group, 0> groups;
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (Group &group : traced) {
    auto reduction = numbers.find(group.reduction);
    if (group.reduction && reduction != numbers.end()) {
      addEpilogue(groups[reduction->second], std::move(group));
    } else {
      numbers[group.root] = groups.size();
      groups.push_back(std::move(group));
    }
  }
  // The launches that compute rows take over the groups of the reductions.
  llvm::SmallPtrSet<Operation *, 8> taken;
  for (Group &group : groups) {
    for (ComputeOp row : group.rows)
      if (auto number = numbers.find(row); number != numbers.end() && taken.insert(row).second)
        addRow(group, groups[number->second]);
    group.saved = 0;
  }
  llvm::erase_if(groups, [&](const Group &group) { return taken.contains(group.root); });
  return groups;
}
