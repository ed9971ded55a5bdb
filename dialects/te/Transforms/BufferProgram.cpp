//===- BufferProgram.cpp - variables that need memory, and live ranges ---===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/BufferProgram.h"
#include "dialects/te/Analysis/UpdateTarget.h"
#include "dialects/te/IR/Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::tssa::te {

//===----------------------------------------------------------------------===//
// LiveRange
//===----------------------------------------------------------------------===//

void LiveRange::add(unsigned begin, unsigned end) {
  if (begin >= end)
    return;
  auto *first = llvm::find_if(intervals, [&](Interval i) { return i.second >= begin; });
  auto *last = first;
  for (; last != intervals.end() && last->first <= end; ++last) {
    begin = std::min(begin, last->first);
    end = std::max(end, last->second);
  }
  if (first == last) {
    intervals.insert(first, {begin, end});
    return;
  }
  *first = {begin, end};
  intervals.erase(first + 1, last);
}

void LiveRange::add(const LiveRange &other) {
  for (Interval interval : other.intervals)
    add(interval.first, interval.second);
}

bool LiveRange::overlaps(const LiveRange &other) const {
  const Interval *a = intervals.begin(), *b = other.intervals.begin();
  while (a != intervals.end() && b != other.intervals.end()) {
    if (a->first < b->second && b->first < a->second)
      return true;
    (a->second <= b->second ? a : b)++;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// BufferProgram
//===----------------------------------------------------------------------===//

void expandSelects(func::FuncOp function) {
  function.walk([](arith::SelectOp op) {
    if (!isa<RankedTensorType>(op.getType()))
      return;
    OpBuilder builder(op);
    auto yield = [](Value value) {
      return
          [value](OpBuilder &builder, Location loc) { scf::YieldOp::create(builder, loc, value); };
    };
    auto branch = scf::IfOp::create(builder, op.getLoc(), op.getCondition(),
                                    yield(op.getTrueValue()), yield(op.getFalseValue()));
    op.replaceAllUsesWith(branch.getResult(0));
    op.erase();
  });
}

LogicalResult checkLaunches(func::FuncOp function, SymbolTableCollection &tables) {
  WalkResult result = function.walk([&](LaunchOp launch) -> WalkResult {
    if (tables.lookupNearestSymbolFrom<KernelOp>(launch, launch.getKernelAttr()))
      return WalkResult::advance();
    return launch.emitOpError("expects '") << launch.getKernel() << "' to be a te.kernel";
  });
  return failure(result.wasInterrupted());
}

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }
static bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

std::optional<unsigned> getWrittenBack(func::FuncOp function, unsigned result) {
  PortAttr port = getResultPort(function, result);
  if (!port)
    return std::nullopt;
  return port.getWritesBack() ? port.getWritesBack() : port.getAliasOf();
}

LogicalResult BufferProgram::build() {
  unsigned next = 1;
  for (Operation &op : function.getBody().front())
    number(&op, next);
  ends[function] = 4 * next;
  for (BlockArgument argument : function.getArguments())
    addVariable(Variable::ReadOnly, argument);
  Operation *terminator = function.getBody().front().getTerminator();
  for (unsigned result = 0; result < function.getNumResults(); ++result)
    if (std::optional<unsigned> argument = getWrittenBack(function, result)) {
      // An allocated value has memory of its own; the host copies it to the argument after the run.
      if (getKind(terminator->getOperand(result)) == Variable::Allocated)
        continue;
      Variable &variable = variables[getVariable(function.getArgument(*argument))];
      variable.kind = Variable::Planned;
      variable.result = result;
      sizes.getBytes(function.getArgument(*argument));
    }
  if (failed(visitBlock(function.getBody().front())))
    return failure();
  addUses();
  return success();
}

void BufferProgram::number(Operation *op, unsigned &next) {
  begins[op] = 4 * next++;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &nested : block)
        number(&nested, next);
  ends[op] = op->getNumRegions() ? 4 * next++ : begins[op];
}

unsigned BufferProgram::addVariable(Variable::Kind kind, ValueRange values) {
  for (Value value : values)
    variableOf[value] = variables.size();
  variables.push_back({kind, llvm::to_vector<1>(values), {}, -1});
  return variables.size() - 1;
}

Variable::Kind BufferProgram::getKind(Value value) {
  return sizes.getBytes(value) ? Variable::Planned : Variable::Allocated;
}

unsigned BufferProgram::addValue(Value value) { return addVariable(getKind(value), value); }

/// Adds the variables of a tensor that a loop carries: `argument` in the loop, `result` after it.
void BufferProgram::addCarried(Value argument, Value result) {
  if (getKind(argument) == Variable::Planned) {
    addVariable(Variable::Planned, {argument, result});
    return;
  }
  addVariable(Variable::Allocated, argument);
  addVariable(Variable::Allocated, result);
}

void BufferProgram::addCopy(Copy::Kind kind, Operation *at, unsigned number, Value value,
                            unsigned target, unsigned targetEnd) {
  unsigned depth = 0;
  for (Operation *op = at->getParentOp(); op != function; op = op->getParentOp())
    depth += isLoop(op);
  unsigned time = begins[at] + 1;
  sizes.getBytes(value); // computes the size now; the rewriter asks for it again
  copyAt[{at, number}] = copies.size();
  copies.push_back({kind, at, number, value, variableOf.lookup(value), target, time, depth});
  variables[target].live.add(time, targetEnd);
}

LogicalResult BufferProgram::visitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult BufferProgram::visit(Operation *op) {
  if (isa<ExternOp, LaunchOp>(op) &&
      (llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>) ||
       llvm::any_of(op->getResultTypes(), llvm::IsaPred<MemRefType>)))
    return op->emitError("expected tensors, but 'te-plan-buffers' has already run");
  if (isa<ConstantOp>(op)) {
    addVariable(Variable::ReadOnly, op->getResult(0));
  } else if (auto alias = dyn_cast<tensor::CastOp>(op)) {
    unsigned source = variableOf.lookup(alias.getSource());
    variableOf[alias.getResult()] = source;
    variables[source].values.push_back(alias.getResult());
  } else if (auto launch = dyn_cast<LaunchOp>(op)) {
    visitLaunch(launch);
  } else if (isa<ExternOp, JoinOp, tensor::EmptyOp, tensor::FromElementsOp>(op)) {
    for (Value result : op->getResults())
      addValue(result);
  } else if (isLoop(op)) {
    visitLoop(op);
    for (Region &region : op->getRegions())
      if (failed(visitBlock(region.front())))
        return failure();
    return success();
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Value result : llvm::make_filter_range(op->getResults(), isTensor))
      addValue(result);
    for (Region &region : op->getRegions())
      if (!region.empty() && failed(visitBlock(region.front())))
        return failure();
    return success();
  } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
    visitReturn(ret);
  } else if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    for (auto [i, value] : llvm::enumerate(condition.getArgs()))
      if (isTensor(value))
        addCopy(Copy::Yield, op, i, value, variableOf.lookup(loop.getAfterArguments()[i]),
                begins[op] + 2);
  } else if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    auto loop = dyn_cast<scf::WhileOp>(parent);
    auto count = dyn_cast<scf::ForOp>(parent);
    for (auto [i, value] : llvm::enumerate(yield.getOperands())) {
      Value target = loop    ? loop.getBeforeArguments()[i]
                     : count ? Value(count.getRegionIterArg(i))
                             : parent->getResult(i);
      if (isTensor(value)) // uses after the branch extend the live range of its result
        addCopy(Copy::Yield, op, i, value, variableOf.lookup(target),
                isLoop(parent) ? ends[parent] : begins[op] + 2);
    }
  } else if (!isa<tensor::DimOp, tensor::ExtractOp>(op) &&
             (llvm::any_of(op->getOperands(), isTensor) ||
              llvm::any_of(op->getResults(), isTensor))) {
    return op->emitError("expected an operation that buffers can be planned for, got '")
           << op->getName() << "'";
  } else if (op->getNumRegions() != 0) {
    return op->emitError("expected scf for control flow, got '") << op->getName() << "'";
  }
  return success();
}

void BufferProgram::visitLoop(Operation *op) {
  unsigned begin = begins[op];
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [i, init] : llvm::enumerate(loop.getInitArgs())) {
      if (!isTensor(init))
        continue;
      addCarried(loop.getRegionIterArg(i), loop.getResult(i));
      addCopy(Copy::Init, op, i, init, variableOf.lookup(loop.getRegionIterArg(i)), begin + 2);
    }
    return;
  }
  auto loop = cast<scf::WhileOp>(op);
  for (auto [i, init] : llvm::enumerate(loop.getInits())) {
    if (!isTensor(init))
      continue;
    unsigned target = addValue(loop.getBeforeArguments()[i]);
    addCopy(Copy::Init, op, i, init, target, begin + 2);
  }
  for (auto [argument, result] : llvm::zip(loop.getAfterArguments(), loop.getResults()))
    if (isTensor(argument))
      addCarried(argument, result);
}

std::optional<UpdateTie> BufferProgram::getUpdate(LaunchOp launch, unsigned result) {
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(launch, launch.getKernelAttr());
  Value returned = kernel.getBodyBlock().getTerminator()->getOperand(result);
  auto update = returned.getDefiningOp<UpdateOp>();
  auto base = update ? dyn_cast<BlockArgument>(update.getBase()) : BlockArgument();
  if (!base || base.getOwner() != &kernel.getBodyBlock())
    return std::nullopt;
  return UpdateTie{base.getArgNumber(), readsOnlyTarget(update, base)};
}

void BufferProgram::visitLaunch(LaunchOp launch) {
  for (OpResult result : launch.getResults()) {
    unsigned target = addValue(result);
    if (std::optional<UpdateTie> tie = getUpdate(launch, result.getResultNumber()))
      addCopy(Copy::Update, launch, result.getResultNumber(), launch.getInputs()[tie->parameter],
              target, begins[launch] + 3);
  }
}

void BufferProgram::visitReturn(func::ReturnOp op) {
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    results.emplace_back();
    if (!isTensor(value) || getKind(value) != Variable::Planned)
      continue;
    unsigned target;
    if (std::optional<unsigned> argument = getWrittenBack(function, i)) {
      target = getVariable(function.getArgument(*argument));
    } else {
      target = addVariable(Variable::Planned, {});
      variables[target].result = i;
    }
    results[i] = target;
    addCopy(Copy::Return, op, i, value, target, ends[function] + 4);
  }
}

unsigned BufferProgram::getBegin(Block *block) const {
  return block->empty() ? 0 : begins.lookup(&block->front()) - 1;
}

unsigned BufferProgram::getDefinition(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Block *block = argument.getOwner();
    return block->getParentOp() == function ? 0 : getBegin(block);
  }
  return ends.lookup(value.getDefiningOp()) + 2;
}

void BufferProgram::addUse(Value value, Operation *user, unsigned time) {
  LiveRange &live = variables[variableOf.lookup(value)].live;
  while (auto cast = value.getDefiningOp<tensor::CastOp>())
    value = cast.getSource(); // which has to live until the cast is read
  for (Operation *op = user; op->getParentRegion() != value.getParentRegion();) {
    Block *block = op->getBlock();
    op = op->getParentOp();
    if (isLoop(op)) {
      time = std::max(time, ends.lookup(op));
      continue;
    }
    live.add(getBegin(block), time); // but not in the other branch
    time = begins.lookup(op) + 3;
  }
  live.add(getDefinition(value), time);
}

void BufferProgram::addUses() {
  for (unsigned i = 0; i < variables.size(); ++i) {
    for (Value value : variables[i].values) {
      unsigned definition = getDefinition(value);
      if (!isa<BlockArgument>(value)) // its buffer is written even if nothing reads it
        variables[i].live.add(definition, definition + 1);
      for (OpOperand &use : value.getUses()) {
        Operation *user = use.getOwner();
        if (isa<tensor::DimOp, tensor::CastOp>(user) || user->hasTrait<OpTrait::IsTerminator>() ||
            isLoop(user))
          continue;
        if (auto launch = dyn_cast<LaunchOp>(user)) {
          // If the kernel uses the parameter only as the base of an update, only the copy reads it.
          unsigned number = use.getOperandNumber();
          bool onlyBase =
              llvm::any_of(llvm::seq<unsigned>(0, launch.getNumResults()), [&](unsigned r) {
                std::optional<UpdateTie> tie = getUpdate(launch, r);
                return tie && tie->parameter == number && tie->onlyUse;
              });
          if (onlyBase)
            continue;
        }
        addUse(value, user, begins.lookup(user) + 3);
      }
    }
  }
  for (const Copy &copy : copies)
    addUse(copy.value, copy.at, copy.time);
}

const Copy *BufferProgram::lookupCopy(Operation *at, unsigned number) const {
  auto found = copyAt.find({at, number});
  return found == copyAt.end() ? nullptr : &copies[found->second];
}

SmallVector<OpOperand *> BufferProgram::getUses(unsigned variable) const {
  SmallVector<OpOperand *> uses;
  for (Value value : variables[variable].values)
    for (OpOperand &use : value.getUses())
      uses.push_back(&use);
  return uses;
}

} // namespace mlir::tssa::te
