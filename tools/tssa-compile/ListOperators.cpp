//===- ListOperators.cpp - what the compiler knows -----------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListOperators.h"
#include "tssa/Import/PyTorch.h"
#include "tssa/Operators/Registry.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace tssa::operators;

namespace tssa::compile {

void listOperators(raw_ostream &stream) {
  json::OStream json(stream, /*IndentSize=*/1);
  json.object([&] {
    json.attributeArray("element_types", [&] {
      for (unsigned i = 0; i < runtime::numDTypes; ++i)
        json.value(getName(DType(i)));
    });
    json.attributeArray("operators", [&] {
      for (const Registry::Listed &line : Registry::get().list())
        json.object([&] {
          json.attribute("domain", line.domain);
          json.attribute("name", line.op);
          json.attribute("since", line.since);
          if (line.until == INT64_MAX)
            json.attribute("until", nullptr);
          else
            json.attribute("until", line.until);
          json.attribute("inputs", line.inputs);
          json.attribute("extern", line.usesExtern);
        });
    });
    json.attributeArray("torch", [&] {
      for (const std::string &name : getPyTorchOperators())
        json.value(name);
    });
  });
  stream << '\n';
}

} // namespace tssa::compile
