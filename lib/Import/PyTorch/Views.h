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
/// Elements begin, begin + step, ... below end of a dim; negative and too large bounds as
/// Python takes them.
TensorRef slice(Importer &importer, const TensorRef &tensor, int64_t dim, const Size &begin,
                const Size &end, int64_t step = 1);
/// Dim i of the result is dim permutation[i] of the tensor.
TensorRef permute(Importer &importer, const TensorRef &tensor, llvm::ArrayRef<int64_t> permutation);
TensorRef unsqueeze(Importer &importer, const TensorRef &tensor, int64_t dim);
TensorRef squeeze(Importer &importer, const TensorRef &tensor, int64_t dim);
mlir::FailureOr<TensorRef> expand(Importer &importer, const TensorRef &tensor,
                                  llvm::ArrayRef<Size> shape);
/// What becomes of a tensor in another shape.
enum class Reshape {
  View,       ///< a view, an error where no strides can say so
  ViewOrCopy, ///< a view where strides can say so, else a copy
  IsView      ///< a view: that strides can say so is known from outside
};
/// The same elements in another shape.
mlir::FailureOr<TensorRef> reshape(Importer &importer, const TensorRef &tensor,
                                   llvm::ArrayRef<Size> shape, Reshape kind);
/// Gives a result of operators that work element by element the strides of its operands, where
/// all those have the same ones and no gaps.
void keepStrides(Importer &importer, llvm::ArrayRef<Value> operands, TensorRef &result);
/// Of a tensor whose channels, dim 1, lie next to each other; nothing for other ranks than 4 and 5.
std::optional<Sizes> getChannelsLastStrides(llvm::ArrayRef<Size> shape);
/// Whether a tensor has these strides, but for dims of one element; nothing when only a run can
/// say.
std::optional<bool> hasStrides(Importer &importer, const TensorRef &tensor,
                               llvm::ArrayRef<Size> strides);
/// The tensor itself where it is contiguous, else a copy.
mlir::FailureOr<TensorRef> makeContiguous(Importer &importer, const TensorRef &tensor);

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_VIEWS_H
