//===- Storages.cpp - which storage a ref is a view of -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/tssa/Analysis/Storages.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tssa/Support/Unsupported.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::refs;

Value refs::getRoot(Value ref) {
  while (auto view = ref.getDefiningOp<ViewOp>())
    ref = view.getSource();
  return ref;
}

Path refs::getPathFromRoot(Value ref) {
  SmallVector<ViewOp> views;
  while (auto view = ref.getDefiningOp<ViewOp>()) {
    views.push_back(view);
    ref = view.getSource();
  }
  Path path;
  for (ViewOp view : llvm::reverse(views))
    path.append(view.getBoundPath());
  return path;
}

bool refs::isStorage(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return isa_and_nonnull<func::FuncOp>(argument.getOwner()->getParentOp());
  return root.getDefiningOp<AllocOp>() != nullptr;
}

StringAttr refs::getConstantName(Value root) {
  auto storage = root.getDefiningOp<AllocOp>();
  return storage ? storage.getConstantAttr() : StringAttr();
}

static bool isRef(Type type) { return isa<RefType>(type); }

static LogicalResult checkWrite(WriteOp write) {
  if (StringAttr name = getConstantName(getRoot(write.getRef())))
    return ::tssa::emitUnsupported(write)
           << "expected a write to a tensor that may change, but '" << name.getValue()
           << "' is a constant of the program; write to a clone of it, or pass it as an argument";
  if (isInjective(getPathFromRoot(write.getRef())))
    return success();
  InFlightDiagnostic error = write.emitError(
      "expected a write to distinct elements, but an expanded view has the "
      "same element several times; write to the tensor before it is expanded, or to "
      "a clone of the view");
  error.attachNote(getRoot(write.getRef()).getLoc()) << "the storage is allocated here";
  return failure();
}

static LogicalResult checkReferences(Operation *op) {
  if (auto write = dyn_cast<WriteOp>(op))
    return checkWrite(write);
  if (isa<AllocOp, ViewOp, DimOp, ReadOp, func::ReturnOp>(op))
    return success();
  bool passesRefs =
      llvm::any_of(op->getOperandTypes(), isRef) || llvm::any_of(op->getResultTypes(), isRef);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      passesRefs |= llvm::any_of(block.getArgumentTypes(), isRef);
  if (passesRefs)
    return op->emitError("a reference is passed through '")
           << op->getName() << "'; expected no calls, and 'tssa-resolve-refs' to have run before";
  if (op->getNumRegions() == 0 || isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
    return success();
  WalkResult found = op->walk([](Operation *inner) {
    return isa<AllocOp, ViewOp, DimOp, ReadOp, WriteOp>(inner) ? WalkResult::interrupt()
                                                               : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return success();
  return op->emitError("references are used inside of '")
         << op->getName() << "'; expected scf.if, scf.for or scf.while";
}

LogicalResult refs::checkReferences(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock())
    return function.emitError("expected a function with one block");
  WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    return op != function && failed(::checkReferences(op)) ? WalkResult::interrupt()
                                                           : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
