//===- Errors.cpp - errors that name a location in the program ---------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyProgram.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "tssa/Reference/Evaluator.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace reference = ::tssa::reference;

static void describe(llvm::raw_ostream &stream, Location location) {
  llvm::TypeSwitch<LocationAttr>(location)
      .Case<NameLoc>([&](NameLoc loc) { stream << "'" << loc.getName().getValue() << "'"; })
      .Case<FileLineColLoc>([&](FileLineColLoc loc) {
        stream << loc.getFilename().getValue() << ":" << loc.getLine() << ":" << loc.getColumn();
      })
      .Case<CallSiteLoc>([&](CallSiteLoc loc) { describe(stream, loc.getCallee()); })
      .Case<OpaqueLoc>([&](OpaqueLoc loc) { describe(stream, loc.getFallbackLocation()); })
      .Case<FusedLoc>([&](FusedLoc loc) {
        llvm::interleaveComma(loc.getLocations(), stream,
                              [&](Location part) { describe(stream, part); });
      })
      .Default([&](LocationAttr) { stream << "unknown location"; });
}

std::string reference::describeLocation(Location location) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  describe(stream, location);
  return text;
}

llvm::Error reference::makeError(Location location, const llvm::Twine &text) {
  return llvm::createStringError(describeLocation(location) + ": " + text);
}
