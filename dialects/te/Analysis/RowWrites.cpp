//===- RowWrites.cpp - results that are copied into a row of a tensor -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Analysis/RowWrites.h"
#include "dialects/te/Analysis/Image.h"
#include "dialects/te/Analysis/UpdateTarget.h"
#include "dialects/te/IR/ElementBytes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tssa/Support/CheckedSize.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::te;

namespace {
/// Row-major addresses, as expressions over the dims and symbols of an update, followed by a symbol
/// for each open size.
class Addresses {
public:
  explicit Addresses(UpdateOp update)
      : context(update.getContext()), domain(update.getIterationDomain()),
        symbols(update.getSymbols()) {}

  /// Returns the address of an element of a tensor of these sizes. Dims of size 1 of the domain are
  /// 0. The size of the first dim counts for nothing. Null if the number of elements is too large.
  AffineExpr get(AffineMap map, ArrayRef<OpFoldResult> sizes);
  AffineExpr simplify(AffineExpr expr) {
    return simplifyAffineExpr(expr, domain.size(), symbols.size());
  }
  ArrayRef<OpFoldResult> getDomain() const { return domain; }
  /// Returns what the symbols stand for.
  ArrayRef<Value> getSymbols() const { return symbols; }

private:
  AffineExpr getSize(OpFoldResult size);

  MLIRContext *context;
  SmallVector<OpFoldResult> domain;
  SmallVector<Value> symbols;
};
} // namespace

AffineExpr Addresses::getSize(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return getAffineConstantExpr(*constant, context);
  Value value = cast<Value>(size);
  size_t number = llvm::find(symbols, value) - symbols.begin();
  if (number == symbols.size())
    symbols.push_back(value);
  return getAffineSymbolExpr(number, context);
}

AffineExpr Addresses::get(AffineMap map, ArrayRef<OpFoldResult> sizes) {
  ::tssa::CheckedSize constants = 1;
  for (OpFoldResult size : sizes)
    constants *= std::max<int64_t>(getConstantIntValue(size).value_or(1), 1);
  if (!constants.get())
    return {};
  AffineExpr address = getAffineConstantExpr(0, context), stride = address + 1;
  for (size_t axis = sizes.size(); axis-- > 0;) {
    address = address + map.getResult(axis) * stride;
    if (axis > 0)
      stride = stride * getSize(sizes[axis]);
  }
  SmallVector<AffineExpr> dims;
  for (auto [dim, size] : llvm::enumerate(domain))
    dims.push_back(getConstantIntValue(size) == 1 ? getAffineConstantExpr(0, context)
                                                  : getAffineDimExpr(dim, context));
  return simplify(address.replaceDims(dims));
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

/// Returns whether tensors of sizes `a` and `b` have equally many elements, as far as is known.
static bool haveEqualElements(ArrayRef<OpFoldResult> a, ArrayRef<OpFoldResult> b) {
  auto isNotOne = [](OpFoldResult size) { return getConstantIntValue(size) != 1; };
  std::optional<SmallVector<int64_t>> left = getConstantIntValues(a),
                                      right = getConstantIntValues(b);
  if (left && right)
    return ShapedType::getNumElements(*left) == ShapedType::getNumElements(*right);
  return llvm::equal(llvm::make_filter_range(a, isNotOne), llvm::make_filter_range(b, isNotOne));
}

/// Returns the only op of the kernel, if it is an update that may be a row write.
static UpdateOp getOnlyUpdate(KernelOp kernel) {
  auto ops = kernel.getBodyBlock().getOps<UpdateOp>();
  Operation *terminator = kernel.getBodyBlock().getTerminator();
  if (!llvm::hasSingleElement(ops) || terminator->getNumOperands() != 1)
    return {};
  UpdateOp update = *ops.begin();
  bool isPlain = terminator->getOperand(0) == update.getResult() && !update.getGuard() &&
                 !update.hasCombiner() && update.getNumOpaque() == 0;
  return isPlain ? update : UpdateOp();
}

static std::optional<RowKernel> matchKernel(KernelOp kernel) {
  UpdateOp update = getOnlyUpdate(kernel);
  ReadOp read = update ? findCopiedRead(update) : ReadOp();
  if (!read)
    return std::nullopt;
  std::optional<unsigned> base = getParameter(update.getBase(), kernel);
  std::optional<unsigned> row = getParameter(read.getSource(), kernel);
  if (!base || !row || base == row)
    return std::nullopt;
  Addresses addresses(update);
  SmallVector<OpFoldResult> rowSizes = findSizes(read.getSource()), domain(addresses.getDomain());
  auto identity = AffineMap::getMultiDimIdentityMap(domain.size(), kernel.getContext());
  AffineExpr from = addresses.get(read.getMap(), rowSizes);
  AffineExpr to = addresses.get(update.getMap(), findSizes(update.getBase()));
  AffineExpr inOrder = addresses.get(identity, domain);
  if (!from || !to || !inOrder || from != inOrder || !haveEqualElements(domain, rowSizes))
    return std::nullopt;
  AffineExpr element = addresses.simplify(to - inOrder);
  if (!element.isSymbolicOrConstant())
    return std::nullopt;
  RowKernel found{*base, *row, element, {}};
  for (Value symbol : addresses.getSymbols()) {
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
  write.symbols = kernel->symbols;
  for (unsigned symbol : write.symbols)
    if (!isKnownAt(copy.getInputs()[symbol], producer))
      return std::nullopt;
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
