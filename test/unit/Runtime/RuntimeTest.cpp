//===- RuntimeTest.cpp ---------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "RuntimeTest.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tssa::runtime::test {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = fs::temp_directory_path() / "tssa-test-XXXXXX";
  if (!mkdtemp(pattern.data()))
    throw std::runtime_error("mkdtemp");
  path = pattern;
}

TemporaryFolder::~TemporaryFolder() { fs::remove_all(path); }

std::vector<std::string> TemporaryFolder::list() const {
  std::vector<std::string> names;
  for (const fs::directory_entry &entry : fs::directory_iterator(path))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void writeFile(const std::string &path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), std::streamsize(bytes.size()));
  if (!file)
    throw std::runtime_error("cannot write " + path);
}

std::string readModel(const std::string &name) {
  return readFile(std::string(TSSA_TEST_MODELS) + "/" + name + ".so");
}

Manifest makeAddManifest() {
  Manifest manifest;
  manifest.toolBuild = "nobody";
  manifest.modelName = "add";
  std::vector<Dim> rows = {Dim::symbol(0), Dim::fixed(3)};
  manifest.inputs = {{"a", DType::F32, Port::In, rows, -1, {}},
                     {"b", DType::F32, Port::In, rows, -1, {}},
                     {"mode", DType::I32, Port::In, {}, -1, {}}};
  manifest.outputs = {{"sum", DType::F32, Port::Out, rows, -1, {}},
                      {"found", DType::I64, Port::Out, {Dim::derived("count")}, -1, {}}};
  manifest.outputs[1].labels = {
      Labels::Strings, {"zero", "\xc3\xa9", "t\xff", std::string("a\0b", 3), "", "five"}, {}};
  manifest.symbols = {{"N", 0, 0, 0, 1 << 20}};
  manifest.nodes = {{"first", "Add"}, {"pick", "NonZero"}};
  Variant &variant = manifest.variants.emplace_back();
  variant.triple = hostTriple;
  variant.cpu = "x86-64";
  variant.cpuFeatures = {"sse2"};
  variant.launches = {{"add", {0}, 3, 36}};
  variant.memory.growable = true;
  return manifest;
}

std::vector<VariantContent> content(std::vector<WeightChunk> weights) {
  return {VariantContent{std::move(weights), {}}};
}

void writeAddArtifact(const std::string &path, const WriteOptions &options) {
  static const float bias[3] = {0.5f, 1, 2};
  Status status = writeArtifact(path, readModel("add_model"), makeAddManifest(),
                                content({{0, sizeof(bias), bias}}), options);
  if (!status.ok())
    throw std::runtime_error(status.message);
}

/// Returns the variant of Inputs/device_model.c for a target, without its weights.
static Variant makeDeviceVariant(const std::string &target) {
  Variant variant;
  variant.target = target;
  variant.suffix = target == "cpu" ? "" : target == "cuda-emu" ? "_2" : "_1";
  variant.triple = hostTriple;
  variant.cpu = "x86-64";
  if (target == "cpu")
    return variant;
  variant.launches = {{"add", {0}}, {"mirror", {1}}};
  variant.memory.growable = true;
  variant.kernels = {{"add", 7, 32, 0, 20, 0}, {"mirror", 6, 32, 65536, 24, 0}};
  if (target == "cuda-emu")
    return variant;
  std::string arch = target.substr(target.find(':') + 1);
  variant.images = {{Image::PTX, arch, {}}, {Image::Cubin, arch, {}}};
  return variant;
}

void writeDeviceArtifact(const std::string &path, const std::vector<std::string> &targets) {
  Manifest manifest;
  manifest.toolBuild = "nobody";
  manifest.modelName = "device";
  std::vector<Dim> dims = {Dim::symbol(0)};
  manifest.inputs = {{"x", DType::F32, Port::InOut, dims, -1, {}},
                     {"y", DType::F32, Port::In, dims, -1, {}},
                     {"how", DType::I32, Port::In, {}, -1, {}}};
  manifest.outputs = {{"x_new", DType::F32, Port::Alias, dims, 0, {}},
                      {"y_same", DType::F32, Port::Alias, dims, 1, {}},
                      {"sum", DType::F32, Port::Out, dims, -1, {}}};
  manifest.symbols = {{"N", 0, 0}};
  manifest.nodes = {{"total", "Add"}, {"turn", "Mirror"}};
  static const float weight = 0.5f;
  std::vector<VariantContent> contents;
  for (const std::string &target : targets) {
    manifest.variants.push_back(makeDeviceVariant(target));
    contents.push_back({{{0, sizeof(weight), &weight}}, {}});
    if (!manifest.variants.back().images.empty())
      contents.back().images = {"ptx", "cubin"};
  }
  Status status = writeArtifact(path, readModel("device_model"), manifest, contents);
  if (!status.ok())
    throw std::runtime_error(status.message);
}

tssa_tensor view(DType dtype, std::vector<int64_t> &shape, void *data) {
  return {data, {1, 0}, int32_t(shape.size()), toABI(dtype), shape.data(), nullptr, 0};
}

AddArguments::AddArguments(int64_t rows, int32_t mode)
    : shape{rows, 3}, a(rows * 3), b(rows * 3), mode(mode) {
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = float(i);
    b[i] = float(10 * i + 10);
  }
}

std::vector<NamedTensor> AddArguments::get() {
  return {{"a", view(DType::F32, shape, a.data())},
          {"b", view(DType::F32, shape, b.data())},
          {"mode", view(DType::I32, scalar, &mode)}};
}

} // namespace tssa::runtime::test
