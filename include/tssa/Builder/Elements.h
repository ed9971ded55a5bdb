//===- Elements.h - constant elements of tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Small constants are `dense` attributes. Larger ones are `dense_resource` attributes,
/// whose bytes are neither copied nor uniqued. Bytes are row-major and little-endian; a
/// bool is one byte, 0 or 1.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_ELEMENTS_H
#define TSSA_BUILDER_ELEMENTS_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "tssa/Builder/DType.h"

namespace tssa::operators {

/// Returns elements that hold a copy of `bytes`. The number of bytes must fit the shape.
mlir::ElementsAttr makeElements(mlir::MLIRContext *context, DType type,
                                llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<char> bytes);
/// Returns elements whose bytes are those of `blob`, which are not copied. `name` is the readable
/// name of the resource; it need not be unique.
mlir::ElementsAttr makeElements(mlir::MLIRContext *context, DType type,
                                llvm::ArrayRef<int64_t> shape, mlir::AsmResourceBlob blob,
                                llvm::StringRef name);
/// Returns whether a constant of `bytes` bytes becomes a `dense` attribute.
bool isSmall(uint64_t bytes);

/// Returns the elements as integers; nothing if they are floats or more than `limit`.
std::optional<llvm::SmallVector<int64_t>> readInts(mlir::ElementsAttr elements, DType type,
                                                   int64_t limit);
/// Returns the elements, which may have any type, as doubles; nothing if they are more than
/// `limit`.
std::optional<llvm::SmallVector<double>> readFloats(mlir::ElementsAttr elements, DType type,
                                                    int64_t limit);
/// Returns the elements as scalar attributes of the element type; nothing if they are more than
/// `limit`.
std::optional<llvm::SmallVector<mlir::Attribute>> readAttributes(mlir::ElementsAttr elements,
                                                                 int64_t limit);
/// Returns `value` truncated to the bits of `type`, as an attribute of type `elementType`.
mlir::IntegerAttr makeIntegerAttribute(mlir::Type elementType, DType type, int64_t value);
/// Returns elements with `values`, truncated to the bits of `type`.
mlir::ElementsAttr fromInts(mlir::MLIRContext *context, DType type, llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<int64_t> values);
/// Returns elements with `values`, which are scalar attributes of the element type.
mlir::ElementsAttr fromAttributes(mlir::RankedTensorType type,
                                  llvm::ArrayRef<mlir::Attribute> values);

} // namespace tssa::operators

#endif // TSSA_BUILDER_ELEMENTS_H
