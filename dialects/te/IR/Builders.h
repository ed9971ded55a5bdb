//===- Builders.h - te ops from C++ functions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_BUILDERS_H
#define DIALECTS_TE_IR_BUILDERS_H

#include "dialects/te/IR/PointOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::tssa::te {

/// Builds a body with a builder that inserts into it. Returns the values to yield.
using BodyFn = function_ref<SmallVector<Value>(OpBuilder &, Location)>;
/// Builds a combiner, whose arguments are the two tuples of accumulators, or an epilogue, whose
/// arguments are the combined values. Returns the values to yield.
using ArgsBodyFn = function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;

/// The combiners that builders offer and that `matchCombiner` recognizes.
enum class Combiner { Add, Mul, Max, Min, And, Or, Xor };

/// Builds a `te.compute` without reduction. Result i has element type `elementTypes[i]` and the
/// sizes of the domain, `parallel`.
ComputeOp buildCompute(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                       ArrayRef<Type> elementTypes, BodyFn body);

/// Builds a `te.compute` with pieces. `bodies[i]` defines the elements at the points of
/// set i of `where`.
ComputeOp buildPieces(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                      ArrayRef<Type> elementTypes, const PieceSets &where, ArrayRef<BodyFn> bodies);

/// Builds a `te.compute` with a reduction. The accumulators have the types of `init`. The
/// arguments of `combiner` are the left tuple of accumulators and then the right one.
/// `epilogue` may be null if the element types are the types of the accumulators.
ComputeOp buildReduce(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                      ArrayRef<OpFoldResult> reduction, ArrayRef<TypedAttr> init,
                      ArrayRef<Type> elementTypes, BodyFn body, ArgsBodyFn combiner,
                      ArgsBodyFn epilogue = nullptr);

/// Creates a reduction with the accumulators and the combiner of `op`, without a body and an
/// epilogue.
ComputeOp createReduction(OpBuilder &builder, ComputeOp op, TypeRange results,
                          ArrayRef<OpFoldResult> parallel, ArrayRef<OpFoldResult> reduction);

/// Builds a reduction with one accumulator and a `Combiner`.
ComputeOp buildReduce(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                      ArrayRef<OpFoldResult> reduction, Combiner combiner, Type accumulator,
                      bool isUnsigned, Type elementType, BodyFn body,
                      ArgsBodyFn epilogue = nullptr);

/// Builds a `te.update`. `body` yields the value and then the opaque indexes. The symbols of
/// `map` are `symbols` followed by the opaque indexes.
UpdateOp buildUpdate(OpBuilder &builder, Location loc, Value base, ArrayRef<OpFoldResult> domain,
                     AffineMap map, ValueRange symbols, IntegerSet guard, BodyFn body,
                     ArgsBodyFn combiner = nullptr);

/// Builds a `te.scan` with a `Combiner`.
ScanOp buildScan(OpBuilder &builder, Location loc, Value source, int64_t axis, Combiner combiner,
                 bool isUnsigned, bool exclusive, bool reverse);

/// Returns the neutral element of `combiner` on `type`, such as -inf or the least integer for Max.
TypedAttr getIdentity(Combiner combiner, Type type, bool isUnsigned);

/// Builds `combiner` applied to two scalars. The maximum and minimum of floats propagate NaN.
Value combine(OpBuilder &builder, Location loc, Combiner combiner, bool isUnsigned, Value lhs,
              Value rhs);

/// Returns the `Combiner` that the region `combiner` computes. Returns nothing if it computes
/// something else or has several accumulators.
std::optional<Combiner> matchCombiner(Region &combiner);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_BUILDERS_H
