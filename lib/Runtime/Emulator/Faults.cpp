//===- Faults.cpp - error messages of the emulator ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include <algorithm>

using namespace tssa::runtime;
using namespace tssa::runtime::emulator;

static const char *getName(const tssa_emulator_site &site) {
  if (isMatrixLoad(site))
    return "matrix load";
  if (isMatrixProduct(site))
    return "matrix product";
  int32_t operation = site.operation;
  switch (operation) {
  case TSSA_EMU_LOAD:
    return "load";
  case TSSA_EMU_STORE:
    return "store";
  case TSSA_EMU_ATOMIC:
    return "atomic update";
  case TSSA_EMU_BARRIER:
    return "barrier";
  case TSSA_EMU_WARP_BARRIER:
    return "warp barrier";
  case TSSA_EMU_DIVIDE:
    return "division";
  case TSSA_EMU_TRAP:
    return "trap";
  case TSSA_EMU_COPY:
    return "asynchronous copy";
  case TSSA_EMU_COMMIT_COPIES:
    return "commit of copies";
  case TSSA_EMU_AWAIT_COPIES:
    return "wait for copies";
  default:
    break;
  }
  if (operation <= TSSA_EMU_SHUFFLE_INDEX)
    return "shuffle";
  if (operation <= TSSA_EMU_VOTE_BALLOT)
    return "vote";
  return operation <= TSSA_EMU_MATCH_ALL ? "match" : "reduction of a warp";
}

std::string Grid::describeSite(int32_t site) const {
  const tssa_emulator_site &callSite = kernel.sites[site];
  std::string text = getName(callSite);
  if (isAccess(callSite) && callSite.bytes != 0)
    text += " of " + std::to_string(callSite.bytes) + " bytes";
  std::string where = kernel.texts + callSite.text;
  return where.empty() ? text : text + " (" + where + ")";
}

std::string Grid::describeThread(const Thread &thread) const {
  return "thread " + std::to_string(thread.thread) + " of block " + std::to_string(thread.block);
}

/// Describes the threads that made the accesses of a record.
std::string Grid::describeParty(const AccessRecord &record, bool write) const {
  std::string kind = !write                                ? "a load"
                     : (record.who & AccessRecord::atomic) ? "an atomic update"
                                                           : "a store";
  auto after = std::upper_bound(begunBlocks.begin(), begunBlocks.end(), record.stamp,
                                [](uint32_t stamp, const std::pair<uint32_t, uint32_t> &begun) {
                                  return stamp < begun.first;
                                });
  std::string block = " of block " + std::to_string(std::prev(after)->second);
  uint16_t number = record.who & AccessRecord::numbers;
  if (record.who & AccessRecord::otherBlocks)
    return kind + " by threads of several blocks, one of them" + block;
  if (record.who & AccessRecord::severalWarps)
    return kind + " by threads of several warps" + block;
  if (record.who & AccessRecord::severalLanes)
    return kind + " by several lanes of warp " + std::to_string(number / 32) + block;
  return kind + " by thread " + std::to_string(number) + block;
}

std::string Grid::describeRace(const Cell &cell, AccessKind kind, const Moment &now) const {
  bool byWrite = !cell.write.isBefore(now) &&
                 !(kind == AccessKind::Atomic && (cell.write.who & AccessRecord::atomic));
  const AccessRecord &other = byWrite ? cell.write : cell.read;
  bool sameBlock = other.stamp >= firstStamp && !(other.who & AccessRecord::otherBlocks);
  return describeParty(other, byWrite) +
         (sameBlock ? ": no barrier lies between" : ": nothing orders blocks");
}

void Grid::report(tssa_code code, const std::string &what) {
  status.code = code;
  status.message = "kernel '" + launch.name + "': " + what;
  status.node = launch.node;
}

void Grid::fail(const Thread &thread, int32_t site, const std::string &what) {
  report(TSSA_INTERNAL, describeSite(site) + " by " + describeThread(thread) + " " + what);
}

/// Reports that no thread can run although not all have finished. The message names the first
/// waiting thread and the operation at which it waits.
void Grid::reportStuck() {
  auto waits = [](const Thread &thread) { return !thread.finished && thread.waitsAt >= 0; };
  auto waiting = std::find_if(threads.begin(), threads.end(), waits);
  bool ofWarp = kernel.sites[waiting->waitsAt].operation != TSSA_EMU_BARRIER;
  auto isMissing = [&](const Thread &other) {
    if (!ofWarp)
      return other.finished || other.waitsAt != waiting->waitsAt;
    bool needed =
        other.thread / 32 == waiting->thread / 32 && (waiting->mask >> other.getLane() & 1);
    return needed && (other.finished || other.waitsAt != waiting->waitsAt);
  };
  auto missing = std::find_if(threads.begin(), threads.end(), isMissing);
  std::string why =
      missing == threads.end()
          ? std::string("never ends")
          : "waits for thread " + std::to_string(missing->thread) +
                (missing->finished ? ", which has ended"
                                   : ", which waits at " + describeSite(missing->waitsAt));
  report(TSSA_INTERNAL,
         describeSite(waiting->waitsAt) + " by " + describeThread(*waiting) + " " + why);
}
