//===- tssa-soak.cpp - long tests of the runtime -------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// usage: tssa-soak TEST SCALE (MODEL.so INPUTS.npz...)...
/// Runs one test of Soak.h and prints its findings as a line of JSON. Exits with 1 if a
/// requirement does not hold.
///
//===----------------------------------------------------------------------===//
#include "Soak.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace tssa::soak;

namespace {
struct Test {
  const char *name;
  bool (*run)(std::vector<Model> &models, double scale);
  size_t firstThatEnds; ///< models before it may not terminate
};
} // namespace

static constexpr Test tests[] = {
    {"steady", soakSteady, 0},   {"open-close", soakOpenClose, 0},
    {"crowd", soakCrowd, 0},     {"cancel", soakCancel, 1},
    {"memory", soakMemory, 0},   {"fork", soakFork, 0},
    {"loop", soakLoop, 1},       {"load", soakLoad, 1},
    {"signals", soakSignals, 0}, {"pages", soakPages, 0},
};

static std::vector<Model> parseModels(int count, char **arguments) {
  std::vector<Model> models;
  for (int i = 0; i < count; ++i) {
    size_t length = std::strlen(arguments[i]);
    if (length > 3 && !std::strcmp(arguments[i] + length - 3, ".so"))
      models.emplace_back().path = arguments[i];
    else if (!models.empty())
      models.back().inputFiles.push_back(arguments[i]);
  }
  return models;
}

int main(int argc, char **argv) {
  for (const Test &test : tests) {
    if (argc < 5 || std::strcmp(argv[1], test.name) != 0)
      continue;
    std::vector<Model> models = parseModels(argc - 3, argv + 3);
    for (size_t i = 0; i < models.size(); ++i) {
      require(models[i].read(), models[i].path);
      if (i >= test.firstThatEnds)
        require(models[i].learn(), models[i].path);
    }
    return test.run(models, std::atof(argv[2])) ? 0 : 1;
  }
  std::fputs("usage: tssa-soak TEST SCALE (MODEL.so INPUTS.npz...)...\n", stderr);
  return 2;
}
