//===- UnknownOption.cpp - options that the tool does not have ------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnknownOption.h"
#include "tssa/Runtime/NearName.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tssa::compile {

/// Returns what to use instead of an option that other compilers have, or "".
static StringRef adviseOption(StringRef name) {
  return StringSwitch<StringRef>(name)
      .Cases({"output", "out", "output-file"}, "write -o FILE")
      .Cases({"optimize", "opt", "opt-level", "optimization-level"},
             "use -O1 (quick to compile) or -O2 (quick to run)")
      .Cases({"fp", "half", "float", "bf", "int", "precision", "dtype", "quantize"},
             "the code computes in the types of the model, so convert the model before, such as "
             "with onnxconverter-common or ONNX Runtime's quantization")
      .Cases({"batch", "batch-size"}, "fix a named size with --dim NAME=N")
      .Cases({"shape", "shapes", "input-shapes", "optShapes", "minShapes", "maxShapes"},
             "fix the shape of an input with --input-shape NAME=1x3x224x224")
      .Cases({"device", "gpu", "cuda"}, "choose with --target=cuda:sm_NN")
      .Cases({"march", "arch", "cpu", "mtune"}, "choose the CPU with --mcpu=NAME")
      .Cases({"onnx", "model", "input"},
             "give the model without an option: tssa-compile MODEL.onnx")
      .Cases({"verbose", "v", "debug"}, "use --remarks, --timing or --explain")
      .Cases({"jobs", "j", "num-threads", "nproc"}, "use --threads=N")
      .Default("");
}

static std::string explain(StringRef argument, ArrayRef<std::string> names) {
  StringRef shown = argument.split('=').first, name = shown.ltrim('-');
  std::string text = "unknown option '" + runtime::printable(shown) + "'";
  if (StringRef advice = adviseOption(name.rtrim("0123456789")); !advice.empty())
    return text + ": " + advice.str();
  std::vector<std::string> dashed;
  for (const std::string &known : names)
    dashed.push_back((known.size() == 1 ? "-" : "--") + known);
  return text + runtime::suggestName(("--" + name).str(), dashed);
}

std::optional<std::string> findUnknownOption(ArrayRef<char *> arguments,
                                             cl::OptionCategory &category) {
  std::vector<std::string> shown = {"help", "version"};
  StringMap<bool> needsValue = {{"help", false}, {"version", false}, {"h", false}};
  for (auto &[name, option] : cl::getRegisteredOptions()) {
    if (!is_contained(option->Categories, &category))
      continue;
    needsValue[name] = option->getValueExpectedFlag() == cl::ValueRequired;
    if (option->getOptionHiddenFlag() == cl::NotHidden)
      shown.push_back(name.str());
  }
  bool isValue = false;
  for (StringRef argument : arguments) {
    if (argument == "--")
      break;
    if (std::exchange(isValue, false) || !argument.starts_with("-") || argument.size() == 1 ||
        argument.starts_with("-O")) // whose value has no = before it
      continue;
    StringRef name = argument.ltrim('-').split('=').first;
    auto known = needsValue.find(name);
    if (known == needsValue.end())
      return explain(argument, shown);
    isValue = known->second && !argument.contains('=');
  }
  return std::nullopt;
}

} // namespace tssa::compile
