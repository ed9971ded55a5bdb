//===- Interest.h - tests whether a file still fails ------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TOOLS_TSSA_REDUCE_INTEREST_H
#define TSSA_TOOLS_TSSA_REDUCE_INTEREST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tssa::reduce {

/// The failure that a reduced file must still show.
struct Failure {
  enum Kind { Command, Crash, Error, Mismatch };
  Kind kind = Command;
  /// For Command: a shell command that exits with 0 if the file is interesting; `{}` stands
  /// for the file's name. For Error: a text that tssa-compile must print.
  std::string text;
  /// The compiler and its additional options, for all kinds but Command.
  std::string compiler;
  std::vector<std::string> compileOptions;
  unsigned timeoutSeconds = 60;
};

/// Tests whether files show a failure, and counts the tests.
class Interest {
public:
  explicit Interest(Failure failure) : failure(std::move(failure)) {}

  bool holds(llvm::StringRef path);
  unsigned getNumTests() const { return numTests; }

private:
  struct Outcome {
    int code = 0;
    bool crashed = false;
    std::string errors;
  };
  Outcome run(llvm::StringRef program, llvm::ArrayRef<std::string> arguments);
  Outcome compile(llvm::StringRef path);

  Failure failure;
  unsigned numTests = 0;
};

/// Removes ranges of items, long ranges first, until no single item can be removed.
/// `attempt(begin, end)` tries to remove the items of a range and returns whether that
/// succeeded. `count()` returns the number of items left. Returns whether any item was removed.
template <typename Count, typename Attempt> bool leaveOut(Count count, Attempt attempt) {
  bool changed = false;
  for (size_t chunk = std::max<size_t>(count() / 2, 1);; chunk /= 2) {
    for (size_t begin = 0; begin < count();) {
      if (attempt(begin, std::min<size_t>(begin + chunk, count())))
        changed = true;
      else
        begin += chunk;
    }
    if (chunk <= 1)
      return changed;
  }
}

} // namespace tssa::reduce

#endif // TSSA_TOOLS_TSSA_REDUCE_INTEREST_H
