//===- Builder.h - builds the te ops of an operator -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An operator is a function that takes Tensors and builds te ops through a Builder. It checks its
/// requirements; if a requirement does not hold, it does `return builder.error("...")`. The caller
/// adds the node, its inputs and their producers to that message.
///
/// Functions that can fail return FailureOr. A function reports the error before it fails.
///
/// Results that are known when the program is built are folded: a compute that reads only constants
/// becomes a constant, and small integer tensors keep their elements as Sizes (see Tensor). An
/// element-wise operator computes elements that are Sizes with a `SizeFn`.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_BUILDER_H
#define TSSA_BUILDER_BUILDER_H

#include "dialects/te/IR/Builders.h"
#include "tssa/Builder/Body.h"

namespace tssa::operators {

namespace te = mlir::tssa::te;
using Tensors = llvm::SmallVector<Tensor, 1>;

/// The reason why a program cannot be built.
enum class Fault {
  None,
  Model,       ///< the model is invalid
  Unsupported, ///< the model may be valid, but this compiler does not support it
  Limit,       ///< a limit of size or time is exceeded
  Usage        ///< the options do not fit the model
};

/// Returns one value per result of a compute, or per accumulator of a reduction.
using ElementFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(Body &)>;
/// Returns the value of a compute with one result.
using ScalarFn = llvm::function_ref<mlir::Value(Body &)>;
/// A combiner or an epilogue of a reduction. A combiner takes two tuples of accumulators and
/// returns the combined tuple. An epilogue takes one tuple and returns one value per result.
using AccumulatorFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(Body &, mlir::ValueRange)>;
/// Returns an element of the result from the elements of the operands.
using MapFn = llvm::function_ref<mlir::Value(Body &, mlir::ValueRange)>;
/// Returns a known element of the result from known elements of the operands. Returns nothing if
/// the element cannot be computed while the program is built.
using SizeFn = llvm::function_ref<std::optional<Size>(llvm::ArrayRef<Size>)>;

class Builder {
public:
  /// The largest number of elements that a tensor keeps as Sizes.
  static constexpr int64_t maxContents = 1024;

  Builder(mlir::OpBuilder &ops, SizeTable &sizes);
  ~Builder();
  Builder(const Builder &) = delete;

  mlir::OpBuilder &ops;
  SizeTable &sizes;
  mlir::MLIRContext *context() { return ops.getContext(); }
  mlir::Location loc() const { return location; }
  void setLoc(mlir::Location loc) { location = loc; }

  // Errors. A text says what was expected and what was found, in lower case and without a
  // full stop.
  mlir::LogicalResult error(const llvm::Twine &text);
  mlir::LogicalResult unsupported(const llvm::Twine &text);
  mlir::LogicalResult limit(const llvm::Twine &text);
  /// Returns the kind of the first error that was reported since the last `clearFault`.
  Fault fault() const { return lastFault; }
  llvm::StringRef faultText() const { return lastText; }
  /// Reports as not supported that the value of `operand` is not known, and remembers `operand`.
  mlir::LogicalResult needsValue(const Tensor &operand, const llvm::Twine &text);
  /// Returns the operand whose value would have to be known, if that is the reported error.
  const Tensor &unknownOperand() const { return lastUnknown; }
  /// Forgets the reported error, which the caller has handled.
  void clearFault() {
    lastFault = Fault::None;
    lastUnknown = {};
    lastText.clear();
  }

  // Tensors.
  /// Wraps `value` in a Tensor. Without `shape`, the size of each dynamic dim is read by a
  /// tensor.dim and becomes a new Size.
  Tensor wrap(mlir::Value value, DType type);
  Tensor wrap(mlir::Value value, DType type, llvm::ArrayRef<Size> shape);
  Tensor constant(DType type, mlir::ElementsAttr elements);
  Tensor scalar(DType type, double value);
  /// Returns a tensor of integers or bools with the given elements, at most `maxContents`.
  Tensor fromSizes(DType type, llvm::ArrayRef<Size> shape, llvm::ArrayRef<Size> elements);
  /// Returns a 1-D i64 tensor with the given elements.
  Tensor fromSizes(llvm::ArrayRef<Size> elements);
  /// Returns whether the values that `size` depends on are visible at the insertion point.
  bool isVisible(const Size &size);
  /// Removes an op from the program if it was built only as a trial.
  void discard(mlir::Operation *op);
  size_t numDiscarded() const { return discarded.size(); }
  /// Returns the SSA value of `tensor`; builds the value if there is none yet. Call this outside of
  /// te bodies.
  mlir::Value value(const Tensor &tensor);
  /// Returns `size` as an index attribute, or as the value that represents `size` in the region of
  /// the insertion point.
  mlir::OpFoldResult materialize(const Size &size);
  mlir::Value materializeValue(const Size &size);
  llvm::SmallVector<mlir::OpFoldResult> materialize(llvm::ArrayRef<Size> sizes);

  /// Returns `size` as one atom. This bounds the number of terms in products.
  Size asAtom(const Size &size);

  // Known elements. On failure, the functions `require...` report an error that names `what`.
  std::optional<llvm::SmallVector<int64_t>> constantInts(const Tensor &tensor);
  std::optional<llvm::SmallVector<double>> constantFloats(const Tensor &tensor);
  mlir::FailureOr<llvm::SmallVector<int64_t>> requireConstantInts(const Tensor &tensor,
                                                                  llvm::StringRef what);
  mlir::FailureOr<llvm::SmallVector<double>> requireConstantFloats(const Tensor &tensor,
                                                                   llvm::StringRef what);
  /// Returns the elements of an integer tensor of known length. Elements that are not known
  /// now are read at run time.
  mlir::FailureOr<llvm::SmallVector<Size>> requireSizes(const Tensor &tensor, llvm::StringRef what);
  mlir::FailureOr<Size> requireSize(const Tensor &tensor, llvm::StringRef what);
  /// Maps an axis in [-rank, rank) to [0, rank); reports an error for other axes.
  mlir::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank);
  mlir::FailureOr<llvm::SmallVector<int64_t>> normalizeAxes(llvm::ArrayRef<int64_t> axes,
                                                            int64_t rank);
  /// Requires that the sizes are equal. Reports an error if they are known to differ, else builds a
  /// run-time check if they may differ.
  mlir::LogicalResult requireEqual(const Size &lhs, const Size &rhs, const llvm::Twine &what);
  /// Requires that `size` >= 0. Reports an error if it is known to be negative, else builds a
  /// run-time check if it may be negative.
  mlir::LogicalResult requireNonNegative(const Size &size, const llvm::Twine &what);
  /// Builds a te.check: the run fails unless `condition` holds.
  void check(mlir::Value condition, const llvm::Twine &message);

  // Comparisons of sizes, and choices between sizes. They are evaluated now if possible, else at
  // run time.
  struct Condition {
    std::optional<bool> known;
    mlir::Value value; ///< an i1; null if the condition is known
  };
  Condition isEqual(const Size &lhs, const Size &rhs);
  Condition isLess(const Size &lhs, const Size &rhs);
  Size select(const Condition &condition, const Size &ifTrue, const Size &ifFalse);
  /// Requires that `condition` holds. Reports an error if it is known to be false, else builds a
  /// run-time check if it may be false.
  mlir::LogicalResult require(const Condition &condition, const llvm::Twine &message);

  // te ops. `shape` is the shape of the results. All functions fail if an extent overflows
  // or is negative.
  mlir::FailureOr<Tensor> compute(DType type, llvm::ArrayRef<Size> shape, ScalarFn element);
  mlir::FailureOr<Tensors> compute(llvm::ArrayRef<DType> types, llvm::ArrayRef<Size> shape,
                                   ElementFn element);
  /// Builds a te.compute with one body per subdomain of a partition. `where` has the subdomains,
  /// which are disjoint and together cover the domain. `elements` has their bodies.
  mlir::FailureOr<Tensor> pieces(DType type, llvm::ArrayRef<Size> shape, const te::PieceSets &where,
                                 llvm::ArrayRef<ScalarFn> elements);
  /// Builds a reduction over dims of the sizes `reduced`, with a predefined combiner and
  /// accumulators of type `accumulator`. Without an epilogue, the result is the accumulator cast to
  /// `type`.
  mlir::FailureOr<Tensor> reduce(te::Combiner combiner, DType accumulator, DType type,
                                 llvm::ArrayRef<Size> shape, llvm::ArrayRef<Size> reduced,
                                 ScalarFn element, MapFn epilogue = nullptr);
  /// Builds a reduction of tuples. `init` has the initial values of the accumulators, which
  /// also determine the types of the accumulators.
  mlir::FailureOr<Tensors> reduce(llvm::ArrayRef<mlir::TypedAttr> init, llvm::ArrayRef<DType> types,
                                  llvm::ArrayRef<Size> shape, llvm::ArrayRef<Size> reduced,
                                  ElementFn element, AccumulatorFn combiner,
                                  AccumulatorFn epilogue = nullptr);
  /// The write of a te.update at one point: it writes `value` at `target` if `guard` holds.
  struct Write {
    mlir::Value value;
    llvm::SmallVector<mlir::AffineExpr> target; ///< may use body.opaque(...)
    llvm::SmallVector<mlir::AffineExpr> guard;
  };
  mlir::FailureOr<Tensor> update(const Tensor &base, llvm::ArrayRef<Size> domain,
                                 llvm::function_ref<Write(Body &)> write,
                                 AccumulatorFn combiner = nullptr);
  Tensor scan(const Tensor &source, int64_t axis, te::Combiner combiner, bool exclusive,
              bool reverse);
  /// A result of a te.extern. A size that is absent here is known only after the call.
  struct ExternResult {
    DType type;
    llvm::SmallVector<std::optional<Size>> shape;
  };
  /// The attributes of a te.extern.
  struct ExternAttributes {
    std::optional<int64_t> axis = std::nullopt; ///< none: all elements
    bool centerPointBox = false, isUnsigned = false, largest = true, sorted = true;
  };
  mlir::FailureOr<Tensors> callExtern(llvm::StringRef callee, llvm::ArrayRef<Tensor> inputs,
                                      llvm::ArrayRef<ExternResult> results,
                                      const ExternAttributes &attributes);
  /// The same for tensors and scalars.
  mlir::FailureOr<Tensors> callExtern(llvm::StringRef callee, mlir::ValueRange operands,
                                      llvm::ArrayRef<ExternResult> results,
                                      const ExternAttributes &attributes);

  // Shapes.
  /// Returns the shape to which all `shapes` broadcast by numpy's rules.
  mlir::FailureOr<llvm::SmallVector<Size>> broadcast(llvm::ArrayRef<llvm::ArrayRef<Size>> shapes);
  mlir::FailureOr<llvm::SmallVector<Size>> broadcast(llvm::ArrayRef<Tensor> tensors);

  /// `size` is the size of a dim that broadcasts to `common`. Returns whether the two are equal in
  /// every run that does not fail.
  static bool broadcastsAsEqual(const Size &size, const Size &common);

  // Common operators, for use inside other operators.
  /// Applies `element` to the broadcast operands. `known` computes the elements of the result
  /// if the elements of the operands are known as Sizes.
  mlir::FailureOr<Tensor> elementwise(DType type, llvm::ArrayRef<Tensor> operands, MapFn element,
                                      SizeFn known = nullptr);
  mlir::FailureOr<Tensor> cast(const Tensor &tensor, DType type);
  mlir::FailureOr<Tensor> reshape(const Tensor &tensor, llvm::ArrayRef<Size> shape);
  mlir::FailureOr<Tensor> transpose(const Tensor &tensor, llvm::ArrayRef<int64_t> permutation);
  mlir::FailureOr<Tensor> expand(const Tensor &tensor, llvm::ArrayRef<Size> shape);
  mlir::FailureOr<Tensor> concat(llvm::ArrayRef<Tensor> tensors, int64_t axis);
  /// Returns the first `count` of the elements at begin, begin + step, ... along `axis`.
  mlir::FailureOr<Tensor> slice(const Tensor &tensor, int64_t axis, const Size &begin,
                                const Size &count, const Size &step = 1);
  mlir::FailureOr<Tensor> fill(DType type, llvm::ArrayRef<Size> shape, double value);

private:
  mlir::LogicalResult fail(Fault fault, const llvm::Twine &text);
  mlir::LogicalResult checkShape(llvm::ArrayRef<Size> shape);
  Tensors finish(te::ComputeOp op, llvm::ArrayRef<DType> types, llvm::ArrayRef<Size> shape);
  mlir::Value buildContents(const Tensor &tensor);
  mlir::Value buildSize(const Size &size);
  mlir::Value materializeAtom(const Atom &atom);
  /// Returns whether `value` is visible at the insertion point.
  bool isVisible(mlir::Value value);
  Size broadcastPair(const Size &lhs, const Size &rhs);
  Tensor reshapeKnown(const Tensor &tensor, llvm::ArrayRef<Size> shape);
  mlir::FailureOr<Tensor> concatPieces(llvm::ArrayRef<Tensor> tensors, int64_t axis,
                                       llvm::ArrayRef<Size> begins, llvm::ArrayRef<Size> shape);

  mlir::Location location;
  Fault lastFault = Fault::None;
  std::string lastText;
  Tensor lastUnknown;
  /// For each Size, the values that represent it: one per region that uses the Size.
  std::map<Size, llvm::SmallVector<mlir::Value, 1>> sizeValues;
  /// Discarded ops. They are kept allocated because Sizes and Tensors still refer to their
  /// values, and a new value must not get the same address.
  llvm::SmallVector<mlir::Operation *> discarded;
  /// The number of elements that folding has produced so far.
  int64_t foldedElements = 0;
};

} // namespace tssa::operators

#endif // TSSA_BUILDER_BUILDER_H
