//===- Inspect.cpp -------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inspect.h"

#include "tssa/Runtime/DeviceCheck.h"
#include "tssa/Runtime/Json.h"
#include "tssa/Runtime/NearName.h"
#include "tssa/Runtime/SHA256.h"
#include "tssa/Runtime/Session.h"

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

/// Describes the labels of an output: "3 labels: setosa, ...".
static std::string describe(const Labels &labels) {
  constexpr size_t shownLabels = 8;
  std::string text = std::to_string(labels.size()) + (labels.areKeys() ? " keys" : " labels");
  for (size_t i = 0; i < std::min(labels.size(), shownLabels); ++i)
    text += (i ? ", " : ": ") + (labels.kind == Labels::IntKeys ? std::to_string(labels.ints[i])
                                                                : printable(labels.strings[i]));
  return text + (labels.size() > shownLabels
                     ? " and " + std::to_string(labels.size() - shownLabels) + " more"
                     : "");
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

/// Returns the names of the kernels and the number of launches of each, in the order of their first
/// launches.
static std::vector<std::pair<std::string, int64_t>> countKernels(const Variant &variant) {
  std::vector<std::pair<std::string, int64_t>> kernels;
  std::map<std::string, size_t> positions;
  for (const Launch &launch : variant.launches) {
    auto [position, added] = positions.emplace(launch.kernel, kernels.size());
    if (added)
      kernels.emplace_back(launch.kernel, 0);
    ++kernels[position->second].second;
  }
  return kernels;
}

static std::string line(std::string title, const std::string &text) {
  constexpr size_t width = 11;
  title.resize(std::max(title.size(), width), ' ');
  return title + text + "\n";
}

static std::string describeMemory(const Memory &memory) {
  std::string text = "weights " + std::to_string(memory.constantBytes) + " bytes, arena ";
  text += memory.arenaBytes < 0 ? "depends on sizes" : std::to_string(memory.arenaBytes) + " bytes";
  if (memory.scratchBytes > 0)
    text += ", " + std::to_string(memory.scratchBytes) + " bytes for each thread";
  return text + (memory.growable ? ", may grow with the data" : "");
}

static std::string describeLaunch(const Manifest &manifest, const Launch &launch) {
  constexpr size_t shownNodes = 8;
  std::string text = printable(launch.kernel) + ":";
  for (size_t i = 0; i < launch.nodes.size(); ++i) {
    if (i == shownNodes)
      return text + " and " + std::to_string(launch.nodes.size() - i) + " more";
    const ModelNode &node = manifest.nodes[launch.nodes[i]];
    text += " " + printable(node.name.empty() ? node.op : node.name);
  }
  return text;
}

static const char *nameOf(Image::Kind kind) { return kind == Image::PTX ? "ptx" : "cubin"; }

/// Describes the resources of a device's kernel, as far as they are known.
static std::string describeKernel(const Kernel &kernel) {
  std::string text = printable(kernel.name) + ": " + std::to_string(kernel.threads) + " threads, " +
                     std::to_string(kernel.sharedBytes) + " shared bytes";
  if (kernel.registers >= 0)
    text += ", " + std::to_string(kernel.registers) + " registers";
  if (kernel.spillBytes >= 0)
    text += ", " + std::to_string(kernel.spillBytes) + " bytes spilled";
  return text;
}

/// Returns the target of a variant, and its CPU if there are several.
static std::string nameVariant(const Manifest &manifest, const Variant &variant) {
  auto isCPU = [](const Variant &each) { return each.target == "cpu"; };
  bool isOneOfSeveral = isCPU(variant) && std::count_if(manifest.variants.begin(),
                                                        manifest.variants.end(), isCPU) > 1;
  return printable(variant.target) + (isOneOfSeveral ? ", " + printable(variant.cpu) : "");
}

static std::string describeVariant(const Manifest &manifest, const Variant &variant) {
  std::string text = line("memory", describeMemory(variant.memory));
  for (const Image &image : variant.images)
    text += line("image", std::string(nameOf(image.kind)) + " for " + image.arch + ", " +
                              std::to_string(image.part.size) + " bytes");
  text += line("kernels", std::to_string(countKernels(variant).size()) + " distinct, " +
                              std::to_string(variant.launches.size()) + " launches for " +
                              std::to_string(manifest.nodes.size()) + " nodes");
  for (const Kernel &kernel : variant.kernels)
    text += line("", describeKernel(kernel));
  for (size_t i = 0; i < variant.launches.size(); ++i)
    text += line("  " + std::to_string(i), describeLaunch(manifest, variant.launches[i]));
  return text;
}

std::string tssa::run::inspectText(const Manifest &manifest) {
  std::string text;
  if (!manifest.modelName.empty() || !manifest.producer.empty())
    text +=
        line("model",
             printable(manifest.modelName) +
                 (manifest.producer.empty() ? "" : " (by " + printable(manifest.producer) + ")"));
  text += line("compiled", "by " + printable(manifest.toolBuild) + " for " +
                               printable(manifest.variants[0].triple) + ", cpu " +
                               printable(manifest.variants[0].cpu));
  if (!manifest.variants[0].machine.empty())
    text += line("machine", printable(manifest.variants[0].machine, std::string::npos));
  std::string device;
  Status host = checkMachine(manifest, "auto", device);
  text +=
      line("here", host.ok() ? "runs on this machine" + (device == "cpu" ? "" : ", on " + device)
                             : "does not run on this machine: " + host.message);
  for (const Port &port : manifest.inputs)
    text += line("input", printable(port.name) + "  " + describe(manifest, port) +
                              (port.kind == Port::InOut ? "  overwritten" : ""));
  for (const Port &port : manifest.outputs) {
    text += line("output", printable(port.name) + "  " + describe(manifest, port) +
                               (port.kind == Port::Alias
                                    ? "  is " + printable(manifest.inputs[port.aliasOf].name)
                                    : ""));
    if (port.labels.kind != Labels::None)
      text += line("", ::describe(port.labels));
  }
  for (const Symbol &symbol : manifest.symbols)
    text += line("size", printable(symbol.name) + "  from " + std::to_string(symbol.min) + " to " +
                             (symbol.max == INT64_MAX ? "any" : std::to_string(symbol.max)) +
                             ", dimension " + std::to_string(symbol.dim) + " of " +
                             printable(manifest.inputs[symbol.input].name));
  for (const Variant &variant : manifest.variants) {
    if (manifest.variants.size() > 1 || variant.target != "cpu")
      text += line("variant", nameVariant(manifest, variant));
    text += describeVariant(manifest, variant);
  }
  return text;
}

/// Writes the strings that elements stand for as "labels", and the keys of maps as "keys".
static void writeLabels(Json &json, const Labels &labels) {
  json.key(labels.areKeys() ? "keys" : "labels").beginArray();
  for (const std::string &text : labels.strings)
    json.string(text);
  for (int64_t key : labels.ints)
    json.integer(key);
  json.endArray();
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
  if (port.labels.kind != Labels::None)
    writeLabels(json, port.labels);
  json.endObject();
}

static void writeExtent(Json &json, const char *name, const Extent &extent) {
  json.key(name).beginObject();
  json.key("offset").integer(int64_t(extent.offset));
  json.key("size").integer(int64_t(extent.size));
}

static void writePart(Json &json, const char *name, const Part &part) {
  writeExtent(json, name, part);
  json.key("sha256").string(toHex(part.sha256)).endObject();
}

/// Writes each kernel with its number of launches and, for devices, its resources.
static void writeKernels(Json &json, const Variant &variant) {
  json.key("distinct_kernels").integer(int64_t(countKernels(variant).size()));
  json.key("kernels").beginArray();
  for (const auto &[name, launches] : countKernels(variant)) {
    json.beginObject().key("name").string(name);
    json.key("launches").integer(launches);
    for (const Kernel &kernel : variant.kernels) {
      if (kernel.name != name)
        continue;
      json.key("threads").integer(kernel.threads);
      json.key("shared_bytes").integer(kernel.sharedBytes);
      json.key("registers").integer(kernel.registers);
      json.key("spill_bytes").integer(kernel.spillBytes);
    }
    json.endObject();
  }
  json.endArray();
}

static void writeLaunches(Json &json, const Manifest &manifest, const Variant &variant) {
  json.key("launches").beginArray();
  for (const Launch &launch : variant.launches) {
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

static void writeVariant(Json &json, const Manifest &manifest, const Variant &variant) {
  json.beginObject().key("target").string(variant.target);
  json.key("triple").string(variant.triple);
  json.key("cpu").string(variant.cpu);
  json.key("cpu_features").beginArray();
  for (const std::string &feature : variant.cpuFeatures)
    json.string(feature);
  json.endArray().key("machine").string(variant.machine);
  json.key("memory").beginObject();
  json.key("constant_bytes").integer(variant.memory.constantBytes);
  json.key("arena_bytes").integer(variant.memory.arenaBytes);
  json.key("scratch_bytes").integer(variant.memory.scratchBytes);
  json.key("growable").boolean(variant.memory.growable).endObject();
  writeKernels(json, variant);
  writeLaunches(json, manifest, variant);
  json.key("images").beginArray();
  for (const Image &image : variant.images) {
    json.beginObject().key("kind").string(nameOf(image.kind));
    json.key("arch").string(image.arch);
    writePart(json, "part", image.part);
    json.endObject();
  }
  json.endArray();
  writeExtent(json, "weights", variant.weights);
  json.key("xxh3").string(toHex(variant.weights.xxh3)).endObject();
  if (!variant.weightsFile.empty())
    json.key("weights_file").string(variant.weightsFile);
  json.endObject();
}

std::string tssa::run::inspectJson(const Manifest &manifest) {
  Json json;
  json.beginObject().key("model").string(manifest.modelName);
  json.key("producer").string(manifest.producer);
  json.key("tool").string(manifest.toolBuild);
  std::string device;
  Status host = checkMachine(manifest, "auto", device);
  json.key("runs_here").boolean(host.ok());
  if (host.ok())
    json.key("device").string(device);
  else
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
  json.endArray().key("nodes").integer(int64_t(manifest.nodes.size()));
  json.key("variants").beginArray();
  for (const Variant &variant : manifest.variants)
    writeVariant(json, manifest, variant);
  json.endArray();
  writePart(json, "code", manifest.code);
  return json.endObject().get();
}
