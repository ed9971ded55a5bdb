//===- BufferPlacement.cpp - assigns buffers and their offsets -----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/te/Transforms/BufferPlacement.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "te-plan-buffers"

namespace mlir::tssa::te {

static std::optional<int64_t> getConstant(Value value) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant.getInt();
  return std::nullopt;
}

/// Estimates a size by assuming 100 for each symbol. The estimate serves only to order buffers.
static double estimate(Value value) {
  if (std::optional<int64_t> constant = getConstant(value))
    return *constant;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::MulIOp>(op))
    return estimate(op->getOperand(0)) * estimate(op->getOperand(1));
  if (isa_and_nonnull<arith::AddIOp>(op))
    return estimate(op->getOperand(0)) + estimate(op->getOperand(1));
  return 100;
}

static double estimate(const Buffer &buffer) {
  double largest = 0;
  for (Value size : buffer.sizes)
    largest = std::max(largest, estimate(size));
  return largest;
}

void BufferPlacement::createBuffers() {
  for (auto [i, variable] : llvm::enumerate(program.getVariables())) {
    parents.parent.push_back(i);
    Buffer &buffer = buffers.emplace_back();
    buffer.live = variable.live;
    buffer.readOnly = variable.kind == Variable::ReadOnly;
    buffer.result = variable.result;
    if (variable.kind == Variable::Planned && !variable.values.empty())
      buffer.sizes.insert(sizes.getBytes(variable.values.front()));
  }
}

/// Gives each tensor that lies in another one the buffer of that.
void BufferPlacement::uniteParts() {
  for (auto [i, variable] : llvm::enumerate(program.getVariables())) {
    Value value = variable.values.empty() ? Value() : variable.values.front();
    Value whole = value ? places.getWhole(value) : Value();
    if (whole == value)
      continue;
    unsigned target = program.getVariable(whole);
    buffers[target].live.add(buffers[i].live);
    parents.parent[i] = target;
  }
}

bool BufferPlacement::tryToShare(const Copy &copy) {
  ArrayRef<Variable> variables = program.getVariables();
  if (variables[copy.source].kind != Variable::Planned ||
      variables[copy.target].kind != Variable::Planned)
    return false;
  unsigned source = parents.findLeader(copy.source), target = parents.findLeader(copy.target);
  if (source == target)
    return true;
  Buffer &from = buffers[source], &to = buffers[target];
  if ((from.result >= 0 && to.result >= 0) || from.live.overlaps(to.live))
    return false;
  from.live.add(to.live);
  from.result = std::max(from.result, to.result);
  from.sizes.insert(to.sizes.begin(), to.sizes.end());
  parents.parent[target] = source;
  return true;
}

void BufferPlacement::coalesce() {
  ArrayRef<Copy> copies = program.getCopies();
  sharing.assign(copies.size(), false);
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(0, copies.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) { // inner loops first; at one depth, updates first
    auto key = [&](unsigned i) {
      return std::tuple(-int64_t(copies[i].depth), copies[i].kind != Copy::Update, i);
    };
    return key(a) < key(b);
  });
  for (unsigned i : order)
    sharing[i] = tryToShare(copies[i]);
}

/// Gives rows the buffers of the tensors that they are copied into. The tensor before and after the
/// copy has one buffer, which is live from the launch that computes the row until the row is not
/// used any more, since it is needed after the copy.
void BufferPlacement::placeRows() {
  DenseMap<unsigned, unsigned> numVariables;
  for (unsigned i = 0; i < program.getVariables().size(); ++i)
    ++numVariables[parents.findLeader(i)];
  for (const RowWrite &write : rowWrites) {
    LaunchOp launch = write.copy;
    const Copy *copy = program.lookupCopy(launch, 0);
    unsigned row = program.getVariable(write.row);
    unsigned whole = parents.findLeader(program.getVariable(launch.getResult(0)));
    bool isInPlace = copy && copy->kind == Copy::Update && share(*copy);
    if (apart || !isInPlace || program.getVariables()[row].kind != Variable::Planned ||
        parents.findLeader(row) != row || numVariables[row] != 1 || buffers[whole].result >= 0 ||
        places.getWhole(write.row) != write.row)
      continue;
    LiveRange live = buffers[whole].live;
    live.add(buffers[row].live);
    if (live.getIntervals() != buffers[whole].live.getIntervals())
      continue; // the row outlives the tensor
    parents.parent[row] = whole;
    rows[write.row] = &write;
  }
}

/// If a copy is not elided, its source and its target are live at the same time, so the live range
/// of the source is extended. Then orders the copies at each program point.
void BufferPlacement::separateCopies() {
  ArrayRef<Copy> copies = program.getCopies();
  DenseMap<Operation *, SmallVector<unsigned>> byOp;
  for (unsigned i = 0; i < copies.size(); ++i) {
    if (sharing[i])
      continue;
    buffers[parents.findLeader(copies[i].source)].live.add(copies[i].time, copies[i].time + 2);
    if (program.getVariables()[copies[i].target].kind == Variable::Planned)
      byOp[copies[i].at].push_back(i);
  }
  for (const Copy &copy : copies)
    if (auto pending = byOp.find(copy.at); pending != byOp.end()) {
      orderCopies(pending->second);
      byOp.erase(pending);
    }
}

/// Orders the copies `pending` at one program point, which take effect simultaneously. A copy that
/// overwrites the source of other copies comes after them. If copies overwrite each other's
/// sources, their values are first saved in temporary buffers.
void BufferPlacement::orderCopies(SmallVector<unsigned> pending) {
  ArrayRef<Copy> copies = program.getCopies();
  SmallVector<const Copy *> &order = orders[copies[pending.front()].at];
  auto isFree = [&](unsigned i) {
    unsigned target = parents.findLeader(copies[i].target);
    return llvm::none_of(pending, [&](unsigned other) {
      return other != i && parents.findLeader(copies[other].source) == target;
    });
  };
  while (!pending.empty()) {
    auto *next = llvm::find_if(pending, isFree);
    if (next == pending.end())
      break;
    order.push_back(&copies[*next]);
    pending.erase(next);
  }
  for (unsigned i : pending) {
    order.push_back(&copies[i]);
    parents.parent.push_back(buffers.size());
    Buffer temporary;
    temporary.live.add(copies[i].time, copies[i].time + 2);
    temporary.sizes.insert(sizes.getBytes(copies[i].value));
    temporaryBuffers.push_back({i, unsigned(buffers.size())});
    buffers.push_back(std::move(temporary));
  }
}

int64_t BufferPlacement::placeConstant(ArrayRef<Buffer *> group) {
  struct Placed {
    Buffer *buffer;
    int64_t begin, end;
  };
  SmallVector<Placed> placed; // sorted by `begin`
  int64_t total = 0;
  for (Buffer *buffer : group) {
    int64_t bytes = 0;
    for (Value size : buffer->sizes)
      bytes = std::max(bytes, *getConstant(size));
    bytes = llvm::alignTo(bytes, bufferAlignment) + (apart ? bufferAlignment : 0);
    int64_t best = -1, bestGap = 0, last = 0;
    for (const Placed &other : placed) {
      if (mayShareBytes(other.buffer->live, buffer->live))
        continue;
      int64_t gap = other.begin - last;
      if (gap >= bytes && (best < 0 || gap < bestGap)) {
        best = last;
        bestGap = gap;
      }
      last = std::max(last, other.end);
    }
    int64_t begin = best < 0 ? last : best;
    Placed entry{buffer, begin, begin + bytes};
    placed.insert(
        llvm::upper_bound(placed, entry,
                          [](const Placed &a, const Placed &b) { return a.begin < b.begin; }),
        entry);
    buffer->offset = sizes.getConstant(begin);
    LDBG() << "buffer " << buffer - buffers.data() << " has bytes " << begin << " to "
           << begin + bytes << " of the arena";
    total = std::max(total, begin + bytes);
  }
  return total;
}

Value BufferPlacement::placeSymbolic(ArrayRef<Buffer *> group, Value begin) {
  struct Slot {
    LiveRange live;
    llvm::SmallSetVector<Value, 2> sizes;
    SmallVector<Buffer *> buffers;
  };
  SmallVector<Slot> slots;
  for (Buffer *buffer : group) {
    Slot *chosen = nullptr;
    for (Slot &slot : slots) {
      if (!mayShareBytes(slot.live, buffer->live))
        continue;
      bool same =
          llvm::all_of(buffer->sizes, [&](Value size) { return slot.sizes.contains(size); });
      if (same || !chosen)
        chosen = &slot;
      if (same)
        break;
    }
    if (!chosen)
      chosen = &slots.emplace_back();
    chosen->live.add(buffer->live);
    chosen->sizes.insert(buffer->sizes.begin(), buffer->sizes.end());
    chosen->buffers.push_back(buffer);
  }
  for (Slot &slot : slots) {
    // A wrong input may make a size negative, which is checked later; such a buffer takes no room.
    Value bytes = sizes.getConstant(0);
    for (Value size : slot.sizes)
      bytes = sizes.create<arith::MaxSIOp>({bytes, size});
    int64_t behind = apart ? bufferAlignment : 0;
    bytes = sizes.create<arith::AddIOp>({bytes, sizes.getConstant(behind + bufferAlignment - 1)});
    bytes = sizes.create<arith::AndIOp>({bytes, sizes.getConstant(-bufferAlignment)});
    for (Buffer *buffer : slot.buffers)
      buffer->offset = begin;
    begin = sizes.create<arith::AddIOp>({begin, bytes});
  }
  return begin;
}

Value BufferPlacement::run() {
  createBuffers();
  uniteParts();
  coalesce();
  placeRows();
  separateCopies();
  SmallVector<Buffer *> constant, symbolic;
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    if (parents.findLeader(i) != i || buffer.readOnly || buffer.result >= 0 || buffer.sizes.empty())
      continue;
    bool isConstant = llvm::all_of(buffer.sizes, [](Value size) { return getConstant(size); });
    (isConstant ? constant : symbolic).push_back(&buffer);
  }
  auto largerFirst = [](Buffer *a, Buffer *b) {
    // Both are in one vector, so the order of their addresses is the same in each run.
    return std::pair(-estimate(*a), a) < std::pair(-estimate(*b), b);
  };
  llvm::sort(constant, largerFirst);
  llvm::sort(symbolic, largerFirst);
  Value total = sizes.getConstant(placeConstant(constant));
  if (!symbolic.empty())
    total = placeSymbolic(symbolic, total);
  for (auto [copy, buffer] : temporaryBuffers)
    temporaries[copy] = buffers[buffer].offset;
  // Kernels may read past the last buffer, even if it has no bytes.
  if (std::optional<int64_t> bytes = getConstant(total))
    return sizes.getConstant(*bytes + bufferAlignment);
  return sizes.create<arith::AddIOp>({total, sizes.getConstant(bufferAlignment)});
}

} // namespace mlir::tssa::te
