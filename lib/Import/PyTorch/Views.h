//===- Views.h - views of refs with their strides -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_VIEWS_H
#define TSSA_LIB_IMPORT_PYTORCH_VIEWS_H

#include "lib/Import/PyTorch/Importer.h"

namespace tssa::pytorch {

mlir::FailureOr<TensorRef> select(Importer &importer, const TensorRef &tensor, int64_t dim,
                                  const Size &index);
/// Returns the view of the elements begin, begin + step, ... of dim `dim`, up to but excluding end.
/// Negative bounds and bounds that are too large have the meaning that Python gives them.
TensorRef slice(Importer &importer, const TensorRef &tensor, int64_t dim, const Size &begin,
                const Size &end, int64_t step = 1);
/// Returns a view whose dim i is dim permutation[i] of `tensor`.
TensorRef permute(Importer &importer, const TensorRef &tensor, llvm::ArrayRef<int64_t> permutation);
TensorRef unsqueeze(Importer &importer, const TensorRef &tensor, int64_t dim);
TensorRef squeeze(Importer &importer, const TensorRef &tensor, int64_t dim);
mlir::FailureOr<TensorRef> expand(Importer &importer, const TensorRef &tensor,
                                  llvm::ArrayRef<Size> shape);
/// Returns a view of `tensor` in another shape. The caller knows that strides describe the view;
/// here they may be unknown.
mlir::FailureOr<TensorRef> reshape(Importer &importer, const TensorRef &tensor,
                                   llvm::ArrayRef<Size> shape);
/// Gives the result of an element-wise operator the strides of its operands, if all operands have
/// the same strides and no gaps.
void keepStrides(Importer &importer, llvm::ArrayRef<Value> operands, TensorRef &result);
/// Returns the strides of a tensor in channels-last format, in which dim 1 has stride 1. Returns
/// nothing for ranks other than 4 and 5.
std::optional<Sizes> getChannelsLastStrides(llvm::ArrayRef<Size> shape);

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_VIEWS_H
