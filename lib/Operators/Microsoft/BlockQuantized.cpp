//===- BlockQuantized.cpp - weights of 2, 4 and 8 bits in blocks -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Weights stay packed. The reduction dims are the blocks, the bytes of a block and the parts of a
/// byte. Each point reads a byte, shifts it and masks it. The weights are never stored in f32.
///
//===----------------------------------------------------------------------===//

#include "lib/Operators/Families.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tssa/Builder/BodyScalar.h"
#include "tssa/Builder/Contraction.h"
#include "tssa/Builder/Indexing.h"

using namespace mlir;

namespace tssa::operators {

/// Returns part `slot` of a byte as i32. Parts have `bits` bits; the part with the lowest bits is
/// the first.
static Scalar unpack(Body &body, const Scalar &byte, AffineExpr slot, int64_t bits) {
  Scalar wide = convert(byte, body.ops.getI32Type());
  if (bits == 8)
    return wide;
  Scalar amount = indexScalar(body, slot * bits, DType::I32);
  Value shifted = arith::ShRUIOp::create(body.ops, body.loc, wide.getValue(), amount.getValue());
  return wide.with(shifted) & wide.constant((1 << bits) - 1);
}

namespace {
/// The weights B [N, blocks, bytes] with scales and zero points [N, blocks]. Several zero points
/// may be packed into a byte.
struct BlockWeights {
  int64_t rows, depth, bits, block;
  Tensor packed, scales, zeros;

  int64_t blocks() const { return (depth + block - 1) / block; }
  int64_t perByte() const { return 8 / bits; }
  int64_t bytes() const { return block / perByte(); }

  Scalar zero(Body &body, AffineExpr n, AffineExpr b, Type type) const {
    if (!zeros)
      return convert(constantScalar(body, DType::I32, 1 << (bits - 1)), type);
    if (isFloat(zeros.dtype()))
      return convert(readScalar(body, zeros, {n, b}), type);
    Scalar byte = readScalar(body, zeros, {n, b.floorDiv(perByte())});
    return convert(unpack(body, byte, b % perByte(), bits), type);
  }

  Scalar weight(Body &body, AffineExpr n, AffineExpr b, AffineExpr byte, AffineExpr slot,
                Type type) const {
    Scalar packedByte = readScalar(body, packed, {n, b, byte});
    Scalar number = convert(unpack(body, packedByte, slot, bits), type);
    Scalar scale = convert(readScalar(body, scales, {n, b}), type);
    return (number - zero(body, n, b, type)) * scale;
  }
};
} // namespace

/// Reshapes `tensor` to `shape`. Reports an error if their numbers of elements differ.
static LogicalResult setShape(Builder &builder, Tensor &tensor, ArrayRef<Size> shape,
                              StringRef what) {
  if (tensor.numElements() != product(shape))
    return builder.error("expected " + what + " " + Tensor(tensor.dtype(), shape).str() + ", got " +
                         tensor.str());
  FailureOr<Tensor> result = builder.reshape(tensor, shape);
  if (failed(result))
    return failure();
  tensor = *result;
  return success();
}

static FailureOr<BlockWeights> getBlockWeights(Builder &builder, const Node &node) {
  BlockWeights w{node.getInt("N", 0),    node.getInt("K", 0),
                 node.getInt("bits", 4), node.getInt("block_size", 0),
                 node.inputs[1],         node.inputs[2],
                 node.input(3)};
  constexpr int64_t most = int64_t(1) << 31;
  if (w.bits != 2 && w.bits != 4 && w.bits != 8)
    return builder.unsupported("bits = " + Twine(w.bits));
  if (w.rows < 1 || w.depth < 1 || w.block < 16 || w.rows > most || w.depth > most ||
      w.block > most || (w.block & (w.block - 1)) != 0)
    return builder.error("expected N and K of at least 1 and a block_size that is a power of 2 of "
                         "at least 16, got " +
                         Twine(w.rows) + ", " + Twine(w.depth) + " and " + Twine(w.block));
  if (failed(setShape(builder, w.packed, {w.rows, w.blocks(), w.bytes()}, "weights")) ||
      failed(setShape(builder, w.scales, {w.rows, w.blocks()}, "scales")))
    return failure();
  if (!w.zeros)
    return w;
  int64_t perRow =
      isFloat(w.zeros.dtype()) ? w.blocks() : (w.blocks() + w.perByte() - 1) / w.perByte();
  if (failed(setShape(builder, w.zeros, {w.rows, perRow}, "zero_points")))
    return failure();
  return w;
}

static FailureOr<Tensors> buildMatMulNBits(Builder &builder, const Node &node) {
  const Tensor &a = node.inputs[0];
  Tensor bias = node.input(5);
  if (node.input(4))
    return builder.unsupported("g_idx: quantize without an order of groups");
  FailureOr<BlockWeights> w = getBlockWeights(builder, node);
  if (failed(w))
    return failure();
  if (a.rank() < 1 || failed(builder.requireEqual(a.shape().back(), w->depth, "A and K")))
    return builder.error("expected A of rank 1 or more, got " + Twine(a.str()));
  if (bias && failed(setShape(builder, bias, Size(w->rows), "a bias")))
    return failure();
  SmallVector<Size> shape(a.shape().drop_back());
  unsigned column = shape.size();
  shape.push_back(w->rows);
  DType wide = getAccumulator(a.dtype());
  ReducedDims reduced(shape.size());
  unsigned slots = reduced.add({Size(w->blocks()), Size(w->bytes()), Size(w->perByte())});
  auto term = [&](Body &body) {
    AffineExpr b = reduced.expr(body, slots), byte = reduced.expr(body, slots + 1),
               slot = reduced.expr(body, slots + 2);
    AffineExpr k = b * w->block + byte * w->perByte() + slot;
    SmallVector<AffineExpr> at = body.dims(0, column);
    at.push_back(k);
    TypedAttr zero = body.ops.getZeroAttr(getElementType(body.ops.getContext(), a.dtype()));
    Value element = w->depth % w->block == 0
                        ? body.read(a, at)
                        : body.read(a, at, body.constantExpr(w->depth - 1) - k, zero);
    Scalar x = widen(toScalar(body, element, a.dtype()));
    return x * w->weight(body, body.dim(column), b, byte, slot, x.getType());
  };
  auto addBias = [&](Body &body, Scalar total) {
    return total + convert(readScalar(body, bias, body.dim(column)), total.getType());
  };
  return single(sum(builder, wide, a.dtype(), shape, reduced, term,
                    bias ? EpilogueFn(addBias) : EpilogueFn()));
}

//===----------------------------------------------------------------------===//
// GatherBlockQuantized
//===----------------------------------------------------------------------===//

namespace {
/// A table of quantized elements. An i4 or u4 is an element; a u8 has several elements of `bits`
/// bits, which are packed along the last dim.
struct QuantizedTable {
  Tensor data, scales, zeros;
  SmallVector<Size> shape; ///< of the elements
  int64_t bits, quantized, block;

  bool isPacked() const { return data.dtype() == DType::U8; }
  int64_t perByte() const { return isPacked() ? 8 / bits : 1; }

  Scalar read(Body &body, const Tensor &tensor, SmallVector<AffineExpr> at) const {
    if (!isPacked())
      return convert(readScalar(body, tensor, at), body.ops.getI32Type());
    AffineExpr slot = at.back() % perByte();
    at.back() = at.back().floorDiv(perByte());
    return unpack(body, readScalar(body, tensor, at), slot, bits);
  }

  Scalar element(Body &body, SmallVector<AffineExpr> at) const {
    Scalar number = read(body, data, at);
    at[quantized] = at[quantized].floorDiv(block);
    Scalar zero = zeros ? read(body, zeros, at) : number.constant(isPacked() ? 1 << (bits - 1) : 0);
    Scalar scale = readScalar(body, scales, at);
    return convert(number - zero, scale.getType()) * scale;
  }
};
} // namespace

static LogicalResult checkTable(Builder &builder, const QuantizedTable &table) {
  bool isKnown = table.isPacked() ? llvm::is_contained({2, 4, 8}, table.bits) : table.bits == 4;
  if (!isKnown)
    return builder.error(Twine("expected bits = ") + (table.isPacked() ? "2, 4 or 8" : "4") +
                         " for data " + table.data.str() + ", got " + Twine(table.bits));
  if (table.block < 16 || (table.block & (table.block - 1)) != 0)
    return builder.error("expected a block_size that is a power of 2 of at least 16, got " +
                         Twine(table.block));
  if (table.zeros && table.zeros.dtype() != table.data.dtype())
    return builder.error(Twine("expected zero_points of type ") + getName(table.data.dtype()) +
                         ", which is the type of data, got " + table.zeros.str());
  return success();
}

static FailureOr<QuantizedTable> getTable(Builder &builder, const Node &node) {
  QuantizedTable table{node.inputs[0],
                       node.inputs[2],
                       node.input(3),
                       SmallVector<Size>(node.inputs[0].shape()),
                       node.getInt("bits", 4),
                       0,
                       node.getInt("block_size", 128)};
  FailureOr<int64_t> axis =
      builder.normalizeAxis(node.getInt("quantize_axis", 1), table.data.rank());
  if (failed(axis) || failed(checkTable(builder, table)))
    return failure();
  table.quantized = *axis;
  int64_t perByte = table.perByte();
  table.shape.back() = table.shape.back() * perByte;
  SmallVector<Size> blocks = table.shape;
  blocks[*axis] = blocks[*axis].ceilDiv(table.block);
  SmallVector<Size> packed = blocks;
  packed.back() = packed.back().ceilDiv(perByte);
  auto fits = [&](const Tensor &tensor, ArrayRef<Size> wanted) {
    return !tensor || tensor.shape() == wanted;
  };
  if (!fits(table.scales, blocks))
    return builder.error("expected scales " + Tensor(table.scales.dtype(), blocks).str() +
                         ", got " + table.scales.str());
  if (!fits(table.zeros, packed))
    return builder.error("expected zero_points " + Tensor(table.zeros.dtype(), packed).str() +
                         ", got " + table.zeros.str());
  return table;
}

static FailureOr<Tensors> buildGatherBlockQuantized(Builder &builder, const Node &node) {
  const Tensor &indices = node.inputs[1];
  FailureOr<QuantizedTable> table = getTable(builder, node);
  if (failed(table))
    return failure();
  int64_t rank = table->shape.size();
  FailureOr<int64_t> axis = builder.normalizeAxis(node.getInt("gather_axis", 0), rank);
  if (failed(axis))
    return failure();
  if (table->isPacked() && *axis == rank - 1)
    return builder.unsupported("gather_axis = " + Twine(*axis) + ", the packed dim");
  ArrayRef<Size> sizes = table->shape;
  unsigned begin = *axis, end = begin + indices.rank();
  SmallVector<Size> shape(sizes.take_front(begin));
  llvm::append_range(shape, indices.shape());
  llvm::append_range(shape, sizes.drop_front(begin + 1));
  DType type = table->scales.dtype();
  return single(builder.compute(type, shape, [&](Body &body) {
    Scalar index = convert(readScalar(body, indices, body.dims(begin, end)), body.ops.getI64Type());
    Scalar size = sizeScalar(body, sizes[begin]);
    index = select(index < 0.0, index + size, index);
    // Unlike Gather, an index out of range selects zeros.
    Scalar isInside = (index >= 0.0) & (index < size);
    SmallVector<AffineExpr> at = body.dims(0, begin);
    at.push_back(body.opaque(toIndex(select(isInside, index, 0.0))));
    at.append(body.dims(end, shape.size()));
    return toElement(body, select(isInside, table->element(body, at), 0.0), type);
  }));
}

OperatorRows getMicrosoftBlockQuantizedRows() {
  return {
      {"MatMulNBits",
       Signature{"A:T B:u8 scales:float zero_points?:u8|f32|f16|bf16 g_idx?:i32 bias?:float",
                 "K!:int N!:int bits:int block_size!:int accuracy_level:int weight_prepacked:int"},
       buildMatMulNBits},
      {"GatherBlockQuantized",
       Signature{"data:u8|i4|u4 indices:index scales:float zero_points?:u8|i4|u4",
                 "bits:int block_size:int gather_axis:int quantize_axis:int"},
       buildGatherBlockQuantized},
  };
}

} // namespace tssa::operators
