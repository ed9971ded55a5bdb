//===- Attend.h - common parts of all kinds of attention -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// In shapes, B is the batch size, N the number of heads, S the number of queries, T the number
/// of keys, and H the size of a head. Heads are split and moved by index expressions; nothing is
/// copied.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_MICROSOFT_ATTEND_H
#define TSSA_LIB_OPERATORS_MICROSOFT_ATTEND_H

#include "tssa/Builder/BodyScalar.h"
#include "tssa/Operators/Node.h"

namespace tssa::operators {

/// Maps a scaled score, in f32 or f64, at [b, n, s, t] to the adjusted score.
using ScoreFn = std::function<Scalar(Body &, Scalar score, llvm::ArrayRef<mlir::AffineExpr> at)>;

struct AttentionOptions {
  double scale;
  ScoreFn adjust; ///< may be null
  /// An additional score for each head, [N]; may be null. It only adds to the denominator of the
  /// softmax.
  Tensor sink;
  bool hasZeroSink = false; ///< whether each head has an additional score of 0
};

struct Attended {
  Tensor result;          ///< [B,N,S,V]
  Tensor scores, weights; ///< [B,N,S,T], before and after the softmax, in f32 or f64
};

/// Computes softmax(scale q k^T) v for q [B,N,S,H], k [B,M,T,H] and v [B,M,T,V], where M divides N.
mlir::FailureOr<Attended> attend(Builder &builder, const Tensor &q, const Tensor &k,
                                 const Tensor &v, const AttentionOptions &options);

/// Rearrange [B,S,N*H] to [B,N,S,H], and back.
mlir::FailureOr<Tensor> splitHeads(Builder &builder, const Tensor &x, int64_t heads);
mlir::FailureOr<Tensor> mergeHeads(Builder &builder, const Tensor &x);

/// Options of a rotary embedding: it rotates pairs of elements of a head by an angle that depends
/// on the position of the token.
struct RotaryOptions {
  Tensor cos, sin; ///< [positions, size / 2]
  bool isInterleaved;
  int64_t size; ///< the number of elements of a head that are rotated
  /// Returns the position of token [b, s].
  std::function<Scalar(Body &, mlir::AffineExpr b, mlir::AffineExpr s)> position;
};

/// Applies a rotary embedding to `x` [B,N,S,H].
mlir::FailureOr<Tensor> rotate(Builder &builder, const Tensor &x, const RotaryOptions &options);

/// Checks the caches of cosines and sines. Returns the number of rotated elements of a head:
/// `given` or, if `given` is 0, `headSize`.
mlir::FailureOr<int64_t> getRotarySize(Builder &builder, const Tensor &cos, const Tensor &sin,
                                       const Size &headSize, int64_t given);

/// Returns a function that adds `filter` to the scores of keys that `mask` excludes. A mask is one
/// of: [B], the number of keys of each sample; [2 B], the ends of the keys of all samples and then
/// their begins; [3 B + 2], the numbers of keys and then positions that are not needed; [B,T] or
/// [B,S,T], 1 for the keys that take part.
mlir::FailureOr<ScoreFn> getMask(Builder &builder, const Tensor &mask, double filter,
                                 const Size &batch, const Size &queries, const Size &keys);

/// Returns a function that adds `bias`, which broadcasts to [B,N,S,T], to the scores.
mlir::FailureOr<ScoreFn> getBias(Builder &builder, const Tensor &bias, llvm::ArrayRef<Size> shape);

/// Returns a function that excludes the keys after a query. Query s has the position s + `past`.
ScoreFn getCausal(const Size &past, DType type);

/// Returns a function that applies `first` and then `second`; either may be null.
ScoreFn chain(ScoreFn first, ScoreFn second);

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_MICROSOFT_ATTEND_H
