//===- Builders.h - te ops from C++ functions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_IR_BUILDERS_H
#define DIALECTS_TE_IR_BUILDERS_H

#include "dialects/te/IR/TEOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::tssa::te {

/// Builds a body: gets a builder inside of it, returns the values to yield.
using BodyFn = function_ref<SmallVector<Value>(OpBuilder &, Location)>;
/// Builds a body with arguments (a combiner: the two tuples, or an epilogue).
using ArgsBodyFn = function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>;

/// Well-known combiners, for builders and for recognition.
enum class Combiner { Add, Mul, Max, Min, And, Or, Xor };

/// `te.compute` without reduction: result i has element type `elementTypes[i]`
/// and the sizes of the domain.
ComputeOp buildCompute(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                       ArrayRef<Type> elementTypes, BodyFn body);

/// `te.compute` with pieces: `where[i]` over the parallel dims holds for piece i.
ComputeOp buildPieces(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                      ArrayRef<Type> elementTypes, ArrayRef<IntegerSet> where,
                      ArrayRef<BodyFn> bodies);

/// `te.compute` with a reduction. Accumulators have the types of `init`. The
/// combiner gets the left and the right tuple, in that order. `epilogue` may be
/// null when element and accumulator types agree.
ComputeOp buildReduce(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                      ArrayRef<OpFoldResult> reduction, ArrayRef<TypedAttr> init,
                      ArrayRef<Type> elementTypes, BodyFn body, ArgsBodyFn combiner,
                      ArgsBodyFn epilogue = nullptr);

/// A reduction with one well-known combiner.
ComputeOp buildReduce(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> parallel,
                      ArrayRef<OpFoldResult> reduction, Combiner combiner, Type accumulator,
                      bool isUnsigned, Type elementType, BodyFn body,
                      ArgsBodyFn epilogue = nullptr);

/// `te.update`: see the op. `body` yields the value, then the opaque indexes;
/// `map` has `symbols.size()` + number of opaque indexes symbols.
UpdateOp buildUpdate(OpBuilder &builder, Location loc, Value base, ArrayRef<OpFoldResult> domain,
                     AffineMap map, ValueRange symbols, IntegerSet guard, BodyFn body,
                     ArgsBodyFn combiner = nullptr);

/// `te.scan` with a well-known combiner.
ScanOp buildScan(OpBuilder &builder, Location loc, Value source, int64_t axis, Combiner combiner,
                 bool isUnsigned, bool exclusive, bool reverse);

/// The neutral element of a combiner: -inf or the least integer for Max, and so
/// on.
TypedAttr getIdentity(Combiner combiner, Type type, bool isUnsigned);

/// `lhs combiner rhs` on scalars; float maximum and minimum keep NaN.
Value combine(OpBuilder &builder, Location loc, Combiner combiner, bool isUnsigned, Value lhs,
              Value rhs);

/// The well-known combiner that a region with one accumulator is, if it is one.
std::optional<Combiner> matchCombiner(Region &combiner);

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_IR_BUILDERS_H
