//===- StoredConstant.cpp - constants stored by a layout -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Transforms/StoredConstant.h"
#include "dialects/te/IR/CompiledExpr.h"
#include "dialects/te/IR/ElementBytes.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <cstring>

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// Returns the bytes of all elements, or nothing for a splat or an attribute without bytes.
static std::optional<ArrayRef<char>> getBytes(ElementsAttr value) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (dense.isSplat())
      return std::nullopt;
    return dense.getRawData();
  }
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  AsmResourceBlob *blob = resource ? resource.getRawHandle().getBlob() : nullptr;
  return blob ? std::optional(blob->getData()) : std::nullopt;
}

bool layout::hasBytesOfElements(ElementsAttr value) {
  Type type = value.getElementType();
  std::optional<ArrayRef<char>> bytes = getBytes(value);
  return bytes && type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0 &&
         static_cast<int64_t>(bytes->size()) == value.getNumElements() * te::getElementBytes(type);
}

namespace {
/// A sum of functions of one dim of a cell each: entry i of table d is the value of the function of
/// dim d at i.
class SumOfTables {
public:
  explicit SumOfTables(ArrayRef<int64_t> shape) {
    for (int64_t size : shape)
      tables.push_back(SmallVector<int64_t, 0>(size, 0));
  }

  /// Adds `factor * expr`. Returns false if a summand of `expr` depends on several dims.
  bool add(AffineExpr expr, int64_t factor) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (binary && binary.getKind() == AffineExprKind::Add)
      return add(binary.getLHS(), factor) && add(binary.getRHS(), factor);
    if (binary && binary.getKind() == AffineExprKind::Mul)
      if (std::optional<int64_t> constant = getConstant(binary.getRHS()))
        return add(binary.getLHS(), factor * *constant);
    std::optional<unsigned> dim;
    for (unsigned i = 0; i < tables.size(); ++i)
      if (expr.isFunctionOfDim(i)) {
        if (dim)
          return false;
        dim = i;
      }
    return addTerm(expr, dim.value_or(0), factor);
  }

  ArrayRef<int64_t> operator[](unsigned dim) const { return tables[dim]; }

private:
  bool addTerm(AffineExpr expr, unsigned dim, int64_t factor) {
    te::CompiledExpr compiled(expr);
    SmallVector<int64_t> cell(tables.size(), 0);
    for (int64_t &entry : tables[dim]) {
      std::optional<int64_t> value = compiled.evaluate(cell);
      if (!value)
        return false;
      entry += *value * factor;
      ++cell[dim];
    }
    return true;
  }

  SmallVector<SmallVector<int64_t, 0>, 6> tables;
};

/// Copies the elements of a constant, each of the size of `Element`, to their cells.
template <typename Element> class CellWriter {
public:
  CellWriter(const SumOfTables &address, ArrayRef<SumOfTables> guards, ArrayRef<int64_t> shape,
             const char *source, char *target)
      : address(address), guards(guards), shape(shape), source(source), target(target) {}

  void run() { write(0, 0, SmallVector<int64_t>(guards.size(), 0)); }

private:
  /// Writes the cells that have the given partial sums for the dims before `dim`.
  void write(unsigned dim, int64_t start, ArrayRef<int64_t> guardSums) {
    if (dim + 1 == shape.size())
      return writeRow(start, guardSums);
    ArrayRef<int64_t> offsets = address[dim];
    SmallVector<int64_t> sums(guardSums);
    for (int64_t i = 0; i < shape[dim]; ++i) {
      for (unsigned g = 0; g < guards.size(); ++g)
        sums[g] = guardSums[g] + guards[g][dim][i];
      write(dim + 1, start + offsets[i], sums);
    }
  }

  void writeRow(int64_t start, ArrayRef<int64_t> guardSums) {
    ArrayRef<int64_t> offsets = address[shape.size() - 1];
    for (int64_t i = 0; i < shape.back(); ++i) {
      bool hasElement = true;
      for (unsigned g = 0; g < guards.size(); ++g)
        hasElement &= guardSums[g] + guards[g][shape.size() - 1][i] >= 0;
      if (hasElement)
        std::memcpy(target + i * sizeof(Element), source + (start + offsets[i]) * sizeof(Element),
                    sizeof(Element)); // the bytes of a model need not be aligned
    }
    target += shape.back() * sizeof(Element);
  }

  const SumOfTables &address;
  ArrayRef<SumOfTables> guards;
  ArrayRef<int64_t> shape;
  const char *source;
  char *target;
};
} // namespace

/// Returns the row-major address of the element at `index`.
static std::optional<SumOfTables> getAddress(ArrayRef<AffineExpr> index, ArrayRef<int64_t> logical,
                                             ArrayRef<int64_t> shape) {
  SumOfTables address(shape);
  int64_t stride = 1;
  for (auto [expr, size] : llvm::reverse(llvm::zip_equal(index, logical))) {
    if (!address.add(expr, stride))
      return std::nullopt;
    stride *= size;
  }
  return address;
}

/// Writes the cells of `source`, a tensor of type `type`, to `target`. Returns false if a function
/// of the cell is not a sum of functions of one dim each.
static bool writeCells(RankedTensorType type, const TensorLayout &layout, ArrayRef<int64_t> shape,
                       const char *source, char *target) {
  SmallVector<AffineExpr> cell;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    cell.push_back(getAffineDimExpr(dim, type.getContext()));
  GuardedIndex element = layout.getElement(cell).front();
  std::optional<SumOfTables> address = getAddress(element.index, type.getShape(), shape);
  if (!address)
    return false;
  std::vector<SumOfTables> guards;
  for (AffineExpr expr : element.guard)
    if (!guards.emplace_back(shape).add(expr, 1))
      return false;
  switch (te::getElementBytes(type.getElementType())) {
  case 1:
    CellWriter<uint8_t>(*address, guards, shape, source, target).run();
    return true;
  case 2:
    CellWriter<uint16_t>(*address, guards, shape, source, target).run();
    return true;
  case 4:
    CellWriter<uint32_t>(*address, guards, shape, source, target).run();
    return true;
  case 8:
    CellWriter<uint64_t>(*address, guards, shape, source, target).run();
    return true;
  default:
    return false;
  }
}

ElementsAttr layout::store(ElementsAttr value, const TensorLayout &layout) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape = layout.getPhysicalTypeShape();
  auto stored = RankedTensorType::get(shape, type.getElementType());
  if (auto dense = dyn_cast<DenseElementsAttr>(value); dense && dense.isSplat())
    return dense.resizeSplat(stored);
  if (!hasBytesOfElements(value) || shape.empty())
    return {};
  size_t size = stored.getNumElements() * te::getElementBytes(type.getElementType());
  AsmResourceBlob blob = HeapAsmResourceBlob::allocate(size, 64, /*dataIsMutable=*/true);
  char *target = blob.getMutableData().data();
  std::memset(target, 0, size);
  if (!writeCells(type, layout, shape, getBytes(value)->data(), target))
    return {};
  return DenseResourceElementsAttr::get(stored, "stored", std::move(blob));
}
