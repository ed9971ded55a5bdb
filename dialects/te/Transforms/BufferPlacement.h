//===- BufferPlacement.h - assigns buffers and their offsets ---*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides which variables share a buffer, and at which offset of the arena each buffer is.
///
/// 1. Copies are visited from the innermost loop outwards. The source and the target of a copy
///    share one buffer if their live ranges do not overlap and both may be written. The copy is
///    then elided.
/// 2. A row that a launch would copy into a tensor is computed there (Analysis/RowWrites.h), if the
///    tensor is updated in place.
/// 3. A buffer that holds a result of the program is the memory of that result, outside the arena.
/// 4. Buffers of constant size are placed largest first, each in the smallest sufficient gap
///    between the buffers whose live ranges overlap with its own.
/// 5. Buffers whose size depends on symbols are put into slots, after the others. A slot is as
///    large as its largest buffer; the live ranges of its buffers do not overlap.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_BUFFERPLACEMENT_H
#define DIALECTS_TE_TRANSFORMS_BUFFERPLACEMENT_H

#include "dialects/te/Analysis/JoinPlaces.h"
#include "dialects/te/Analysis/RowWrites.h"
#include "dialects/te/Transforms/BufferProgram.h"

namespace mlir::tssa::te {

/// The offset of each buffer is a multiple of this. At least this many bytes can be read after the
/// last buffer.
constexpr int64_t bufferAlignment = 64;

/// The memory that one or more variables share.
struct Buffer {
  LiveRange live;
  bool readOnly = false;
  int result = -1;
  /// The sizes of its variables in bytes, as values at the start of the program.
  llvm::SmallSetVector<Value, 2> sizes;
  /// The offset in the arena; null for a buffer outside of the arena.
  Value offset;
};

/// Assigns a buffer to each variable of a program.
class BufferPlacement {
public:
  /// With `apart`, no two buffers share bytes at any time, and each buffer is followed by at least
  /// `bufferAlignment` unused bytes.
  BufferPlacement(const BufferProgram &program, const JoinPlaces &places,
                  ArrayRef<RowWrite> rowWrites, EntrySizes &sizes, bool apart = false)
      : program(program), places(places), rowWrites(rowWrites), sizes(sizes), apart(apart) {}

  /// Assigns all buffers. Returns the size of the arena in bytes.
  Value run();

  /// Returns the buffer of a variable that is not dynamically allocated.
  const Buffer &getBuffer(unsigned variable) { return buffers[parents.findLeader(variable)]; }
  /// Returns whether the source and the target of `copy` share a buffer, so that it is elided.
  bool share(const Copy &copy) { return sharing[&copy - program.getCopies().begin()]; }
  /// Returns the row write that computes `tensor` in the buffer of another one, or null.
  const RowWrite *lookupRow(Value tensor) const { return rows.lookup(tensor); }
  /// Returns whether the result of `launch` has all its elements already, so that it need not run.
  bool isComputed(LaunchOp launch) const {
    return llvm::any_of(rows, [&](auto &entry) { return entry.second->copy == launch; });
  }
  /// Returns the copies to planned variables at the op `at`, in the order in which they are done.
  ArrayRef<const Copy *> getCopies(Operation *at) { return orders[at]; }
  /// Returns the offset of the temporary buffer that saves the source of `copy` while other copies
  /// at the same op are done, or null if the source needs no such buffer.
  Value getTemporary(const Copy &copy) {
    return temporaries.lookup(&copy - program.getCopies().begin());
  }

private:
  /// A union-find structure over buffers.
  struct Leaders {
    SmallVector<unsigned> parent;
    unsigned findLeader(unsigned i) {
      while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
      return i;
    }
  };

  const BufferProgram &program;
  const JoinPlaces &places;
  ArrayRef<RowWrite> rowWrites;
  EntrySizes &sizes;
  bool apart;
  DenseMap<Value, const RowWrite *> rows;
  SmallVector<Buffer> buffers;
  Leaders parents;
  SmallVector<bool> sharing;
  DenseMap<Operation *, SmallVector<const Copy *>> orders;
  /// Copies whose sources are saved, each with its temporary buffer.
  SmallVector<std::pair<unsigned, unsigned>> temporaryBuffers;
  DenseMap<unsigned, Value> temporaries;

  void createBuffers();
  void uniteParts();
  void coalesce();
  bool tryToShare(const Copy &copy);
  void placeRows();
  void separateCopies();
  void orderCopies(SmallVector<unsigned> pending);
  bool mayShareBytes(const LiveRange &a, const LiveRange &b) const {
    return !apart && !a.overlaps(b);
  }
  int64_t placeConstant(ArrayRef<Buffer *> group);
  Value placeSymbolic(ArrayRef<Buffer *> group, Value begin);
};

} // namespace mlir::tssa::te

#endif // DIALECTS_TE_TRANSFORMS_BUFFERPLACEMENT_H
