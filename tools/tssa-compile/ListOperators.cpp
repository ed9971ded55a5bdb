//===- ListOperators.cpp - prints the supported operators ----------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ListOperators.h"
#include "tssa/Import/PyTorch.h"
#include "tssa/Operators/Catalogue.h"
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
      for (const auto &[domain, row] : operators::listOperators())
        json.object([&, &domain = domain, row = row] {
          json.attribute("domain", domain);
          json.attribute("name", row->name);
          json.attribute("since", row->versions.since);
          if (row->versions.until == INT64_MAX)
            json.attribute("until", nullptr);
          else
            json.attribute("until", row->versions.until);
          json.attribute("inputs", row->signature ? row->signature->inputs : "");
          json.attribute("extern", row->usesExtern);
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
