//===- Interest.h - whether a file still fails ------------------------------===//
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

/// What a file must still do to be worth keeping.
struct Failure {
  enum Kind { Command, Crash, Error, Mismatch };
  Kind kind = Command;
  /// Of Command: a shell command that ends with 0 if the file is interesting; `{}` is
  /// its name. Of Error: what tssa-compile must say.
  std::string text;
  /// The compiler and its further options, for all but Command.
  std::string compiler;
  std::vector<std::string> compileOptions;
  unsigned timeoutSeconds = 60;
};

/// Runs the test on files and counts how often.
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

/// Leaves out runs of items, long ones first, until no single item can be left out.
/// `attempt(begin, end)` tries to leave out the items of that range and says whether
/// that was kept; `count()` is the number of items left.
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
