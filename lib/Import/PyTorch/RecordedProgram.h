//===- RecordedProgram.h - a recorded program as read -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The plain form of the text that the Python package writes. Reading checks all that can
/// be checked without knowing operators: kinds, ranges, depth, and that every value has one
/// definition. See README.md for the text.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_RECORDEDPROGRAM_H
#define TSSA_LIB_IMPORT_PYTORCH_RECORDEDPROGRAM_H

#include "lib/Import/Failure.h"
#include "tssa/Builder/DType.h"

namespace tssa::pytorch {

using ValueId = unsigned;

/// A place in a file beside the text.
struct DataLocation {
  std::string file; ///< without folders
  uint64_t offset = 0;
};

/// A constant, or what is known of an argument.
struct Literal {
  enum Kind { None, Int, Float, Bool, String, Tensor, List, Tuple };
  Kind kind = None;
  int64_t integer = 0; ///< Int and Bool
  double number = 0;
  std::string text;
  std::vector<Literal> elements; ///< of a List or Tuple

  // Of a tensor: its name, element type and the sizes of the example.
  std::string name;
  operators::DType dtype = operators::DType::F32;
  llvm::SmallVector<int64_t> sizes;
  /// Dim i of the tensor is dim `permutation[i]` of the contiguous one that is passed;
  /// empty for the identity.
  llvm::SmallVector<int64_t> permutation;
  /// The name of each dim's size: dims of one name have one size. Empty where the size is that of
  /// the example in every call.
  std::vector<std::string> symbols;
  /// False when a copy is passed of a tensor whose strides follow no such order.
  bool isDense = true;
  /// Where the elements of a constant are, in the order in which they would be passed.
  std::optional<DataLocation> data;
};

/// A place in the user's source; line 0 when it is not known.
struct SourceLocation {
  std::string file;
  unsigned line = 0, column = 0;
};

struct Block;

struct RecordedNode {
  /// Name and overload: "aten::add.Tensor", "prim::If".
  std::string op;
  std::vector<ValueId> inputs, outputs;
  SourceLocation location;
  Literal value; ///< of a prim::Constant
  std::vector<Block> blocks;

  bool is(llvm::StringRef name) const { return op == name; }
};

struct Block {
  std::vector<ValueId> inputs, outputs;
  std::vector<RecordedNode> nodes;
};

struct RecordedProgram {
  std::string name;
  std::vector<Literal> arguments; ///< one per input of the body
  Block body;
  size_t numValues = 0; ///< ids are below this
};

/// Reads the text of a program.
mlir::FailureOr<RecordedProgram> readProgram(llvm::StringRef text, ImportReport &report);

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_RECORDEDPROGRAM_H
