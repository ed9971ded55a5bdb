//===- RowWrites.cpp - results that are copied into a row of a tensor -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/RowWrites.h"
#include "dialects/te/IR/ElementBytes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tssa/Support/CheckedSize.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

/// Returns the row-major address of an element of a tensor of static sizes, simplified. The size of
/// the first dim may be open. Dims of size 1 of the domain are 0. Null if the number of elements is
/// too large.
static AffineExpr getAddress(AffineMap map, ArrayRef<int64_t> shape, ArrayRef<int64_t> domain) {
  MLIRContext *context = map.getContext();
  bool isOpen = !shape.empty() && ShapedType::isDynamic(shape.front());
  ArrayRef<int64_t> sizes = shape.drop_front(isOpen);
  if (llvm::any_of(sizes, ShapedType::isDynamic) || !::tssa::CheckedSize::product(sizes, 1).get())
    return {};
  AffineExpr address = getAffineConstantExpr(0, context);
  for (auto [size, index] : llvm::zip_equal(shape, map.getResults()))
    address = address * size + index;
  SmallVector<AffineExpr> dims;
  for (auto [dim, size] : llvm::enumerate(domain))
    dims.push_back(size == 1 ? getAffineConstantExpr(0, context) : getAffineDimExpr(dim, context));
  return simplifyAffineExpr(address.replaceDims(dims), map.getNumDims(), map.getNumSymbols());
}

namespace {
/// The kernel of a row write: the parameters that are the base and the row, and where the row
/// begins.
struct RowKernel {
  unsigned base, row;
  AffineExpr element;
  SmallVector<unsigned> symbols; ///< parameters
};
} // namespace

/// Returns the number of the parameter that `value` is.
static std::optional<unsigned> getParameter(Value value, KernelOp kernel) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &kernel.getBodyBlock())
    return std::nullopt;
  return argument.getArgNumber();
}

/// Returns the only read of `update`, if its body yields what it reads and does nothing else.
static ReadOp getCopiedRead(UpdateOp update) {
  Block &body = update.getBody().front();
  auto read = dyn_cast<ReadOp>(body.front());
  bool isCopy = read && llvm::hasNItems(body, 2) &&
                body.getTerminator()->getOperands() == ValueRange(read.getValue());
  return isCopy && !read.getGuard() && read.getSymbols().empty() ? read : ReadOp();
}

static std::optional<RowKernel> matchKernel(KernelOp kernel) {
  auto ops = kernel.getBodyBlock().getOps<UpdateOp>();
  Operation *terminator = kernel.getBodyBlock().getTerminator();
  if (!llvm::hasSingleElement(ops) || terminator->getNumOperands() != 1)
    return std::nullopt;
  UpdateOp update = *ops.begin();
  ReadOp read = getCopiedRead(update);
  auto type = cast<RankedTensorType>(update.getType());
  if (!read || terminator->getOperand(0) != update.getResult() || update.getGuard() ||
      update.hasCombiner() || update.getNumOpaque() != 0 || !update.getDynamicSizes().empty())
    return std::nullopt;
  auto rowType = cast<RankedTensorType>(read.getSource().getType());
  std::optional<unsigned> base = getParameter(update.getBase(), kernel);
  std::optional<unsigned> row = getParameter(read.getSource(), kernel);
  if (!base || !row || base == row || !rowType.hasStaticShape())
    return std::nullopt;

  ArrayRef<int64_t> domain = update.getStaticSizes();
  MLIRContext *context = kernel.getContext();
  AffineExpr from = getAddress(read.getMap(), rowType.getShape(), domain);
  AffineExpr to = getAddress(update.getMap(), type.getShape(), domain);
  AffineExpr inOrder =
      getAddress(AffineMap::getMultiDimIdentityMap(domain.size(), context), domain, domain);
  if (!from || !to || !inOrder || from != inOrder ||
      ShapedType::getNumElements(domain) != rowType.getNumElements())
    return std::nullopt;
  AffineExpr element =
      simplifyAffineExpr(to - inOrder, domain.size(), update.getMap().getNumSymbols());
  if (!element.isSymbolicOrConstant())
    return std::nullopt;
  RowKernel found{*base, *row, element, {}};
  for (Value symbol : update.getSymbols()) {
    std::optional<unsigned> parameter = getParameter(symbol, kernel);
    if (!parameter)
      return std::nullopt;
    found.symbols.push_back(*parameter);
  }
  return found;
}

/// Returns whether `value` is known where `op` runs.
static bool isKnownAt(Value value, Operation *op) {
  Operation *definition = value.getDefiningOp();
  return !definition || definition->getBlock() != op->getBlock() || definition->isBeforeInBlock(op);
}

/// Returns whether nothing can write over the elements of `value` while its block runs: launches
/// only read it, and control flow takes it over only at the end of the block.
static bool isOnlyReadInBlock(Value value, function_ref<KernelOp(LaunchOp)> lookup) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (auto launch = dyn_cast<LaunchOp>(user)) {
      KernelOp kernel = lookup(launch);
      return llvm::none_of(kernel.getBodyBlock().getOps<UpdateOp>(), [&](UpdateOp update) {
        return getParameter(update.getBase(), kernel) == use.getOperandNumber();
      });
    }
    return isa<tensor::DimOp>(user) || user == value.getParentBlock()->getTerminator();
  });
}

static std::optional<RowWrite> matchLaunch(LaunchOp copy, int64_t alignment,
                                           function_ref<KernelOp(LaunchOp)> lookup) {
  std::optional<RowKernel> kernel = matchKernel(lookup(copy));
  if (!kernel)
    return std::nullopt;
  RowWrite write{copy,
                 dyn_cast<OpResult>(copy.getInputs()[kernel->row]),
                 copy.getInputs()[kernel->base],
                 kernel->element,
                 {}};
  auto producer = write.row ? dyn_cast<LaunchOp>(write.row.getOwner()) : LaunchOp();
  if (!producer || producer->getBlock() != copy->getBlock() || !write.base.hasOneUse() ||
      !isKnownAt(write.base, producer) || !isOnlyReadInBlock(copy.getResult(0), lookup))
    return std::nullopt;
  int64_t bytes = getElementBytes(cast<RankedTensorType>(write.row.getType()).getElementType());
  if (bytes * write.element.getLargestKnownDivisor() % alignment != 0) // in range: see getAddress
    return std::nullopt;
  for (unsigned symbol : kernel->symbols) {
    write.symbols.push_back(copy.getInputs()[symbol]);
    if (!isKnownAt(write.symbols.back(), producer))
      return std::nullopt;
  }
  return write;
}

SmallVector<RowWrite, 0> te::findRowWrites(func::FuncOp function, int64_t alignment,
                                           function_ref<KernelOp(LaunchOp)> lookup) {
  SmallVector<RowWrite, 0> writes;
  llvm::SmallPtrSet<void *, 4> rows; // a row has one place
  function.walk([&](LaunchOp launch) {
    std::optional<RowWrite> write = matchLaunch(launch, alignment, lookup);
    if (write && rows.insert(write->row.getAsOpaquePointer()).second)
      writes.push_back(std::move(*write));
  });
  return writes;
}
