//===- ModuleReducer.cpp - reduces .mlir modules ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The reducer removes ops of functions. Results that the remaining ops need become arguments of
/// the function, or are replaced by other values of the same type. Then it replaces returned values
/// by values that their ops read, and removes unused returned values, arguments and symbols. It
/// tests only candidates that verify. (MLIR's own reducer erases ops and drops the operands that
/// refer to them. The dialects of TSSA do not support ops that lack operands.)
///
//===----------------------------------------------------------------------===//

#include "Reducers.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tools/common/WriteFile.h"
#include "tssa/Pipeline/CheckText.h"
#include "tssa/Pipeline/Stages.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace ::tssa::reduce;
using llvm::Error;

namespace {
class ModuleReducer {
public:
  ModuleReducer(OwningOpRef<ModuleOp> module, StringRef output, Interest &interest)
      : module(std::move(module)), output(output.str()), interest(interest) {}

  Error run();

private:
  using Edit = llvm::function_ref<bool(ModuleOp)>;
  /// Applies `edit` to a copy, and accepts the copy if it verifies and is interesting. `edit`
  /// returns false if it does not apply. Returns whether the copy was accepted.
  bool accept(Edit edit);
  bool holds(ModuleOp candidate);
  bool reduceAll();

  OwningOpRef<ModuleOp> module;
  std::string output;
  Interest &interest;
};
} // namespace

static Error writeModule(ModuleOp module, StringRef path) {
  std::string text;
  llvm::raw_string_ostream(text) << module << '\n';
  return ::tssa::writeFile(path, text);
}

/// Returns the ops of all functions, except terminators. Each op comes before the ops in its
/// regions.
static SmallVector<Operation *> collectOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto function = op->getParentOfType<func::FuncOp>();
    if (function && !op->hasTrait<OpTrait::IsTerminator>())
      ops.push_back(op);
  });
  return ops;
}

static SmallVector<func::ReturnOp> collectReturns(ModuleOp module) {
  SmallVector<func::ReturnOp> returns;
  module.walk([&](func::ReturnOp op) { returns.push_back(op); });
  return returns;
}

/// Returns (function, index) for every returned value.
static SmallVector<std::pair<func::FuncOp, unsigned>> collectReturned(ModuleOp module) {
  SmallVector<std::pair<func::FuncOp, unsigned>> values;
  for (func::ReturnOp op : collectReturns(module))
    for (unsigned i = 0; i < op.getNumOperands(); ++i)
      values.push_back({op->getParentOfType<func::FuncOp>(), i});
  return values;
}

/// Erases ops [begin, end) and replaces their results by arguments.
static bool eraseOps(ModuleOp module, size_t begin, size_t end) {
  SmallVector<Operation *> ops = collectOps(module);
  llvm::SmallPtrSet<Operation *, 16> erased;
  SmallVector<Operation *> roots;
  for (Operation *op : ArrayRef(ops).slice(begin, end - begin)) {
    erased.insert(op);
    if (!erased.contains(op->getParentOp()))
      roots.push_back(op);
  }
  for (Operation *op : llvm::reverse(roots)) {
    auto function = op->getParentOfType<func::FuncOp>();
    for (Value result : op->getResults()) {
      if (result.use_empty())
        continue;
      unsigned index = function.getNumArguments();
      if (failed(function.insertArgument(index, result.getType(), {}, op->getLoc())))
        return false;
      result.replaceAllUsesWith(function.getArgument(index));
    }
    op->erase();
  }
  return true;
}

static bool eraseReturned(ModuleOp module, size_t begin, size_t end) {
  auto values = collectReturned(module);
  for (size_t i = end; i-- > begin;) {
    auto [function, index] = values[i];
    for (func::ReturnOp op : collectReturns(module))
      if (op->getParentOp() == function)
        op->eraseOperand(index);
    if (failed(function.eraseResult(index)))
      return false;
  }
  return true;
}

/// Returns the values that an op reads, including those read in its regions.
static SmallVector<Value> collectReads(Operation *op) {
  llvm::SetVector<Value> reads(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads.takeVector();
}

/// Replaces op `index` by a value of the same type that it reads.
static bool bypassOp(ModuleOp module, size_t index) {
  Operation *op = collectOps(module)[index];
  if (op->getNumResults() != 1)
    return false;
  for (Value read : collectReads(op))
    if (read.getType() == op->getResult(0).getType()) {
      op->getResult(0).replaceAllUsesWith(read);
      op->erase();
      return true;
    }
  return false;
}

/// Replaces returned value `index` by the tensors that its op reads from other ops.
static bool returnEarlier(ModuleOp module, size_t index) {
  auto [function, number] = collectReturned(module)[index];
  SmallVector<func::ReturnOp> returns(function.getOps<func::ReturnOp>());
  Operation *maker = returns.size() == 1 ? returns[0].getOperand(number).getDefiningOp() : nullptr;
  if (!maker)
    return false;
  returns[0]->eraseOperand(number);
  if (failed(function.eraseResult(number)))
    return false;
  for (Value read : collectReads(maker)) {
    Operation *earlier = read.getDefiningOp();
    if (!earlier || earlier->getParentOp() != function || !isa<TensorType>(read.getType()) ||
        llvm::is_contained(returns[0].getOperands(), read))
      continue;
    returns[0]->insertOperands(returns[0].getNumOperands(), read);
    if (failed(function.insertResult(function.getNumResults(), read.getType(), {})))
      return false;
  }
  return function.getNumResults() != 0;
}

/// Erases ops, arguments and symbols without uses until there are no more of them.
static void eraseUnused(ModuleOp module) {
  for (bool changed = true; changed;) {
    changed = false;
    SmallVector<Operation *> ops = collectOps(module);
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op)) {
        op->erase();
        changed = true;
        break; // what was inside of it is gone too
      }
  }
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned i = function.getNumArguments(); i-- > 0;)
      if (function.getArgument(i).use_empty() && succeeded(function.eraseArgument(i)))
        continue;
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<SymbolOpInterface>(op) && !isa<func::FuncOp>(op) &&
        SymbolTable::symbolKnownUseEmpty(&op, module))
      op.erase();
}

bool ModuleReducer::holds(ModuleOp candidate) {
  SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("tssa-reduce", "mlir", path))
    return false;
  llvm::FileRemover remover(path);
  if (Error error = writeModule(candidate, path)) {
    llvm::errs() << path << ": " << toString(std::move(error)) << '\n';
    return false;
  }
  return interest.holds(path);
}

bool ModuleReducer::accept(Edit edit) {
  OwningOpRef<ModuleOp> candidate = module->clone();
  ScopedDiagnosticHandler silence(candidate->getContext(), [](Diagnostic &) { return success(); });
  if (!edit(*candidate))
    return false;
  eraseUnused(*candidate);
  if (failed(verify(*candidate)) || !holds(*candidate))
    return false;
  module = std::move(candidate);
  if (Error error = writeModule(*module, output))
    llvm::errs() << output << ": " << toString(std::move(error)) << '\n';
  return true;
}

bool ModuleReducer::reduceAll() {
  bool changed =
      leaveOut([&] { return collectReturned(*module).size(); },
               [&](size_t begin, size_t end) {
                 return accept([&](ModuleOp copy) { return eraseReturned(copy, begin, end); });
               });
  changed |= leaveOut([&] { return collectOps(*module).size(); },
                      [&](size_t begin, size_t end) {
                        return accept([&](ModuleOp copy) { return eraseOps(copy, begin, end); });
                      });
  auto tryEach = [&](auto count, bool (*edit)(ModuleOp, size_t)) {
    for (size_t i = 0; i < count(*module);)
      if (accept([&](ModuleOp copy) { return edit(copy, i); }))
        changed = true;
      else
        ++i;
  };
  tryEach([](ModuleOp current) { return collectReturned(current).size(); }, returnEarlier);
  tryEach([](ModuleOp current) { return collectOps(current).size(); }, bypassOp);
  return changed;
}

Error ModuleReducer::run() {
  if (!holds(*module))
    return llvm::createStringError("the module itself does not show the failure");
  while (reduceAll())
    ;
  llvm::errs() << output << ": " << collectOps(*module).size() << " ops in functions after "
               << interest.getNumTests() << " tests\n";
  return writeModule(*module, output);
}

namespace tssa::reduce {

Error reduceModule(StringRef input, StringRef output, Interest &interest) {
  auto file = llvm::MemoryBuffer::getFile(input);
  if (!file)
    return llvm::createStringError("cannot be read: " + file.getError().message());
  if (Error error = checkText((*file)->getBuffer()))
    return error;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return llvm::createStringError("the file cannot be read");
  return ModuleReducer(std::move(module), output, interest).run();
}

} // namespace tssa::reduce
