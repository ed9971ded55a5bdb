//===- Builder.h - what operators are written with -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// An operator is a function that takes Tensors and builds te ops through a
/// Builder. It checks what it needs and says `return builder.error("...")` when it
/// is not so: the caller adds the node, its inputs and their producers.
///
/// Helpers that can fail return FailureOr and have reported already.
///
/// Results that are known when the program is built are folded: a compute whose
/// reads are all constants becomes a constant, and small integer tensors keep their
/// elements as Sizes (see Tensor). An element-wise operator takes part in the latter
/// through `SizeFn`.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_BUILDER_BUILDER_H
#define TSSA_BUILDER_BUILDER_H

#include "dialects/te/IR/Builders.h"
#include "tssa/Builder/Body.h"

namespace tssa::operators {

namespace te = mlir::tssa::te;
using Tensors = llvm::SmallVector<Tensor, 1>;

/// Why a program cannot be built.
enum class Fault {
  None,
  Model,       ///< the model is wrong
  Unsupported, ///< the model may be right, this compiler cannot do it
  Limit        ///< a limit of size or time is passed
};

/// Yields one value per result of a compute, or per accumulator of a reduction.
using ElementFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(Body &)>;
/// The one value of a compute with one result.
using ScalarFn = llvm::function_ref<mlir::Value(Body &)>;
/// Combiner (left tuple, right tuple) or epilogue (accumulators).
using JoinFn = llvm::function_ref<llvm::SmallVector<mlir::Value>(Body &, mlir::ValueRange)>;
/// One element from the elements of the operands.
using MapFn = llvm::function_ref<mlir::Value(Body &, mlir::ValueRange)>;
/// The same on known elements; nothing when the result cannot be said now.
using SizeFn = llvm::function_ref<std::optional<Size>(llvm::ArrayRef<Size>)>;

class Builder {
public:
  /// Largest number of elements that are kept as Sizes.
  static constexpr int64_t maxContents = 1024;

  Builder(mlir::OpBuilder &ops, SizeTable &sizes);
  ~Builder();
  Builder(const Builder &) = delete;

  mlir::OpBuilder &ops;
  SizeTable &sizes;
  mlir::MLIRContext *context() { return ops.getContext(); }
  mlir::Location loc() const { return location; }
  void setLoc(mlir::Location loc) { location = loc; }

  // Errors: lower case, no full stop, what was expected and what was got.
  mlir::LogicalResult error(const llvm::Twine &text);
  mlir::LogicalResult unsupported(const llvm::Twine &text);
  mlir::LogicalResult limit(const llvm::Twine &text);
  /// The first error that was reported, if any.
  Fault fault() const { return lastFault; }
  llvm::StringRef faultText() const { return lastText; }
  /// Goes on after an error that the caller has dealt with.
  void clearFault() {
    lastFault = Fault::None;
    lastText.clear();
  }

  // Tensors.
  /// A tensor that is `value`; sizes of dynamic dims that are not given become new
  /// Sizes, read with tensor.dim.
  Tensor wrap(mlir::Value value, DType type);
  Tensor wrap(mlir::Value value, DType type, llvm::ArrayRef<Size> shape);
  Tensor constant(DType type, mlir::ElementsAttr elements);
  Tensor scalar(DType type, double value);
  /// A tensor of integers or bools with these elements, of at most `maxContents`.
  Tensor fromSizes(DType type, llvm::ArrayRef<Size> shape, llvm::ArrayRef<Size> elements);
  /// A 1-D i64 tensor with these elements.
  Tensor fromSizes(llvm::ArrayRef<Size> elements);
  /// Whether the values behind a size may be used at the builder.
  bool isVisible(const Size &size);
  /// Takes an op out of the program that was built only to learn from it.
  void discard(mlir::Operation *op);
  size_t numDiscarded() const { return discarded.size(); }
  /// The value of a tensor, made if need be outside of te bodies.
  mlir::Value value(const Tensor &tensor);
  /// An index attribute or the one value that stands for `size` here.
  mlir::OpFoldResult materialize(const Size &size);
  mlir::Value materializeValue(const Size &size);
  llvm::SmallVector<mlir::OpFoldResult> materialize(llvm::ArrayRef<Size> sizes);

  /// The same size as one atom: for sizes whose products have too many terms.
  Size asAtom(const Size &size);

  // What is known of elements. The `require` forms report `what` on failure.
  std::optional<llvm::SmallVector<int64_t>> constantInts(const Tensor &tensor);
  std::optional<llvm::SmallVector<double>> constantFloats(const Tensor &tensor);
  mlir::FailureOr<llvm::SmallVector<int64_t>> requireConstantInts(const Tensor &tensor,
                                                                  llvm::StringRef what);
  mlir::FailureOr<llvm::SmallVector<double>> requireConstantFloats(const Tensor &tensor,
                                                                   llvm::StringRef what);
  /// The elements of an integer tensor of known length, read when the program runs
  /// where they are not known now.
  mlir::FailureOr<llvm::SmallVector<Size>> requireSizes(const Tensor &tensor, llvm::StringRef what);
  mlir::FailureOr<Size> requireSize(const Tensor &tensor, llvm::StringRef what);
  /// An axis in [-rank, rank) as one in [0, rank).
  mlir::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank);
  mlir::FailureOr<llvm::SmallVector<int64_t>> normalizeAxes(llvm::ArrayRef<int64_t> axes,
                                                            int64_t rank);
  /// Says that the sizes are the same: an error if they cannot be, a check at run
  /// time if that is not known.
  mlir::LogicalResult requireEqual(const Size &lhs, const Size &rhs, const llvm::Twine &what);
  /// A check at run time that size >= 0, an error if it is known to be less.
  mlir::LogicalResult requireNonNegative(const Size &size, const llvm::Twine &what);
  /// te.check: fails the run unless the condition holds.
  void check(mlir::Value condition, const llvm::Twine &message);

  // Choices between sizes, made now where that is possible.
  struct Condition {
    std::optional<bool> known;
    mlir::Value value; ///< i1, when it is not known
  };
  Condition isEqual(const Size &lhs, const Size &rhs);
  Condition isLess(const Size &lhs, const Size &rhs);
  Size select(const Condition &condition, const Size &ifTrue, const Size &ifFalse);
  /// An error now, or a check at run time, unless the condition holds.
  mlir::LogicalResult require(const Condition &condition, const llvm::Twine &message);

  // te ops. Shapes are those of the results; all fail on an extent that overflows or
  // is negative.
  mlir::FailureOr<Tensor> compute(DType type, llvm::ArrayRef<Size> shape, ScalarFn element);
  mlir::FailureOr<Tensors> compute(llvm::ArrayRef<DType> types, llvm::ArrayRef<Size> shape,
                                   ElementFn element);
  /// One piece per set; the sets are disjoint and cover the domain.
  mlir::FailureOr<Tensor> pieces(DType type, llvm::ArrayRef<Size> shape,
                                 llvm::ArrayRef<mlir::IntegerSet> where,
                                 llvm::ArrayRef<ScalarFn> elements);
  /// A reduction with a well-known combiner over `reduced`, accumulated in
  /// `accumulator`. Without epilogue the result is a cast of the sum to `type`.
  mlir::FailureOr<Tensor> reduce(te::Combiner combiner, DType accumulator, DType type,
                                 llvm::ArrayRef<Size> shape, llvm::ArrayRef<Size> reduced,
                                 ScalarFn element, MapFn epilogue = nullptr);
  /// A reduction of tuples. `init` has the types of the accumulators.
  mlir::FailureOr<Tensors> reduce(llvm::ArrayRef<mlir::TypedAttr> init, llvm::ArrayRef<DType> types,
                                  llvm::ArrayRef<Size> shape, llvm::ArrayRef<Size> reduced,
                                  ElementFn element, JoinFn combiner, JoinFn epilogue = nullptr);
  /// What te.update writes at a point: `value` at `target`, where `guard` holds.
  struct Write {
    mlir::Value value;
    llvm::SmallVector<mlir::AffineExpr> target; ///< may use body.opaque(...)
    llvm::SmallVector<mlir::AffineExpr> guard;
  };
  mlir::FailureOr<Tensor> update(const Tensor &base, llvm::ArrayRef<Size> domain,
                                 llvm::function_ref<Write(Body &)> write,
                                 JoinFn combiner = nullptr);
  Tensor scan(const Tensor &source, int64_t axis, te::Combiner combiner, bool exclusive,
              bool reverse);
  /// te.extern. A result size that is not given is known after the call only.
  struct ExternResult {
    DType type;
    llvm::SmallVector<std::optional<Size>> shape;
  };
  mlir::FailureOr<Tensors> callExtern(llvm::StringRef callee, llvm::ArrayRef<Tensor> inputs,
                                      llvm::ArrayRef<ExternResult> results,
                                      llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

  // Shapes.
  /// numpy's broadcasting of all shapes.
  mlir::FailureOr<llvm::SmallVector<Size>> broadcast(llvm::ArrayRef<llvm::ArrayRef<Size>> shapes);
  mlir::FailureOr<llvm::SmallVector<Size>> broadcast(llvm::ArrayRef<Tensor> tensors);

  /// Whether a dim of `size` is the same as one of `common`, which it broadcasts to, in
  /// every run that does not fail.
  static bool broadcastsAsEqual(const Size &size, const Size &common);

  // Common operators, for use inside of others.
  /// `element` of broadcast operands. `known` computes on contents.
  mlir::FailureOr<Tensor> elementwise(DType type, llvm::ArrayRef<Tensor> operands, MapFn element,
                                      SizeFn known = nullptr);
  mlir::FailureOr<Tensor> cast(const Tensor &tensor, DType type);
  mlir::FailureOr<Tensor> reshape(const Tensor &tensor, llvm::ArrayRef<Size> shape);
  mlir::FailureOr<Tensor> transpose(const Tensor &tensor, llvm::ArrayRef<int64_t> permutation);
  mlir::FailureOr<Tensor> expand(const Tensor &tensor, llvm::ArrayRef<Size> shape);
  mlir::FailureOr<Tensor> concat(llvm::ArrayRef<Tensor> tensors, int64_t axis);
  /// Elements begin, begin + step, ... of one axis, `count` of them.
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
  /// Whether a value may be used at the builder.
  bool isVisible(mlir::Value value);
  Size broadcastPair(const Size &lhs, const Size &rhs);
  Tensor reshapeKnown(const Tensor &tensor, llvm::ArrayRef<Size> shape);
  mlir::FailureOr<Tensor> concatPieces(llvm::ArrayRef<Tensor> tensors, int64_t axis,
                                       llvm::ArrayRef<Size> begins, llvm::ArrayRef<Size> shape);
  mlir::FailureOr<Tensor> concatSelected(llvm::ArrayRef<Tensor> tensors, int64_t axis,
                                         llvm::ArrayRef<Size> begins, llvm::ArrayRef<Size> shape);

  mlir::Location location;
  Fault lastFault = Fault::None;
  std::string lastText;
  /// Values that stand for a Size, one per region that needed one.
  std::map<Size, llvm::SmallVector<mlir::Value, 1>> sizeValues;
  /// Discarded ops: their values are still known to sizes and tensors, and must not
  /// come to life again at the same address.
  llvm::SmallVector<mlir::Operation *> discarded;
  /// Elements that folding has made so far.
  int64_t foldedElements = 0;
};

} // namespace tssa::operators

#endif // TSSA_BUILDER_BUILDER_H
