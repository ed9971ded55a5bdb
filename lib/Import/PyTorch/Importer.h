//===- Importer.h - from recorded nodes to tssa, te and scf -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs over the nodes of a program in order. Numbers, bools, lists and tuples are worked
/// out now as far as they are known; tensors become refs. Operators are functions of the
/// table in Operators.h; they use the importer as their toolbox.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_IMPORTER_H
#define TSSA_LIB_IMPORT_PYTORCH_IMPORTER_H

#include "dialects/tssa/IR/TSSAOps.h"
#include "lib/Import/PyTorch/Guards.h"
#include "lib/Import/PyTorch/RecordedProgram.h"
#include "lib/Import/PyTorch/Value.h"

namespace tssa::pytorch {

using operators::Tensors;

class Importer {
public:
  Importer(operators::Builder &builder, Guards &guards, const RecordedProgram &program)
      : b(builder), guards(guards), program(program), values(program.numValues) {}

  operators::Builder &b;
  Guards &guards;

  /// Builds the program for these arguments; its results.
  mlir::FailureOr<Values> run(llvm::ArrayRef<Value> arguments);

  /// Refuses a program in which only a run knows `what`.
  mlir::LogicalResult needsKnown(const llvm::Twine &what);

  // Numbers.
  mlir::FailureOr<Size> getSize(const Value &value);
  mlir::FailureOr<int64_t> getInt(const Value &value, llvm::StringRef what);
  mlir::FailureOr<bool> getFlag(const Value &value, llvm::StringRef what);
  mlir::FailureOr<Sizes> getSizes(const Value &value);
  mlir::FailureOr<llvm::SmallVector<int64_t>> getInts(const Value &value, llvm::StringRef what);
  /// A dim of a tensor of this rank, counted from the front.
  mlir::FailureOr<int64_t> getDim(const Value &value, int64_t rank);
  /// A bool as i1, an int, float or bool as f64.
  mlir::Value getTruth(const Value &value);
  mlir::Value getNumber(const Value &value);
  mlir::FailureOr<DType> getDType(const Value &value, DType otherwise);

  // Tensors.
  mlir::FailureOr<TensorRef> getTensor(const Value &value);
  /// The contents of a tensor as they are here.
  Tensor read(const TensorRef &tensor);
  mlir::FailureOr<Tensor> read(const Value &value);
  /// The tensors of a list.
  mlir::FailureOr<llvm::SmallVector<TensorRef>> getTensors(const Value &list);
  /// A storage that nobody writes. Reads of all of it are these contents, which stay known.
  TensorRef allocateConstant(const Tensor &contents, llvm::StringRef name);
  /// A storage of its own with these contents.
  TensorRef allocate(const Tensor &contents, bool isContiguous = true);
  /// Converted as eager PyTorch does on x86: what an integer type does not hold is the smallest
  /// number of 32 or 64 bits, of which narrower types have the low bits.
  mlir::FailureOr<Tensor> convertTo(const Tensor &tensor, DType type);
  /// Puts contents into a tensor: converted and broadcast, as `copy_` does.
  mlir::LogicalResult write(const TensorRef &target, const Tensor &contents);

  // Shapes.
  /// PyTorch's broadcasting, with guards where the program does not say which sizes agree.
  mlir::FailureOr<Sizes> broadcast(llvm::ArrayRef<Sizes> shapes);
  /// The tensor with its sizes as `shape`, which it is broadcast to, says them.
  Tensor refine(const Tensor &tensor, llvm::ArrayRef<Size> shape);
  mlir::FailureOr<Tensor> broadcastTo(const Tensor &tensor, llvm::ArrayRef<Size> shape);
  /// An error unless two sizes are the same.
  mlir::LogicalResult requireEqual(const Size &lhs, const Size &rhs, const llvm::Twine &what);
  /// Runs an operator of the standard operator set.
  mlir::FailureOr<Tensors> call(llvm::StringRef op, int64_t version, llvm::ArrayRef<Tensor> inputs,
                                llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                                unsigned numOutputs = 1);

  // Blocks, for control flow.
  mlir::LogicalResult importBlock(const Block &block);
  void setValue(ValueId id, const Value &value) { values[id] = value; }
  const Value &getValue(ValueId id) const { return values[id]; }
  /// The outputs of a block that has just been built.
  Values getValues(llvm::ArrayRef<ValueId> ids) const;
  void setValues(llvm::ArrayRef<ValueId> ids, llvm::ArrayRef<Value> from);

private:
  mlir::LogicalResult importNode(const RecordedNode &node);
  mlir::FailureOr<Values> build(const RecordedNode &node);
  mlir::LogicalResult reportNode(const RecordedNode &node);

  const RecordedProgram &program;
  std::vector<Value> values;
  llvm::DenseMap<mlir::Value, Tensor> constants; ///< by the refs of their storages
  SourceLocation location;
  size_t numBuilt = 0;

public:
  /// What is wrong, with the place; empty when nothing is.
  std::string errorText;
};

/// The value of a constant that is no tensor.
Value makeConstant(const Literal &literal);

/// The type that PyTorch numbers so (c10::ScalarType), if it is one of ours.
std::optional<DType> lookupScalarType(int64_t code);

/// `strides` of a contiguous tensor.
Sizes getContiguousStrides(llvm::ArrayRef<Size> shape);

/// Builds prim::If and prim::Loop.
mlir::FailureOr<Values> importIf(Importer &importer, const RecordedNode &node);
mlir::FailureOr<Values> importLoop(Importer &importer, const RecordedNode &node);

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_IMPORTER_H
