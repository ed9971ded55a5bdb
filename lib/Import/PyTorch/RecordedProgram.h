//===- RecordedProgram.h - a recorded program in memory -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The structs here represent the text that the Python package writes, which README.md
/// describes. The reader checks everything that does not depend on operators: kinds, ranges,
/// depth, and that every value has one definition.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_RECORDEDPROGRAM_H
#define TSSA_LIB_IMPORT_PYTORCH_RECORDEDPROGRAM_H

#include "lib/Import/Failure.h"
#include "tssa/Builder/DType.h"

namespace tssa::pytorch {

using ValueId = unsigned;

/// The location of bytes in a file that is in the same folder as the text.
struct DataLocation {
  std::string file; ///< without folders
  uint64_t offset = 0;
};

/// A constant, or the description of an argument.
struct Literal {
  enum Kind { None, Int, Float, Bool, String, Tensor, List, Tuple };
  Kind kind = None;
  int64_t integer = 0; ///< Int and Bool
  double number = 0;
  std::string text;
  std::vector<Literal> elements; ///< of a List or Tuple

  // For a tensor: its name, its element type, and its sizes in the example.
  std::string name;
  operators::DType dtype = operators::DType::F32;
  llvm::SmallVector<int64_t> sizes;
  /// Dim i of the tensor is dim `permutation[i]` of the contiguous tensor that a call passes;
  /// empty for the identity.
  llvm::SmallVector<int64_t> permutation;
  /// The name of each dim's size; dims with the same name have the same size. An empty name
  /// means that every call has the size of the example.
  std::vector<std::string> symbols;
  /// A number that divides each dim's size in every call, and the name of the quotient, which may
  /// be that of another dim's size.
  llvm::SmallVector<int64_t> factors;
  std::vector<std::string> bases;
  /// False if no permutation makes the tensor contiguous; a call then passes a copy.
  bool isDense = true;
  /// The location of the elements of a constant. They are in the order in which a call would pass
  /// them.
  std::optional<DataLocation> data;
};

/// A location in the user's source; line 0 if it is not known.
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
  /// A dim of an input of a loop's body whose size differs between iterations.
  struct OpenDim {
    size_t input, dim;
  };
  std::vector<OpenDim> openDims;
  std::vector<RecordedNode> nodes;
};

struct RecordedProgram {
  std::string name;
  std::vector<Literal> arguments; ///< one per input of the body
  Block body;
  size_t numValues = 0; ///< all ids are less than this
};

/// Reads the text of a program.
mlir::FailureOr<RecordedProgram> readProgram(llvm::StringRef text, ImportReport &report);

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_RECORDEDPROGRAM_H
