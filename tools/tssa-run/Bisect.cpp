//===- Bisect.cpp --------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bisect.h"

#include "CompileCache.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <unistd.h>

using namespace tssa::run;
using namespace tssa::runtime;

/// Returns the shortest text that parses to the same number, independent of the locale.
static std::string toText(double value) {
  char digits[32];
  auto result = std::to_chars(digits, digits + sizeof(digits), value);
  return std::string(digits, result.ptr);
}

static std::vector<std::string> makeArguments(const Options &options) {
  std::string model = options.model[0] == '-' ? "./" + options.model : options.model;
  std::vector<std::string> arguments = {model, "--bisect", "--rtol=" + toText(options.rtol),
                                        "--atol=" + toText(options.atol)};
  if (options.inputs)
    arguments.push_back("--inputs=" + *options.inputs);
  if (options.inputSeed)
    arguments.push_back("--random=" + std::to_string(*options.inputSeed));
  if (options.reference)
    arguments.push_back("--reference=" + *options.reference);
  for (const auto &[name, size] : options.dims)
    arguments.push_back("--dim=" + name + "=" + std::to_string(size));
  arguments.insert(arguments.end(), options.compileOptions.begin(), options.compileOptions.end());
  return arguments;
}

Status tssa::run::bisect(const Options &options) {
  std::string compiler;
  if (Status status = findCompiler(compiler); !status.ok())
    return status;
  std::vector<std::string> arguments = makeArguments(options);
  arguments.insert(arguments.begin(), compiler);
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(compiler.c_str(), argv.data());
  return makeError(TSSA_IO, "'" + compiler + "': cannot start: " + std::strerror(errno));
}
