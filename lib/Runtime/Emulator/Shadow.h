//===- Shadow.h - who touched which byte last ------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds races by happens-before. Two accesses of the same granule of memory, one of
/// them a write and not both atomic, race unless something orders them:
///
///   the same thread made both;
///   both are of one block and a barrier of the block lies between;
///   both are of one warp and a barrier of the whole warp lies between.
///
/// Nothing orders two blocks of a launch, and shuffles order no memory. Whether two
/// writes store the same value does not matter: what a GPU makes of them is not
/// defined, so a kernel should not depend on it.
///
/// Time is a number, the *stamp*: it grows by one with each block that begins and
/// each barrier that a block passes. Blocks run one after the other, so the stamp of
/// an access tells its block, and equal stamps mean that no barrier lies between. A
/// granule remembers its last write, and its reads since then as one thread, several
/// threads of a warp, or several warps.
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

/// A thread at a moment.
struct Moment {
  uint32_t stamp;
  uint32_t firstStamp; ///< of the thread's block
  uint16_t thread;     ///< in its block, below 1024
  uint16_t warpEpoch;  ///< barriers that its warp has passed in this block
};

/// Accesses of one kind to a granule, as far as later ones need to know them. All
/// zeros: none.
struct AccessRecord {
  uint32_t stamp;
  uint16_t who; ///< a thread, or, with the flags below, more
  uint16_t warpEpoch;

  static constexpr uint16_t numbers = 0x3FF;
  static constexpr uint16_t severalLanes = 0x400; ///< of the warp that `who` is in
  static constexpr uint16_t severalWarps = 0x800;
  static constexpr uint16_t otherBlocks = 0x1000; ///< and some in blocks before
  static constexpr uint16_t atomic = 0x2000;

  void set(const Moment &now, uint16_t flags) {
    stamp = now.stamp;
    who = now.thread | flags;
    warpEpoch = now.warpEpoch;
  }
  /// Adds an access that is not ordered behind all of these.
  void add(const Moment &now);
  /// Whether all of these happened before what the thread of `now` does.
  bool isBefore(const Moment &now) const;
};

/// What is known of one granule.
struct Cell {
  AccessRecord write, read;

  /// Notes an access. False when it races; then `Cell` still holds the other party.
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

private:
  bool load(const Moment &now);
  bool store(const Moment &now);
  bool update(const Moment &now);
};
static_assert(sizeof(Cell) == 16, "a granule's cell is two words");

/// Zeroed cells, which take memory once they are touched.
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
// Implementation: each access of each thread comes through here
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
