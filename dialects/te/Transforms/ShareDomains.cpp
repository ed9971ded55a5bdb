//===- ShareDomains.cpp - compute small expressions together --------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expressions are visited in program order. Each is computed with those later ones of its block
/// that have its domain and can stand where it does (ShareDomain.h), as long as they are small.
/// Before that, each rounding of a stored tensor is computed with it, whatever its size: products
/// read what is rounded, and others the tensor as it is.
/// This runs when nothing else can be merged: an expression with several results has no siblings.
///
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/BodyFacts.h"
#include "dialects/te/Analysis/Join.h"
#include "dialects/te/IR/Rounding.h"
#include "dialects/te/Transforms/AbsorbConsumer.h"
#include "dialects/te/Transforms/InlineProducer.h"
#include "dialects/te/Transforms/Passes.h"
#include "dialects/te/Transforms/RowGroups.h"
#include "dialects/te/Transforms/ShareDomain.h"
#include "dialects/te/Transforms/SimplifyBody.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tssa::te {
#define GEN_PASS_DEF_TESHAREDOMAINS
#include "dialects/te/Transforms/Passes.h.inc"
} // namespace mlir::tssa::te

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// The operations up to which an expression is small: a core computes them in about four times as
/// long as a launch takes. Expressions that read no tensor together may want different layouts, of
/// which one then gets the wrong one, so that theirs must take less time than a launch in any case.
static constexpr double mostOperations = 1 << 16, mostOperationsApart = 1 << 10;

/// Each result or accumulator takes registers from the others.
static constexpr unsigned mostAccumulators = 4;

/// At most this many expressions of a domain are compared with one.
static constexpr size_t mostCandidates = 64;

/// Estimates the operations of an expression, or its points if it only moves elements.
static double estimateWork(ComputeOp compute) {
  return std::max(estimateOperations(compute), getReuse(compute.getIterationDomain(), {}));
}

static unsigned countAccumulators(ComputeOp compute) {
  return compute.hasReduction() ? compute.getAccumulatorTypes().size() : compute.getNumResults();
}

static bool readsCommonTensor(ComputeOp first, ComputeOp next) {
  llvm::SmallPtrSet<Value, 8> sources;
  first->walk([&](ReadOp read) {
    if (!read.getSource().getDefiningOp<ConstantOp>())
      sources.insert(read.getSource());
  });
  return next
      ->walk([&](ReadOp read) {
        return WalkResult(sources.contains(read.getSource()) ? failure() : success());
      })
      .wasInterrupted();
}

/// Returns whether the result of `compute` may be computed in its place in a larger tensor.
static bool hasPlace(ComputeOp compute) {
  return llvm::any_of(compute->getUsers(), [](Operation *user) {
    Operation *reader = isa<ReadOp>(user) ? user->getParentOp() : user;
    auto join = dyn_cast<ComputeOp>(reader);
    return isa<UpdateOp>(reader) || (join && matchJoin(join) && mayJoinInPlace(join));
  });
}

namespace {
class DomainSharer {
public:
  DomainSharer(MLIRContext *context, ::tssa::Apply apply) : rewriter(context), apply(apply) {}

  void run(func::FuncOp function) {
    SmallVector<ComputeOp> roundings;
    function.walk([&](ComputeOp compute) {
      if (isRounding(compute))
        roundings.push_back(compute);
    });
    for (ComputeOp rounding : roundings)
      joinRounding(rounding);
    // The expressions of each domain, in program order.
    llvm::MapVector<size_t, SmallVector<Operation *>> domains;
    function.walk([&](ComputeOp compute) {
      if (mayShare(compute))
        domains[hashDomain(compute)].push_back(compute);
    });
    for (auto &[hash, pending] : domains)
      for (auto [i, op] : llvm::enumerate(pending))
        if (op)
          visit(MutableArrayRef(pending).drop_front(i).take_front(mostCandidates));
  }

  unsigned numShared = 0;

private:
  static size_t hashDomain(ComputeOp compute) {
    auto sizes = compute.getDynamicSizes();
    return llvm::hash_combine(compute->getBlock(), compute.getNumParallel(),
                              llvm::hash_combine_range(compute.getStaticSizes()),
                              llvm::hash_combine_range(sizes.begin(), sizes.end()));
  }

  /// Computes `rounding` with the tensor that it reads, if that is another expression's only
  /// result.
  void joinRounding(ComputeOp rounding) {
    auto reads = rounding.getPieceBlock()->getOps<ReadOp>();
    if (!llvm::hasSingleElement(reads))
      return;
    ReadOp read = *reads.begin();
    auto source = read.getSource().getDefiningOp<ComputeOp>();
    if (!source || source.getNumResults() != 1 || source.getPieces().size() != 1 ||
        hasPlace(source) || hasPlace(rounding) || !canFollow(source, rounding))
      return;
    remark::passed(rounding.getLoc(), getOptions())
        << remark::add("computed with the tensor that it rounds");
    ++numShared;
    if (source.hasReduction()) {
      absorbReader(rewriter, source, rounding);
      return;
    }
    inlineProducer(rewriter, read, source, /*piece=*/0);
    SimplifyCounts counts;
    simplifyBodies(rewriter, shareDomain(rewriter, {source, rounding}), counts);
  }

  static remark::RemarkOpts getOptions() {
    return remark::RemarkOpts::name("shared").category("te-share-domains");
  }

  /// Returns whether `compute` is an expression of a launch of its own, and nothing is known that
  /// makes it better alone.
  bool mayShare(ComputeOp compute) {
    if (compute.getPieces().size() != 1 || findRowGroup(compute, /*explains=*/false).size() > 1 ||
        (compute.hasReduction() && isComputedByRows(compute)))
      return false;
    return apply == ::tssa::Apply::Always ||
           (estimateWork(compute) <= mostOperations && !hasPlace(compute));
  }

  bool pays(ComputeOp first, ComputeOp next) {
    return apply == ::tssa::Apply::Always || readsCommonTensor(first, next) ||
           std::max(estimateWork(first), estimateWork(next)) <= mostOperationsApart;
  }

  /// Computes the first of `pending` with some of the others, which become null.
  void visit(MutableArrayRef<Operation *> pending) {
    auto first = cast<ComputeOp>(pending.front());
    SmallVector<ComputeOp> members{first};
    unsigned accumulators = countAccumulators(first);
    for (Operation *&op : pending.drop_front()) {
      auto next = cast_if_present<ComputeOp>(op);
      if (!next || !canShareDomain(first, next) || !pays(first, next) ||
          accumulators + countAccumulators(next) > mostAccumulators)
        continue;
      accumulators += countAccumulators(next);
      members.push_back(next);
      op = nullptr;
    }
    if (members.size() == 1)
      return;
    remark::passed(first.getLoc(), getOptions())
        << remark::add("one expression computes the results of several")
        << remark::metric("Members", members.size())
        << remark::metric("LaunchesSaved", members.size() - 1)
        << remark::metric("Operations", static_cast<int64_t>(estimateOperations(first)));
    shareDomain(rewriter, members);
    numShared += members.size() - 1;
  }

  IRRewriter rewriter;
  ::tssa::Apply apply;
};

struct ShareDomains : te::impl::TEShareDomainsBase<ShareDomains> {
  using TEShareDomainsBase::TEShareDomainsBase;

  void runOnOperation() override {
    if (apply == ::tssa::Apply::Never)
      return;
    DomainSharer sharer(&getContext(), apply);
    sharer.run(getOperation());
    numShared += sharer.numShared;
  }
};
} // namespace
