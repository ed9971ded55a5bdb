//===- Link.cpp - objects to a shared object -----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Target/TemporaryFile.h"
#include "lld/Common/Driver.h"
#include "tssa/Target/CPU.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace tssa::cpu {

Expected<std::string> link(ArrayRef<std::string> objects, bool sanitize) {
  std::vector<TemporaryFile> inputs(objects.size());
  TemporaryFile output;
  if (Error error = output.create("so"))
    return std::move(error);
  std::string outputPath = output.getPath();
  std::vector<const char *> arguments = {"ld.lld",
                                         "-shared",
                                         "-m",
                                         "elf_x86_64",
                                         "-o",
                                         outputPath.c_str(),
                                         "-soname=model",
                                         sanitize ? "-zundefs" : "--no-undefined",
                                         "--gc-sections",
                                         "-z",
                                         "now",
                                         "-z",
                                         "noexecstack",
                                         "--build-id=none",
                                         "--hash-style=gnu",
                                         "-O2",
                                         "--strip-all",
                                         "--threads=1"};
  std::vector<std::string> paths;
  for (auto [input, object] : zip_equal(inputs, objects)) {
    if (Error error = input.create("o"))
      return std::move(error);
    if (Error error = input.write(object))
      return std::move(error);
    paths.push_back(input.getPath());
  }
  for (const std::string &path : paths)
    arguments.push_back(path.c_str());

  static std::mutex oneAtATime; // lld keeps its state in globals
  std::lock_guard<std::mutex> lock(oneAtATime);
  std::string messages;
  raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return createStringError(inconvertibleErrorCode(), "the linker failed: " + messages);
  return output.read();
}

} // namespace tssa::cpu
