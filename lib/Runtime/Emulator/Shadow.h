//===- Shadow.h - detection of races ---------------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Races are detected by the happens-before relation. Two accesses of the same granule of
/// memory, of which at least one is a write and not both are atomic, race unless they are
/// ordered by one of these:
///
///   both are made by the same thread;
///   both are in one block, with a barrier of the block between them;
///   both are in one warp, with a barrier of the whole warp between them.
///
/// An asynchronous copy writes at the time at which its thread waits for it. Before, the granules
/// that it will write are *in flight*, and no access to them is ordered with the copy.
///
/// Blocks of a launch are not ordered, and shuffles do not order memory accesses. Two writes
/// of the same value race as well: their result on a GPU is undefined, so kernels must not
/// depend on it.
///
/// The logical time is a number, the *stamp*. It increases by one when a block begins and
/// when a block passes a barrier. Blocks run one after the other, so the stamp of an access
/// identifies its block, and accesses with equal stamps have no barrier between them. The
/// cell of a granule records its last write and the reads since then. Of the readers it records
/// only whether they are one thread, several threads of one warp, or several warps.
///
//===----------------------------------------------------------------------===//
#ifndef TSSA_LIB_RUNTIME_EMULATOR_SHADOW_H
#define TSSA_LIB_RUNTIME_EMULATOR_SHADOW_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace tssa::runtime::emulator {

enum class AccessKind : uint8_t { Load, Store, Atomic };

/// A thread at a point in time.
struct Moment {
  uint32_t stamp;
  uint32_t firstStamp; ///< the first stamp of the thread's block
  uint16_t thread;     ///< the thread's number in its block, less than 1024
  uint16_t warpEpoch;  ///< number of barriers that its warp has passed in this block
};

/// A summary of the accesses of one kind to a granule, sufficient to check later accesses. If all
/// members are zero, there was no access.
struct AccessRecord {
  uint32_t stamp;
  uint16_t who; ///< a thread's number and the flags below
  uint16_t warpEpoch;

  static constexpr uint16_t numbers = 0x3FF;
  static constexpr uint16_t severalLanes = 0x400; ///< several threads of that thread's warp
  static constexpr uint16_t severalWarps = 0x800;
  static constexpr uint16_t otherBlocks = 0x1000; ///< also threads of earlier blocks
  static constexpr uint16_t atomic = 0x2000;
  static constexpr uint16_t inFlight = 0x4000; ///< a copy that its thread has not waited for

  void set(const Moment &now, uint16_t flags) {
    stamp = now.stamp;
    who = now.thread | flags;
    warpEpoch = now.warpEpoch;
  }
  /// Adds an access. Drops the recorded accesses that a barrier of the block orders before it.
  void add(const Moment &now);
  /// Returns whether all recorded accesses happened before the access at `now`.
  bool isBefore(const Moment &now) const;
};

/// The recorded accesses of one granule.
struct Cell {
  AccessRecord write, read;

  /// Records an access. Returns false if it races; the cell then keeps the earlier access.
  bool touch(AccessKind kind, const Moment &now) {
    switch (kind) {
    case AccessKind::Load:
      return load(now);
    case AccessKind::Store:
      return store(now);
    case AccessKind::Atomic:
      return update(now);
    }
    return true;
  }

  /// Whether an asynchronous copy may write the granule at any time.
  bool isInFlight() const { return write.who & AccessRecord::inFlight; }

private:
  bool load(const Moment &now);
  bool store(const Moment &now);
  bool update(const Moment &now);
};
static_assert(sizeof(Cell) == 16, "a granule's cell is two words");

/// An array of zeroed cells. The system provides their pages on first use.
class Cells {
public:
  Cells() = default;
  explicit Cells(size_t count)
      : cells(static_cast<Cell *>(std::calloc(count ? count : 1, sizeof(Cell)))) {
    if (!cells)
      throw std::bad_alloc();
  }
  explicit operator bool() const { return cells != nullptr; }
  Cell &operator[](size_t i) { return cells.get()[i]; }

private:
  struct Free {
    void operator()(Cell *pointer) const { std::free(pointer); }
  };
  std::unique_ptr<Cell, Free> cells;
};

//===----------------------------------------------------------------------===//
// Inline implementations: every access of every thread calls these
//===----------------------------------------------------------------------===//

inline bool AccessRecord::isBefore(const Moment &now) const {
  if (stamp == 0)
    return true;
  if (stamp < now.firstStamp || (who & otherBlocks))
    return false;
  if (stamp < now.stamp)
    return true;
  if (who & severalWarps)
    return false;
  bool sameWarp = (who & numbers) / 32 == now.thread / 32;
  if (who & severalLanes)
    return sameWarp && warpEpoch != now.warpEpoch;
  return (who & numbers) == now.thread || (sameWarp && warpEpoch != now.warpEpoch);
}

inline void AccessRecord::add(const Moment &now) {
  uint16_t flags = who & (otherBlocks | atomic);
  if (stamp != 0 && stamp < now.firstStamp)
    flags |= otherBlocks;
  if (stamp == now.stamp) {
    flags |= who & (severalLanes | severalWarps);
    if ((who & numbers) / 32 != now.thread / 32)
      flags |= severalWarps;
    else if ((who & numbers) != now.thread)
      flags |= severalLanes;
  }
  set(now, flags);
}

inline bool Cell::load(const Moment &now) {
  if (!write.isBefore(now))
    return false;
  read.add(now);
  return true;
}

inline bool Cell::store(const Moment &now) {
  if (!write.isBefore(now) || !read.isBefore(now))
    return false;
  write.set(now, 0);
  read = AccessRecord{};
  return true;
}

inline bool Cell::update(const Moment &now) {
  if (!read.isBefore(now))
    return false;
  bool before = write.isBefore(now);
  if (!before && !(write.who & AccessRecord::atomic))
    return false;
  read = AccessRecord{};
  if (before)
    write = AccessRecord{};
  write.add(now);
  write.who |= AccessRecord::atomic;
  return true;
}

} // namespace tssa::runtime::emulator

#endif // TSSA_LIB_RUNTIME_EMULATOR_SHADOW_H
