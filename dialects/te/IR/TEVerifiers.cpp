//===- TEVerifiers.cpp - verifiers of te ops -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/IR/PointOps.h"
#include "dialects/te/IR/TEOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tssa/Support/VerifySizes.h"

using namespace mlir;
using namespace mlir::tssa::te;

/// Returns the number of dims that index expressions of `op` may use, or nothing if `op` is not in
/// a body of an expression.
static std::optional<unsigned> getAvailableDims(Operation *op) {
  for (Region *region = op->getParentRegion(); region; region = region->getParentRegion()) {
    Operation *parent = region->getParentOp();
    if (auto compute = dyn_cast<ComputeOp>(parent))
      return region == &compute.getEpilogue() ? compute.getNumParallel() : compute.getNumDims();
    if (auto update = dyn_cast<UpdateOp>(parent))
      return update.getNumDims();
    if (isa<FunctionOpInterface, KernelOp>(parent))
      return std::nullopt;
  }
  return std::nullopt;
}

static LogicalResult verifyDims(Operation *op, unsigned numDims) {
  std::optional<unsigned> available = getAvailableDims(op);
  if (!available)
    return op->emitOpError("expects to be in a body of te.compute or te.update");
  if (numDims != *available)
    return op->emitOpError("expects index expressions over ")
           << *available << " dims, got " << numDims;
  return success();
}

static LogicalResult verifySymbols(Operation *op, unsigned numSymbols, unsigned numOperands) {
  if (numSymbols != numOperands)
    return op->emitOpError("expects one operand for each of ")
           << numSymbols << " symbols, got " << numOperands;
  return success();
}

/// Checks that the index expressions can be printed and parsed again.
static LogicalResult verifyExprs(Operation *op, unsigned numSymbols, ArrayRef<AffineExpr> exprs) {
  if (numSymbols > maxSymbols)
    return op->emitOpError("expects at most ") << maxSymbols << " symbols, got " << numSymbols;
  auto isLowest = [](AffineExpr expr) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return constant && constant.getValue() == std::numeric_limits<int64_t>::min();
  };
  for (AffineExpr expr : exprs) {
    bool hasLowest = false;
    expr.walk([&](AffineExpr part) { hasLowest |= isLowest(part); });
    if (hasLowest)
      return op->emitOpError("expects the constants of index expressions to be above -2^63");
  }
  return success();
}

LogicalResult ReadOp::verify() {
  AffineMap map = getMap();
  if (map.getNumResults() != static_cast<unsigned>(getSourceType().getRank())) // C1
    return emitOpError("expects one index expression for each of ")
           << getSourceType().getRank() << " dims of the source, got " << map.getNumResults();
  if (failed(verifyDims(*this, map.getNumDims())) ||
      failed(verifySymbols(*this, map.getNumSymbols(), getSymbols().size())) ||
      failed(verifyExprs(*this, map.getNumSymbols(), map.getResults())))
    return failure();
  if (getValue().getType() != getSourceType().getElementType())
    return emitOpError("expects a result of the element type ") << getSourceType().getElementType();
  if (getGuard().has_value() != static_cast<bool>(getPadAttr())) // C2
    return emitOpError("expects 'where' and 'else' together");
  if (!getGuard())
    return success();
  if (getGuard()->getNumDims() != map.getNumDims() ||
      getGuard()->getNumSymbols() != map.getNumSymbols())
    return emitOpError("expects 'where' to have the dims and symbols of the index expressions");
  if (getPadAttr().getType() != getSourceType().getElementType())
    return emitOpError("expects 'else' of the element type ") << getSourceType().getElementType();
  return verifyExprs(*this, map.getNumSymbols(), getGuard()->getConstraints());
}

LogicalResult IndexOp::verify() { // C1
  if (getMap().getNumResults() != 1)
    return emitOpError("expects one index expression, got ") << getMap().getNumResults();
  AffineMap map = getMap();
  if (failed(verifyDims(*this, map.getNumDims())) ||
      failed(verifySymbols(*this, map.getNumSymbols(), getSymbols().size())))
    return failure();
  return verifyExprs(*this, map.getNumSymbols(), map.getResults());
}

LogicalResult InsideOp::verify() { // C1
  IntegerSet set = getSet();
  if (failed(verifyDims(*this, set.getNumDims())) ||
      failed(verifySymbols(*this, set.getNumSymbols(), getSymbols().size())))
    return failure();
  return verifyExprs(*this, set.getNumSymbols(), set.getConstraints());
}

static LogicalResult verifyYield(Operation *op, Block &block, TypeRange expected, StringRef what) {
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield)
    return op->emitOpError("expects ") << what << " to end with te.yield";
  if (yield.getOperandTypes() != expected)
    return op->emitOpError("expects ")
           << what << " to yield (" << expected << "), got (" << yield.getOperandTypes() << ")";
  return success();
}

static LogicalResult verifySingleBlock(Operation *op, Region &region, TypeRange args,
                                       StringRef what) {
  if (!region.hasOneBlock())
    return op->emitOpError("expects ") << what << " to be one block";
  if (region.getArgumentTypes() != args)
    return op->emitOpError("expects ")
           << what << " to take (" << args << "), got (" << region.getArgumentTypes() << ")";
  return success();
}

static LogicalResult verifySizes(Operation *op, ArrayRef<int64_t> staticSizes,
                                 unsigned numDynamic) {
  if (staticSizes.size() > maxDims)
    return op->emitOpError("expects at most ") << maxDims << " dims, got " << staticSizes.size();
  if (llvm::count(staticSizes, ShapedType::kDynamic) != numDynamic)
    return op->emitOpError("expects one operand per dynamic size, got ") << numDynamic;
  for (int64_t size : staticSizes)
    if (!ShapedType::isDynamic(size) && size < 0)
      return op->emitOpError("expects sizes of at least 0, got ") << size;
  return success();
}

static LogicalResult verifyLabel(Operation *op, StringAttr label) {
  if (label && label.empty())
    return op->emitOpError("expects a label that is not empty");
  return success();
}

static LogicalResult verifyDomain(ComputeOp op) {
  int64_t numParallel = op.getNumParallel();
  if (numParallel < 0 || numParallel > static_cast<int64_t>(op.getNumDims()))
    return op.emitOpError("expects at most ") << op.getNumDims() << " parallel dims";
  if (failed(verifySizes(op, op.getStaticSizes(), op.getDynamicSizes().size())))
    return failure();
  if (op.getNumResults() == 0)
    return op.emitOpError("expects at least one result");
  for (Type type : op.getResultTypes()) // C1
    if (cast<RankedTensorType>(type).getShape() != op.getStaticSizes().take_front(numParallel))
      return op.emitOpError("expects results with the sizes of the parallel dims, got ") << type;
  return success();
}

static LogicalResult verifyPieces(ComputeOp op, TypeRange yielded) {
  unsigned numSets = op.getWhereAttr() ? op.getWhereAttr().size() : 0;
  bool needsSets = op.getWhereAttr() || op.getPieces().size() > 1;
  if (op.getPieces().empty() || (needsSets && numSets != op.getPieces().size())) // C2
    return op.emitOpError("expects one 'where' set for each of ")
           << op.getPieces().size() << " pieces, got " << numSets;
  if (!needsSets && !op.getSymbols().empty()) // C2
    return op.emitOpError("expects no symbols, since it has no 'where' sets");
  for (unsigned piece = 0; piece < numSets; ++piece) {
    auto set = dyn_cast<IntegerSetAttr>(op.getWhereAttr()[piece]);
    if (!set || set.getValue().getNumDims() != op.getNumParallel() ||
        set.getValue().getNumSymbols() != op.getSymbols().size())
      return op.emitOpError("expects piece ")
             << piece << " to be a set over the parallel dims and the symbols";
    if (failed(verifyExprs(op, 0, set.getValue().getConstraints())))
      return failure();
  }
  for (Region &piece : op.getPieces())
    if (failed(verifySingleBlock(op, piece, {}, "a piece")) ||
        failed(verifyYield(op, piece.front(), yielded, "a piece"))) // C4
      return failure();
  return success();
}

LogicalResult ComputeOp::verify() {
  if (failed(::tssa::verifyElementCounts(*this)) || failed(verifyLabel(*this, getLabelAttr())) ||
      failed(verifyDomain(*this)))
    return failure();
  SmallVector<Type> elementTypes;
  for (Type type : getResultTypes())
    elementTypes.push_back(cast<RankedTensorType>(type).getElementType());
  if (!hasReduction()) {
    if (!getCombiner().empty() || getInitAttr() || hasEpilogue()) // C3
      return emitOpError("expects no combiner, init or epilogue, since it has no reduction dims");
    return verifyPieces(*this, elementTypes);
  }
  if (getCombiner().empty() || !getInitAttr() || getInitAttr().empty()) // C3
    return emitOpError("expects a combiner and init values, since it has reduction dims");
  for (Attribute value : getInitAttr())
    if (!isa<TypedAttr>(value))
      return emitOpError("expects typed init values, got ") << value;
  SmallVector<Type> accumulators = getAccumulatorTypes(), pairs(accumulators);
  pairs.append(accumulators);
  if (failed(verifyPieces(*this, accumulators)) ||
      failed(verifySingleBlock(*this, getCombiner(), pairs, "the combiner")) || // C5
      failed(verifyYield(*this, getCombiner().front(), accumulators, "the combiner")))
    return failure();
  if (hasEpilogue()) { // C6
    if (failed(verifySingleBlock(*this, getEpilogue(), accumulators, "the epilogue")))
      return failure();
    return verifyYield(*this, getEpilogue().front(), elementTypes, "the epilogue");
  }
  if (accumulators != elementTypes) // C6
    return emitOpError("expects results of the accumulator types, since it has no epilogue");
  return success();
}

/// Checks (C5) for an update without a guard. An update with opaque indexes passes, because data
/// may send its points to different elements.
static LogicalResult verifyInjective(UpdateOp update) {
  if (!update.getInjective() || update.getNumOpaque() != 0)
    return success();
  for (auto [dim, size] : llvm::enumerate(update.getStaticSizes()))
    if (size > 1 && !update.getMap().isFunctionOfDim(dim))
      return update.emitOpError("is marked as injective, but ")
             << size << " points along d" << dim << " write the same element";
  return success();
}

LogicalResult UpdateOp::verify() {
  if (failed(::tssa::verifyElementCounts(*this)) || failed(verifyLabel(*this, getLabelAttr())))
    return failure();
  auto type = cast<RankedTensorType>(getBase().getType());
  if (getResult().getType() != type) // C1
    return emitOpError("expects a result of the type of the base, ") << type;
  if (getMap().getNumResults() != static_cast<unsigned>(type.getRank()) ||
      getMap().getNumDims() != getNumDims())
    return emitOpError("expects one index expression over ")
           << getNumDims() << " dims for each of " << type.getRank() << " dims of the base";
  if (failed(verifySizes(*this, getStaticSizes(), getDynamicSizes().size())) ||
      failed(verifyExprs(*this, getMap().getNumSymbols(), getMap().getResults())))
    return failure();
  if (getMap().getNumSymbols() < getSymbols().size())
    return emitOpError("expects a map with a symbol per operand");
  SmallVector<Type> yielded = {type.getElementType()};
  yielded.append(getNumOpaque(), IndexType::get(getContext()));
  if (failed(verifySingleBlock(*this, getBody(), {}, "the body")) ||
      failed(verifyYield(*this, getBody().front(), yielded, "the body"))) // C2
    return failure();
  if (hasCombiner()) { // C3
    Type element = type.getElementType();
    if (failed(verifySingleBlock(*this, getCombiner(), {element, element}, "the combiner")) ||
        failed(verifyYield(*this, getCombiner().front(), element, "the combiner")))
      return failure();
  }
  if (!getGuard())
    return verifyInjective(*this);
  unsigned used = 0; // C4
  for (AffineExpr constraint : getGuard()->getConstraints())
    constraint.walk([&](AffineExpr expr) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
        used = std::max(used, symbol.getPosition() + 1);
    });
  if (getGuard()->getNumDims() != getNumDims() || used > getSymbols().size())
    return emitOpError("expects 'where' over the dims and symbol operands");
  return verifyExprs(*this, used, getGuard()->getConstraints());
}

LogicalResult ScanOp::verify() {
  if (failed(::tssa::verifyElementCounts(*this)) || failed(verifyLabel(*this, getLabelAttr())))
    return failure();
  auto type = cast<RankedTensorType>(getSource().getType());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= type.getRank()) // C1
    return emitOpError("expects 'axis' below the rank ") << type.getRank() << ", got " << axis;
  if (getResult().getType() != type)
    return emitOpError("expects a result of the type of the source, ") << type;
  Type element = type.getElementType();
  if (getInitAttr().getType() != element) // C2
    return emitOpError("expects 'init' of the element type ") << element;
  if (failed(verifySingleBlock(*this, getCombiner(), {element, element}, "the combiner")))
    return failure();
  return verifyYield(*this, getCombiner().front(), element, "the combiner");
}

LogicalResult JoinOp::verify() {
  if (failed(::tssa::verifyElementCounts(*this)))
    return failure();
  RankedTensorType type = getResult().getType();
  if (getAxis() >= static_cast<uint64_t>(type.getRank()) || type.isDynamicDim(getAxis())) // C2
    return emitOpError("expects 'axis' to be a dim of constant size of ") << type;
  if (getParts().size() < 2) // C1
    return emitOpError("expects two parts or more");
  int64_t rest = type.getDimSize(getAxis());
  for (Type part : getParts().getTypes()) {
    auto tensor = cast<RankedTensorType>(part);
    SmallVector<int64_t> shape(tensor.getShape());
    bool fits = tensor.getRank() == type.getRank() && !tensor.isDynamicDim(getAxis()) &&
                tensor.getDimSize(getAxis()) <= rest;
    if (fits) {
      rest -= std::exchange(shape[getAxis()], type.getDimSize(getAxis()));
      fits = tensor.clone(shape) == type; // C1
    }
    if (!fits)
      return emitOpError("expects parts of ") << type << ", got " << tensor;
  }
  if (rest != 0) // C2
    return emitOpError("expects parts that fill ") << type << ", " << rest << " are missing";
  return success();
}

LogicalResult ExternOp::verify() {
  if (failed(::tssa::verifyElementCounts(*this)))
    return failure();
  unsigned numDynamic = 0;
  for (Type type : getResultTypes())
    numDynamic += cast<ShapedType>(type).getNumDynamicDims();
  if (getSizeIndex().size() != numDynamic) // C1
    return emitOpError("expects one size index for each of ")
           << numDynamic << " dynamic dims, got " << getSizeIndex().size();
  for (int64_t index : getSizeIndex())
    if (index < -1 || index >= static_cast<int64_t>(getResultSizes().size()))
      return emitOpError("expects size indexes below ")
             << getResultSizes().size() << ", got " << index;
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (!getOuts().empty() && (llvm::any_of(getInputs().getTypes(), isTensor) || // C2
                             llvm::any_of(getResultTypes(), isTensor)))
    return emitOpError("expects no tensors as operands or results if there are outs");
  if (getAxis() || getCallee() == "topk") { // C3
    auto type = getInputs().empty() ? ShapedType() : dyn_cast<ShapedType>(getInputs()[0].getType());
    if (!getAxis() || !type || !type.hasRank() ||
        *getAxis() >= static_cast<uint64_t>(type.getRank())) // a negative axis is large, too
      return emitOpError("expects 'axis' to be a dim of the first input");
  }
  for (NamedAttribute attribute : (*this)->getDiscardableAttrs()) // C4
    if (!attribute.getNameDialect())
      return emitOpError("has no attribute '") << attribute.getName().getValue() << "'";
  return success();
}

LogicalResult ResultOp::verify() {
  MemRefType type = getBuffer().getType();
  if (static_cast<size_t>(type.getNumDynamicDims()) != getSizes().size()) // C1
    return emitOpError("expects ")
           << type.getNumDynamicDims() << " sizes, got " << getSizes().size();
  auto function = (*this)->getParentOfType<FunctionOpInterface>();
  if (!function || getNumber() >= function.getNumResults()) // C2
    return emitOpError("expects a function with a result ") << getNumber();
  auto result = dyn_cast<ShapedType>(function.getResultTypes()[getNumber()]);
  if (!result || !result.hasRank() || result.getRank() != type.getRank() ||
      result.getElementType() != type.getElementType()) // C2
    return emitOpError("expects the rank and element type of result ")
           << getNumber() << ", " << function.getResultTypes()[getNumber()];
  return success();
}

/// Checks that `attrs` is null or has one dictionary for each of `count` parameters or results.
static LogicalResult verifyAttrs(KernelOp op, ArrayAttr attrs, unsigned count, StringRef what) {
  if (attrs && attrs.size() != count)
    return op.emitOpError("expects attributes for each of ")
           << count << " " << what << ", got " << attrs.size();
  return success();
}

/// Checks the 'te.sizes' of a parameter.
static LogicalResult verifySizesAttr(KernelOp op, unsigned arg) {
  auto tensor = dyn_cast<RankedTensorType>(op.getArgumentTypes()[arg]);
  DenseI64ArrayAttr sizes = op.getSizesAttr(arg);
  if (!sizes && (!tensor || tensor.hasStaticShape()))
    return success();
  if (!sizes || !tensor || sizes.size() != tensor.getRank())
    return op.emitOpError("expects 'te.sizes' with an entry per dim on parameter ") << arg;
  for (auto [dim, size] : llvm::enumerate(sizes.asArrayRef())) {
    bool isIndex = size >= 0 && size < static_cast<int64_t>(op.getNumArguments()) &&
                   op.getArgumentTypes()[size].isIndex();
    if (!isIndex && (tensor.isDynamicDim(dim) || size != -1))
      return op.emitOpError("expects 'te.sizes' of parameter ")
             << arg << " to name a parameter of type index for dim " << dim;
  }
  return success();
}

/// Checks the 'te.finite' of a parameter.
static LogicalResult verifyFiniteAttr(KernelOp op, unsigned arg) {
  if (!op.isFinite(arg))
    return success();
  auto tensor = dyn_cast<RankedTensorType>(op.getArgumentTypes()[arg]);
  Attribute attr = cast<DictionaryAttr>(op.getArgAttrsAttr()[arg]).get("te.finite");
  if (!tensor || !isa<FloatType>(tensor.getElementType()) || !isa<UnitAttr>(attr))
    return op.emitOpError("expects 'te.finite' of parameter ")
           << arg << " to be a unit attribute of a tensor of floats";
  return success();
}

/// Checks the 'te.window' in `attrs`, the attributes of number `index` of `types`.
static LogicalResult verifyWindow(KernelOp op, ArrayAttr attrs, unsigned index, Type type,
                                  StringRef what) {
  Attribute attr = attrs ? cast<DictionaryAttr>(attrs[index]).get("te.window") : Attribute();
  if (!attr)
    return success();
  auto window = dyn_cast<WindowAttr>(attr);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!window || !tensor || window.getSizes().size() != tensor.getRank())
    return op.emitOpError("expects 'te.window' of ")
           << what << " " << index << " to be a #te.window with an entry for each dim of a tensor";
  for (auto [dim, size] : llvm::enumerate(window.getSizes().asArrayRef())) {
    int64_t own = tensor.getDimSize(dim), begin = window.getAt()[dim];
    bool fits = size == -1 || (!tensor.isDynamicDim(dim) && own <= size && begin <= size - own);
    if (!fits)
      return op.emitOpError("expects 'te.window' of ")
             << what << " " << index << " to have room for dim " << dim << " of " << tensor;
  }
  return success();
}

LogicalResult KernelOp::verify() {
  ArrayRef<Type> results = getFunctionType().getResults();
  if (failed(::tssa::verifyElementCounts(*this, getArgumentTypes())) ||
      failed(::tssa::verifyElementCounts(*this, results)) ||
      failed(verifyAttrs(*this, getArgAttrsAttr(), getNumArguments(), "parameters")) ||
      failed(verifyAttrs(*this, getResAttrsAttr(), results.size(), "results")) ||
      failed(verifySingleBlock(*this, getBody(), getArgumentTypes(), "the body")))
    return failure();
  if (getSymName().empty())
    return emitOpError("expects a name that is not empty");
  if (!getSchedule().empty() && failed(verifySingleBlock(*this, getSchedule(), {}, "the schedule")))
    return failure();
  auto ret = getBody().front().empty() ? ReturnOp() : dyn_cast<ReturnOp>(getBody().front().back());
  if (!ret || ret.getOperandTypes() != results) // C1
    return emitOpError("expects te.return of (") << results << ")";
  for (unsigned arg = 0; arg < getNumArguments(); ++arg) // C2 to C4
    if (failed(verifySizesAttr(*this, arg)) || failed(verifyFiniteAttr(*this, arg)) ||
        failed(verifyWindow(*this, getArgAttrsAttr(), arg, getArgumentTypes()[arg], "parameter")))
      return failure();
  for (auto [result, type] : llvm::enumerate(results))
    if (failed(verifyWindow(*this, getResAttrsAttr(), result, type, "result")))
      return failure();
  return success();
}

/// Returns whether a tensor of shape `given` may have the shape that a kernel expects. A kernel may
/// know a size that is open where it is launched.
static bool fitsShape(ArrayRef<int64_t> given, ArrayRef<int64_t> expected) {
  return llvm::equal(given, expected, [](int64_t size, int64_t known) {
    return size == known || (ShapedType::isDynamic(size) && !ShapedType::isDynamic(known));
  });
}

/// Returns whether a launch may pass a value of type `given` for a parameter or a result of type
/// `expected` in `window`, which may be null.
static bool fitsParameter(Type given, Type expected, WindowAttr window) {
  auto shaped = dyn_cast<ShapedType>(given);
  auto tensor = dyn_cast<RankedTensorType>(expected);
  if (!tensor || !isa<MemRefType, RankedTensorType>(given))
    return given == expected;
  SmallVector<int64_t> shape(tensor.getShape());
  if (window && isa<MemRefType>(given))
    for (auto [size, outer] : llvm::zip(shape, window.getSizes().asArrayRef()))
      size = outer == -1 ? size : outer;
  return fitsShape(shaped.getShape(), shape) &&
         shaped.getElementType() == tensor.getElementType();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel) { // after the loops stage, a kernel is a function
    if (symbols.lookupNearestSymbolFrom(*this, getKernelAttr()))
      return success();
    return emitOpError("expects a kernel named '") << getKernel() << "'";
  }
  SmallVector<Type> outs(getOuts().empty() ? TypeRange(getResultTypes())
                                           : TypeRange(getOuts().getTypes()));
  bool matches = getInputs().size() == kernel.getNumArguments() &&
                 outs.size() == kernel.getResultTypes().size();
  if (matches)
    for (auto [i, type] : llvm::enumerate(getInputs().getTypes()))
      matches &= fitsParameter(type, kernel.getArgumentTypes()[i], kernel.getArgumentWindow(i));
  if (matches)
    for (auto [i, type] : llvm::enumerate(outs))
      matches &= fitsParameter(type, kernel.getResultTypes()[i], kernel.getResultWindow(i));
  if (!matches) // C1
    return emitOpError("expects operands and results of kernel '")
           << getKernel() << "', " << kernel.getFunctionType();
  return success();
}

LogicalResult LaunchOp::verify() {
  if (failed(::tssa::verifyElementCounts(*this)))
    return failure();
  unsigned numDynamic = 0;
  for (Type type : getResultTypes())
    numDynamic += cast<RankedTensorType>(type).getNumDynamicDims();
  if (getResultSizes().size() != numDynamic) // C2
    return emitOpError("expects one size for each of ")
           << numDynamic << " dynamic dims, got " << getResultSizes().size();
  return success();
}
