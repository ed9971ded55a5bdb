//===- Inspect.cpp -------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect.h"

#include "Json.h"

#include "tssa/Runtime/Artifact.h"
#include "tssa/Runtime/NearName.h"
#include "tssa/Runtime/SHA256.h"

#include <algorithm>
#include <map>

using namespace tssa::run;
using namespace tssa::runtime;

static std::string describe(const Manifest &manifest, const Dim &dim) {
  if (dim.kind == Dim::Static)
    return std::to_string(dim.value);
  if (dim.kind == Dim::Symbol)
    return printable(manifest.symbols[dim.value].name);
  return dim.text.empty() ? "?" : printable(dim.text);
}

std::string tssa::run::describe(const Manifest &manifest, const Port &port) {
  std::string text = std::string(getName(port.dtype)) + "[";
  for (size_t i = 0; i < port.dims.size(); ++i)
    text += (i ? "," : "") + ::describe(manifest, port.dims[i]);
  return text + "]";
}

static const char *kindOf(const Port &port) {
  switch (port.kind) {
  case Port::In:
    return "in";
  case Port::Out:
    return "out";
  case Port::InOut:
    return "inout";
  case Port::Alias:
    return "alias";
  }
  return "";
}

/// Kernels by name with the number of their launches, in order of first use.
static std::vector<std::pair<std::string, int64_t>>
countKernels(const Manifest &manifest) {
  std::vector<std::pair<std::string, int64_t>> kernels;
  std::map<std::string, size_t> places;
  for (const Launch &launch : manifest.launches) {
    auto [place, added] = places.emplace(launch.kernel, kernels.size());
    if (added)
      kernels.emplace_back(launch.kernel, 0);
    ++kernels[place->second].second;
  }
  return kernels;
}

static std::string line(std::string title, const std::string &text) {
  constexpr size_t width = 11;
  title.resize(std::max(title.size(), width), ' ');
  return title + text + "\n";
}

static std::string describeMemory(const Memory &memory) {
  std::string text = "weights " + std::to_string(memory.constantBytes) +
                     " bytes, arena ";
  text += memory.arenaBytes < 0 ? "depends on sizes"
                                : std::to_string(memory.arenaBytes) + " bytes";
  return text + (memory.growable ? ", may grow with the data" : "");
}

static std::string describeLaunch(const Manifest &manifest,
                                  const Launch &launch) {
  constexpr size_t shownNodes = 8;
  std::string text = printable(launch.kernel) + ":";
  for (size_t i = 0; i < launch.nodes.size(); ++i) {
    if (i == shownNodes)
      return text + " and " + std::to_string(launch.nodes.size() - i) +
             " more";
    const Node &node = manifest.nodes[launch.nodes[i]];
    text += " " + printable(node.name.empty() ? node.op : node.name);
  }
  return text;
}

std::string tssa::run::inspectText(const Manifest &manifest) {
  std::string text;
  if (!manifest.modelName.empty() || !manifest.producer.empty())
    text += line("model", printable(manifest.modelName) +
                              (manifest.producer.empty()
                                   ? ""
                                   : " (by " + printable(manifest.producer) +
                                         ")"));
  text += line("compiled", "by " + printable(manifest.toolBuild) + " for " +
                               printable(manifest.targetTriple) + ", cpu " +
                               printable(manifest.cpu));
  Status host = checkHost(manifest);
  text += line("here", host.ok() ? "runs on this machine"
                                 : "does not run on this machine: " +
                                       host.message);
  for (const Port &port : manifest.inputs)
    text += line("input", printable(port.name) + "  " +
                              describe(manifest, port) +
                              (port.kind == Port::InOut ? "  overwritten" : ""));
  for (const Port &port : manifest.outputs)
    text += line("output",
                 printable(port.name) + "  " + describe(manifest, port) +
                     (port.kind == Port::Alias
                          ? "  is " +
                                printable(manifest.inputs[port.aliasOf].name)
                          : ""));
  for (const Symbol &symbol : manifest.symbols)
    text += line("size",
                 printable(symbol.name) + "  from " +
                     std::to_string(symbol.min) + " to " +
                     (symbol.max == INT64_MAX ? "any"
                                              : std::to_string(symbol.max)) +
                     ", dimension " + std::to_string(symbol.dim) + " of " +
                     printable(manifest.inputs[symbol.input].name));
  text += line("memory", describeMemory(manifest.memory));
  text += line("kernels",
               std::to_string(countKernels(manifest).size()) + " distinct, " +
                   std::to_string(manifest.launches.size()) + " launches for " +
                   std::to_string(manifest.nodes.size()) + " nodes");
  for (size_t i = 0; i < manifest.launches.size(); ++i)
    text += line("  " + std::to_string(i),
                 describeLaunch(manifest, manifest.launches[i]));
  return text;
}

static void writePort(Json &json, const Manifest &manifest, const Port &port) {
  json.beginObject().key("name").string(port.name);
  json.key("dtype").string(getName(port.dtype));
  json.key("kind").string(kindOf(port));
  json.key("dims").beginArray();
  for (const Dim &dim : port.dims) {
    if (dim.kind == Dim::Static)
      json.integer(dim.value);
    else
      json.string(::describe(manifest, dim));
  }
  json.endArray();
  if (port.kind == Port::Alias)
    json.key("alias_of").string(manifest.inputs[port.aliasOf].name);
  json.endObject();
}

static void writePart(Json &json, const char *name, const Part &part) {
  json.key(name).beginObject();
  json.key("offset").integer(int64_t(part.offset));
  json.key("size").integer(int64_t(part.size));
  json.key("sha256").string(toHex(part.sha256)).endObject();
}

static void writeLaunches(Json &json, const Manifest &manifest) {
  json.key("distinct_kernels")
      .integer(int64_t(countKernels(manifest).size()));
  json.key("kernels").beginArray();
  for (const auto &[name, launches] : countKernels(manifest)) {
    json.beginObject().key("name").string(name);
    json.key("launches").integer(launches).endObject();
  }
  json.endArray().key("launches").beginArray();
  for (const Launch &launch : manifest.launches) {
    json.beginObject().key("kernel").string(launch.kernel);
    json.key("nodes").beginArray();
    for (int32_t index : launch.nodes) {
      json.beginObject().key("name").string(manifest.nodes[index].name);
      json.key("op").string(manifest.nodes[index].op).endObject();
    }
    json.endArray();
    json.key("flops").integer(launch.flops);
    json.key("bytes").integer(launch.bytes).endObject();
  }
  json.endArray();
}

std::string tssa::run::inspectJson(const Manifest &manifest) {
  Json json;
  json.beginObject().key("model").string(manifest.modelName);
  json.key("producer").string(manifest.producer);
  json.key("tool").string(manifest.toolBuild);
  json.key("target").string(manifest.targetTriple);
  json.key("cpu").string(manifest.cpu);
  json.key("cpu_features").beginArray();
  for (const std::string &feature : manifest.cpuFeatures)
    json.string(feature);
  json.endArray();
  Status host = checkHost(manifest);
  json.key("runs_here").boolean(host.ok());
  if (!host.ok())
    json.key("reason").string(host.message);
  json.key("inputs").beginArray();
  for (const Port &port : manifest.inputs)
    writePort(json, manifest, port);
  json.endArray().key("outputs").beginArray();
  for (const Port &port : manifest.outputs)
    writePort(json, manifest, port);
  json.endArray().key("sizes").beginArray();
  for (const Symbol &symbol : manifest.symbols) {
    json.beginObject().key("name").string(symbol.name);
    json.key("input").string(manifest.inputs[symbol.input].name);
    json.key("dim").integer(symbol.dim);
    json.key("min").integer(symbol.min);
    json.key("max").integer(symbol.max).endObject();
  }
  json.endArray().key("memory").beginObject();
  json.key("constant_bytes").integer(manifest.memory.constantBytes);
  json.key("arena_bytes").integer(manifest.memory.arenaBytes);
  json.key("growable").boolean(manifest.memory.growable).endObject();
  json.key("nodes").integer(int64_t(manifest.nodes.size()));
  writeLaunches(json, manifest);
  json.key("parts").beginObject();
  writePart(json, "code", manifest.code);
  writePart(json, "weights", manifest.weights);
  if (!manifest.weightsFile.empty())
    json.key("weights_file").string(manifest.weightsFile);
  return json.endObject().endObject().get();
}
