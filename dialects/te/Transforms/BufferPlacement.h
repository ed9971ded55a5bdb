//===- BufferPlacement.h - where each variable lies ------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides which variables share a buffer, and where in the arena each lies.
///
/// 1. Copies are taken from the innermost loop outwards. The two sides of a copy
///    become one buffer when they are never needed at the same time and nobody
///    forbids to write: then the copy is nothing.
/// 2. A buffer that holds a result is that result's storage.
/// 3. Buffers of constant size are placed largest first, each in the smallest gap
///    between those that live at the same time.
/// 4. Buffers whose size depends on symbols go into slots, behind the others. A
///    slot is as large as the largest buffer in it; no two of them live at the
///    same time.
///
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_BUFFERPLACEMENT_H
#define DIALECTS_TE_TRANSFORMS_BUFFERPLACEMENT_H

#include "dialects/te/Transforms/BufferProgram.h"

namespace mlir::tssa::te {

/// Every buffer begins at a multiple of this, and so many bytes behind the last
/// one can be read.
constexpr int64_t bufferAlignment = 64;

struct Buffer {
  LiveRange live;
  bool readOnly = false;
  int result = -1;
  /// Bytes of its variables, values at the start of the program.
  llvm::SmallSetVector<Value, 2> sizes;
  /// Offset in the arena; null for others.
  Value offset;
};

class BufferPlacement {
public:
  /// With `apart`, no two buffers share bytes at any time, and behind each are
  /// `bufferAlignment` bytes or more of nobody's.
  BufferPlacement(const BufferProgram &program, EntrySizes &sizes, bool apart = false)
      : program(program), sizes(sizes), apart(apart) {}

  /// Places everything; returns the bytes of the arena.
  Value run();

  /// The buffer of a variable that is not grown.
  const Buffer &getBuffer(unsigned variable) { return buffers[parents.findLeader(variable)]; }
  bool share(const Copy &copy) { return sharing[&copy - program.getCopies().begin()]; }
  /// The copies to planned variables that are made at `at`, one after the other.
  ArrayRef<const Copy *> getCopies(Operation *at) { return orders[at]; }
  /// Where the value of a copy waits while others at the same place are made;
  /// null when it need not wait.
  Value getTemporary(const Copy &copy) {
    return temporaries.lookup(&copy - program.getCopies().begin());
  }

private:
  struct Leaders {
    SmallVector<unsigned> parent;
    unsigned findLeader(unsigned i) {
      while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
      return i;
    }
  };

  const BufferProgram &program;
  EntrySizes &sizes;
  bool apart;
  SmallVector<Buffer> buffers;
  Leaders parents;
  SmallVector<bool> sharing;
  DenseMap<Operation *, SmallVector<const Copy *>> orders;
  /// Copies that wait, and the buffers in which.
  SmallVector<std::pair<unsigned, unsigned>> temporaryBuffers;
  DenseMap<unsigned, Value> temporaries;

  void createBuffers();
  void coalesce();
  bool tryToShare(const Copy &copy);
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
