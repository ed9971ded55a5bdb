//===- Signature.h - what operators without a schema take -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// onnx knows nothing of the operators of "com.microsoft": what its checker does for
/// the others, a Signature does for these, before the operator's function is called.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_OPERATORS_MICROSOFT_SIGNATURE_H
#define TSSA_LIB_OPERATORS_MICROSOFT_SIGNATURE_H

#include "tssa/Operators/Registry.h"

namespace tssa::operators {

constexpr llvm::StringLiteral contribDomain = "com.microsoft";

/// Inputs and attributes, as words that spaces separate.
struct Signature {
  /// `name:type`, in order. `name?` may be absent, a last `name*` is any number of inputs.
  /// Types are those of getName with `|` between them, or
  ///   float  f32, f16, bf16 or f64          T  a float, the same for all of type T
  ///   any    whatever there is              S  any, the same for all of type S
  ///   int8   i8 or u8                       Q  i8 or u8, the same for all of type Q
  ///   index  i32 or i64
  const char *inputs;
  /// `name:kind` with the kinds int, float, string, ints, floats; `name!` must be given. Any
  /// other attribute is refused.
  const char *attributes = "";
};

/// An error unless the node fits the signature.
mlir::LogicalResult checkSignature(Builder &builder, const Node &node, const Signature &signature);

/// Adds an operator of `contribDomain` that is checked against `signature`.
void addContrib(Registry &registry, llvm::StringRef op, Signature signature, OperatorFn fn);

/// Adds an operator of `contribDomain` that is version `version` of a standard one.
void addAsStandard(Registry &registry, llvm::StringRef op, Signature signature,
                   llvm::StringRef standard, int64_t version);

/// Builds version `version` of a standard operator. Attributes are those of `attributes`.
mlir::FailureOr<Tensors> buildStandard(Builder &builder, llvm::StringRef op, int64_t version,
                                       llvm::ArrayRef<Tensor> inputs,
                                       mlir::NamedAttrList attributes = {});

} // namespace tssa::operators

#endif // TSSA_LIB_OPERATORS_MICROSOFT_SIGNATURE_H
