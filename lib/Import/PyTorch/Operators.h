//===- Operators.h - the table of operators and their functions -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An operator has the name of its functional form: `aten::add` also stands for `aten::add_`
/// and the out= forms. Its function is a Compute or an Evaluate. A Compute returns tensors, which
/// the importer stores in new storages or writes to existing storages. An Evaluate returns any
/// values, such as views, numbers and lists.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_IMPORT_PYTORCH_OPERATORS_H
#define TSSA_LIB_IMPORT_PYTORCH_OPERATORS_H

#include "lib/Import/PyTorch/Importer.h"
#include "tssa/Builder/Scalar.h"
#include <functional>

namespace tssa::pytorch {

/// One call of an operator, with its arguments in the order of the schema.
struct Call {
  llvm::StringRef name; ///< "aten::add"
  llvm::StringRef overload;
  llvm::ArrayRef<Value> arguments;

  const Value &operator[](size_t i) const {
    static const Value none;
    return i < arguments.size() ? arguments[i] : none;
  }
  size_t size() const { return arguments.size(); }
};

using Compute = std::function<mlir::FailureOr<Tensors>(Importer &, const Call &)>;
using Evaluate = std::function<mlir::FailureOr<Values>(Importer &, const Call &)>;

/// The strides of a result in eager PyTorch.
enum class Layout {
  Contiguous,
  Inputs ///< the strides of the inputs
};

struct Operator {
  std::vector<std::string> overloads;
  Compute compute;
  Evaluate evaluate;
  Layout layout = Layout::Inputs;

  bool hasOverload(llvm::StringRef overload) const;
};

class OperatorTable {
public:
  static const OperatorTable &get();

  /// Adds an operator. `overloads` are separated by spaces; "-" is the overload without a name.
  void compute(const llvm::Twine &name, llvm::StringRef overloads, Compute fn,
               Layout layout = Layout::Inputs);
  void evaluate(const llvm::Twine &name, llvm::StringRef overloads, Evaluate fn);
  /// Returns the entry of `op`, such as "aten::add.Tensor", or null if it is not supported.
  const Operator *find(llvm::StringRef op) const;
  std::vector<std::string> list() const;

private:
  llvm::StringMap<std::vector<Operator>> operators;
};

/// Returns a Python number as a scalar of type `type` in a body. For other values, reports an error
/// to the builder, so that the enclosing op fails, and returns 0.
operators::Scalar makeScalar(Importer &importer, operators::Body &body, const Value &value,
                             DType type);

// Each of these adds the operators of one family and is defined in the file of that name.
void registerAdvancedIndexing(OperatorTable &table);
void registerContainers(OperatorTable &table);
void registerCopies(OperatorTable &table);
void registerElementwise(OperatorTable &table);
void registerFactories(OperatorTable &table);
void registerFourier(OperatorTable &table);
void registerIndexing(OperatorTable &table);
void registerNumbers(OperatorTable &table);
void registerReductions(OperatorTable &table);
void registerNetwork(OperatorTable &table);
void registerScans(OperatorTable &table);
void registerScatter(OperatorTable &table);
void registerSorting(OperatorTable &table);
void registerViews(OperatorTable &table);
void registerWindows(OperatorTable &table);

} // namespace tssa::pytorch

#endif // TSSA_LIB_IMPORT_PYTORCH_OPERATORS_H
