//===- OperatorRow.h - a row of an operator table -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An operator is one row of its family's table. The row has a name and, in any order, other facts
/// about the operator:
///
///   {"Tile", Versions{6}, buildTile, List{1, inputRank}},
///   {"NonZero", buildNonZero, callsHost},
///   {"Gather", buildGather, movesStrings},
///
/// Before an operator's function is called, the node is checked against onnx's schema of the
/// operator or, where onnx has none, against the row's Signature: the number of inputs and outputs,
/// required attributes and their kinds, and the element types of inputs.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_OPERATORS_OPERATORROW_H
#define TSSA_OPERATORS_OPERATORROW_H

#include "tssa/Operators/ListLengths.h"

namespace tssa::operators {

/// The inputs and the attributes of an operator: two lists whose entries are separated by spaces.
struct Signature {
  /// Entries `name:type`, in order. `name?` may be absent; a last `name*` stands for any number
  /// of inputs. A type is a list of names as getName returns them, separated by `|`, or one of
  ///   float  f32, f16, bf16 or f64          T  a float, the same for all of type T
  ///   any    any element type               S  any, the same for all of type S
  ///   int8   i8 or u8                       Q  i8 or u8, the same for all of type Q
  ///   index  i32 or i64
  const char *inputs;
  /// Entries `name:kind` with the kinds int, float, string, ints, floats and strings. `name!` is
  /// required. Attributes without an entry are refused.
  const char *attributes = "";
};

/// Reports an error and fails unless `node` fits `signature`.
mlir::LogicalResult checkSignature(Builder &builder, const Node &node, const Signature &signature);

/// Builds all outputs of a node; the Tensor of an unused output may be null.
using OperatorFn = std::function<mlir::FailureOr<Tensors>(Builder &, const Node &)>;

/// Returns `build` with its last parameters bound to `last`.
template <typename Fn, typename... Arguments> OperatorFn bindBack(Fn build, Arguments... last) {
  return [=](Builder &builder, const Node &node) { return build(builder, node, last...); };
}

/// The versions of an operator that a row builds.
struct Versions {
  int64_t since = 1, until = INT64_MAX;
};

/// Marks an operator that calls a library routine (te.extern).
struct CallsHost {};
constexpr CallsHost callsHost;

/// Says that an operator takes tensors of strings; others get none.
enum class Strings {
  Refused,
  Moved, ///< input 0 may have strings, and output 0 has elements of it
  Read   ///< its function reads the strings of its inputs
};
constexpr Strings movesStrings = Strings::Moved, readsStrings = Strings::Read;

/// The domain of a row, if it differs from the domain of its family.
struct Domain {
  llvm::StringRef name;
};

/// Advice on what to use instead of an unsupported operator.
struct Hint {
  llvm::StringRef text;
};

struct OperatorRow {
  llvm::StringRef name; ///< empty for a hint on all operators of a domain
  OperatorFn function;  ///< null for an operator that is not supported
  Versions versions;
  std::optional<Domain> domain;
  std::optional<Signature> signature;
  llvm::SmallVector<List, 1> lists;
  Hint hint;
  bool usesExtern = false;
  Strings strings = Strings::Refused;

  template <typename... Facts> OperatorRow(const char *name, Facts... facts) : name(name) {
    (set(std::move(facts)), ...);
  }

  /// Checks `node` against the signature, if there is one, and builds it.
  mlir::FailureOr<Tensors> build(Builder &builder, const Node &node) const {
    if (signature && mlir::failed(checkSignature(builder, node, *signature)))
      return mlir::failure();
    return function(builder, node);
  }

private:
  void set(OperatorFn fact) { function = std::move(fact); }
  void set(Versions fact) { versions = fact; }
  void set(Domain fact) { domain = fact; }
  void set(Signature fact) { signature = fact; }
  void set(List fact) { lists.push_back(fact); }
  void set(Hint fact) { hint = fact; }
  void set(CallsHost) { usesExtern = true; }
  void set(Strings fact) { strings = fact; }
};

using OperatorRows = std::vector<OperatorRow>;

} // namespace tssa::operators

#endif // TSSA_OPERATORS_OPERATORROW_H
