//===- Elements.h - constant elements of tensors -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Small constants are `dense`; larger ones are `dense_resource` over bytes that are
/// not copied or uniqued: row-major, little-endian, a bool one byte, 0 or 1.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_ELEMENTS_H
#define TSSA_BUILDER_ELEMENTS_H

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "tssa/Builder/DType.h"

namespace tssa::operators {

/// Elements with these bytes; their number fits the shape. Copies them.
mlir::ElementsAttr makeElements(mlir::MLIRContext *context, DType type,
                                llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<char> bytes);
/// The same without a copy: `blob` owns the bytes. `name` is for people.
mlir::ElementsAttr makeElements(mlir::MLIRContext *context, DType type,
                                llvm::ArrayRef<int64_t> shape, mlir::AsmResourceBlob blob,
                                llvm::StringRef name);
/// Whether elements of so many bytes are kept as `dense`.
bool isSmall(uint64_t bytes);

/// The elements as integers of at most `limit`; nothing if there are more, or floats.
std::optional<llvm::SmallVector<int64_t>> readInts(mlir::ElementsAttr elements, DType type,
                                                   int64_t limit);
/// The elements, of any type, as doubles.
std::optional<llvm::SmallVector<double>> readFloats(mlir::ElementsAttr elements, DType type,
                                                    int64_t limit);
/// The elements as scalar attributes of the element type.
std::optional<llvm::SmallVector<mlir::Attribute>> readAttributes(mlir::ElementsAttr elements,
                                                                 int64_t limit);
/// An integer cut to the bits of `type`, as an attribute of its element type.
mlir::IntegerAttr makeIntegerAttribute(mlir::Type elementType, DType type, int64_t value);
/// Elements of these integers, which are cut to the type.
mlir::ElementsAttr fromInts(mlir::MLIRContext *context, DType type, llvm::ArrayRef<int64_t> shape,
                            llvm::ArrayRef<int64_t> values);
/// Elements of scalar attributes of the element type.
mlir::ElementsAttr fromAttributes(mlir::RankedTensorType type,
                                  llvm::ArrayRef<mlir::Attribute> values);

} // namespace tssa::operators

#endif // TSSA_BUILDER_ELEMENTS_H
