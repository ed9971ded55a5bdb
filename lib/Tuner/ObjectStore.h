//===- ObjectStore.h - the code of candidates -------------------*- C++ -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_TUNER_OBJECTSTORE_H
#define LIB_TUNER_OBJECTSTORE_H

#include "tssa/Pipeline/VerifyKernel.h"

#include <deque>
#include <map>

namespace tssa::tuner {

/// Keeps the code of the candidates that were built last, of all tasks, up to a number of bytes:
/// the final of a task needs that of its best points again.
class ObjectStore {
public:
  using Object = std::shared_ptr<const KernelObject>;

  explicit ObjectStore(size_t mostBytes) : mostBytes(mostBytes) {}

  /// Returns the code of a point of a task, or null.
  Object lookup(const std::string &task, const std::string &point) const {
    auto found = objects.find({task, point});
    return found == objects.end() ? nullptr : found->second;
  }

  /// Keeps the code of a point that has none yet, and forgets the oldest if there is too much.
  void insert(const std::string &task, const std::string &point, Object object) {
    auto [place, isNew] = objects.try_emplace({task, point}, std::move(object));
    if (!isNew)
      return;
    bytes += place->second->bytes.size();
    order.push_back(place->first);
    for (; bytes > mostBytes; order.pop_front()) {
      auto oldest = objects.find(order.front());
      bytes -= oldest->second->bytes.size();
      objects.erase(oldest);
    }
  }

private:
  using Key = std::pair<std::string, std::string>;

  size_t mostBytes, bytes = 0;
  std::map<Key, Object> objects;
  std::deque<Key> order; ///< the oldest first
};

} // namespace tssa::tuner

#endif // LIB_TUNER_OBJECTSTORE_H
