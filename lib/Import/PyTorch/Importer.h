//===- Importer.h - builds tssa, te and scf ops for a recorded program -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The importer visits the nodes of a program in order. It evaluates numbers, bools, lists
/// and tuples as far as they are known; tensors become refs. The table in Operators.h has a
/// function for each operator, which builds its ops with the functions of the importer.
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

  /// Builds the program for the given arguments and returns its results.
  mlir::FailureOr<Values> run(llvm::ArrayRef<Value> arguments);

  /// Reports that the program is not supported because `what` is known only at run time.
  mlir::LogicalResult needsKnown(const llvm::Twine &what);

  // Numbers.
  mlir::FailureOr<Size> getSize(const Value &value);
  mlir::FailureOr<int64_t> getInt(const Value &value, llvm::StringRef what);
  mlir::FailureOr<bool> getFlag(const Value &value, llvm::StringRef what);
  mlir::FailureOr<Sizes> getSizes(const Value &value);
  mlir::FailureOr<llvm::SmallVector<int64_t>> getInts(const Value &value, llvm::StringRef what);
  /// Returns a dim of a tensor of rank `rank`, normalised to [0, rank).
  mlir::FailureOr<int64_t> getDim(const Value &value, int64_t rank);
  /// `getTruth` returns a bool as an SSA value of type i1; `getNumber` returns an int, float or
  /// bool as an SSA value of type f64.
  mlir::Value getTruth(const Value &value);
  mlir::Value getNumber(const Value &value);
  mlir::FailureOr<DType> getDType(const Value &value, DType otherwise);

  // Tensors.
  mlir::FailureOr<TensorRef> getTensor(const Value &value);
  /// Reads the contents of a tensor at this point of the program.
  Tensor read(const TensorRef &tensor);
  mlir::FailureOr<Tensor> read(const Value &value);
  /// Returns the tensors of a list.
  mlir::FailureOr<llvm::SmallVector<TensorRef>> getTensors(const Value &list);
  /// Allocates a storage with these contents. The program never writes it. A read of the whole
  /// storage returns `contents` itself, so that known elements stay known.
  TensorRef allocateConstant(const Tensor &contents, llvm::StringRef name);
  /// Allocates a new storage with these contents.
  TensorRef allocate(const Tensor &contents, bool isContiguous = true);
  /// Converts elements as eager PyTorch does on x86. A float that is out of range of an integer
  /// type becomes the least integer of 32 or 64 bits; a narrower type gets the low bits of that
  /// integer.
  mlir::FailureOr<Tensor> convertTo(const Tensor &tensor, DType type);
  /// Writes `contents` to `target`, converted and broadcast, as `copy_` does.
  mlir::LogicalResult write(const TensorRef &target, const Tensor &contents);

  // Shapes.
  /// Returns the shape to which `shapes` broadcast by PyTorch's rules. Adds guards if it is not
  /// known which sizes are equal.
  mlir::FailureOr<Sizes> broadcast(llvm::ArrayRef<Sizes> shapes);
  /// Returns `tensor`, which must broadcast to `shape`, with its dynamic sizes replaced. A dynamic
  /// size that equals the size in `shape` becomes that size; any other dynamic size becomes 1.
  Tensor refine(const Tensor &tensor, llvm::ArrayRef<Size> shape);
  mlir::FailureOr<Tensor> broadcastTo(const Tensor &tensor, llvm::ArrayRef<Size> shape);
  /// Reports an error unless the two sizes are equal.
  mlir::LogicalResult requireEqual(const Size &lhs, const Size &rhs, const llvm::Twine &what);
  /// Builds an operator of the standard operator set of ONNX.
  mlir::FailureOr<Tensors> call(llvm::StringRef op, int64_t version, llvm::ArrayRef<Tensor> inputs,
                                llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                                unsigned numOutputs = 1);

  // Blocks, for control flow.
  mlir::LogicalResult importBlock(const Block &block);
  void setValue(ValueId id, const Value &value) { values[id] = value; }
  const Value &getValue(ValueId id) const { return values[id]; }
  /// Returns the values of `ids`, such as the outputs of a block that has been built.
  Values getValues(llvm::ArrayRef<ValueId> ids) const;
  void setValues(llvm::ArrayRef<ValueId> ids, llvm::ArrayRef<Value> from);

private:
  mlir::LogicalResult importNode(const RecordedNode &node);
  mlir::FailureOr<Values> build(const RecordedNode &node);
  mlir::LogicalResult reportNode(const RecordedNode &node);

  const RecordedProgram &program;
  std::vector<Value> values;
  llvm::DenseMap<mlir::Value, Tensor> constants; ///< contents of constant storages, by ref
  SourceLocation location;
  size_t numBuilt = 0;

public:
  /// The first error, with its location in the source; empty if there is none.
  std::string errorText;
};

/// Returns the value of a constant that is not a tensor.
Value makeConstant(const Literal &literal);

/// Returns the type with this number in c10::ScalarType, or nothing if it is not supported.
std::optional<DType> lookupScalarType(int64_t code);

/// Returns the strides of a contiguous tensor of this shape.
Sizes getContiguousStrides(llvm::ArrayRef<Size> shape);

/// Builds prim::If and prim::Loop.
mlir::FailureOr<Values> importIf(Importer &importer, const RecordedNode &node);
mlir::FailureOr<Values> importLoop(Importer &importer, const RecordedNode &node);

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_IMPORTER_H
