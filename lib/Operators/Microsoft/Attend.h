//===- Attend.h - what all kinds of attention share -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// B is the batch, N the number of heads, S the length of the queries, T that of the
/// keys, H the size of a head. Splitting and moving heads are index expressions, no copies.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_MICROSOFT_ATTEND_H
#define TSSA_LIB_OPERATORS_MICROSOFT_ATTEND_H

#include "tssa/Builder/BodyScalar.h"
#include "tssa/Operators/Node.h"

namespace tssa::operators {

/// What becomes of a scaled score, in f32 or f64, at [b, n, s, t].
using ScoreFn = std::function<Scalar(Body &, Scalar score, llvm::ArrayRef<mlir::AffineExpr> at)>;

struct AttentionOptions {
  double scale;
  ScoreFn adjust; ///< may be null
  /// A further score for each head, [N], that takes part in the sum only; may be null.
  Tensor sink;
  bool hasZeroSink = false; ///< the same with the score 0
};

/// softmax(scale q k^T) v for q [B,N,S,H], k [B,M,T,H] and v [B,M,T,V], where M divides N:
/// [B,N,S,V].
mlir::FailureOr<Tensor> attend(Builder &builder, const Tensor &q, const Tensor &k, const Tensor &v,
                               const AttentionOptions &options);

/// [B,S,N*H] as [B,N,S,H], and back.
mlir::FailureOr<Tensor> splitHeads(Builder &builder, const Tensor &x, int64_t heads);
mlir::FailureOr<Tensor> mergeHeads(Builder &builder, const Tensor &x);

/// How elements of a head are turned by their position.
struct RotaryOptions {
  Tensor cos, sin; ///< [positions, turned / 2]
  bool isInterleaved;
  int64_t size; ///< elements of a head that are turned
  /// The position of [b, s].
  std::function<Scalar(Body &, mlir::AffineExpr b, mlir::AffineExpr s)> position;
};

/// x [B,N,S,H] turned.
mlir::FailureOr<Tensor> rotate(Builder &builder, const Tensor &x, const RotaryOptions &options);

/// Checks the caches of cosines and sines, and gives the number of turned elements, which is
/// `given` unless that is 0.
mlir::FailureOr<int64_t> getRotarySize(Builder &builder, const Tensor &cos, const Tensor &sin,
                                       const Size &headSize, int64_t given);

/// What a mask adds to the score at [b, n, s, t] of T keys: `filter` where it excludes. Forms
/// of a mask: [B] lengths, [2 B] ends then begins, [B,T] and [B,S,T] 1 where a key counts.
mlir::FailureOr<ScoreFn> getMask(Builder &builder, const Tensor &mask, double filter,
                                 const Size &batch, const Size &queries, const Size &keys);

/// Adds `bias`, which broadcasts to [B,N,S,T].
mlir::FailureOr<ScoreFn> getBias(Builder &builder, const Tensor &bias, llvm::ArrayRef<Size> shape);

/// Excludes keys behind the query, whose position is s + `past`.
ScoreFn getCausal(const Size &past, DType type);

/// `second` after `first`; either may be null.
ScoreFn chain(ScoreFn first, ScoreFn second);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_MICROSOFT_ATTEND_H
