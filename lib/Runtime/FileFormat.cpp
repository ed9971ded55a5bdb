//===- FileFormat.cpp - what a file is that is no model of ours ----------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/FileFormat.h"

#include <cstdint>

using namespace tssa::runtime;
using namespace std::string_view_literals;

namespace {
/// A format that begins with `magic` at byte `offset`.
struct Signature {
  size_t offset;
  std::string_view magic;
  FileFormat format;
};
} // namespace

static constexpr const char *exportTorch = "load it in Python, and compile the module with "
                                           "tssa.compile or write it with torch.onnx.export";
static constexpr const char *exportWhole =
    "it has weights but no graph, so export the model that they are of to ONNX, such as with "
    "'optimum-cli export onnx'";

static constexpr Signature signatures[] = {
    {0, "version https://git-lfs"sv, {"a Git LFS pointer", "fetch the file with 'git lfs pull'"}},
    {4,
     "TFL3"sv,
     {"a TensorFlow Lite model",
      "convert it with 'python -m tf2onnx.convert --tflite FILE --output "
      "model.onnx'"}},
    {4,
     "ORTM"sv,
     {"a model of ONNX Runtime (.ort)", "compile the .onnx file that it was made from"}},
    {0,
     "\x89HDF\r\n\x1a\n"sv,
     {"an HDF5 file, such as Keras writes (.h5)",
      "load it in Keras and write it with model.export('model.onnx', format='onnx')"}},
    {0, "GGUF"sv, {"a GGUF file", exportWhole}},
    {0,
     "\x93NUMPY"sv,
     {"an array of NumPy (.npy)", "write arrays with numpy.savez('in.npz', NAME=array)"}},
    {0, "\x1f\x8b"sv, {"a file compressed by gzip", "unpack it with gunzip"}},
    {0,
     "\x7f"
     "ELF"sv,
     {"a compiled program (ELF)", "run a compiled model with tssa-run"}},
    {0, "\x80\x02"sv, {"a pickle, such as older versions of torch.save write", exportTorch}},
    {0, "\x80\x04"sv, {"a pickle", exportTorch}},
};

static constexpr FileFormat torchArchive = {"a file of torch.save or torch.export (.pt)",
                                            exportTorch};
static constexpr FileFormat kerasArchive = {
    "a model of Keras (.keras)",
    "load it in Keras and write it with model.export('model.onnx', format='onnx')"};
static constexpr FileFormat arrays = {"an archive of arrays (.npz)",
                                      "give it to tssa-run with --inputs"};
static constexpr FileFormat archive = {"a ZIP archive", "unpack it with unzip"};
static constexpr FileFormat safetensors = {"a safetensors file", exportWhole};
static constexpr FileFormat openVINO = {"a model of OpenVINO (.xml)",
                                        "compile the ONNX model that it was made from"};
static constexpr FileFormat page = {
    "a web page",
    "download the file itself, since this is the page about it or one that asks to log in"};

static bool has(std::string_view bytes, std::string_view part) {
  return bytes.find(part) != std::string_view::npos;
}

/// Tells archives apart by the names of their first entries.
static const FileFormat *recognizeArchive(std::string_view bytes) {
  if (has(bytes, "/data.pkl") || has(bytes, "/.format_version") || has(bytes, "archive_format"))
    return &torchArchive;
  if (has(bytes, ".npy"))
    return &arrays;
  return has(bytes, "metadata.json") ? &kerasArchive : &archive;
}

/// A safetensors file is the length of a JSON object, the object and the weights.
static bool isSafetensors(std::string_view bytes) {
  if (bytes.size() < 10 || bytes.substr(8, 2) != "{\"")
    return false;
  uint64_t length = 0;
  for (size_t i = 8; i-- > 0;)
    length = length << 8 | uint8_t(bytes[i]);
  return length < uint64_t(1) << 32;
}

const FileFormat *tssa::runtime::recognizeFile(std::string_view bytes) {
  for (const Signature &signature : signatures)
    if (bytes.size() >= signature.offset &&
        bytes.substr(signature.offset, signature.magic.size()) == signature.magic)
      return &signature.format;
  if (bytes.substr(0, 4) == "PK\x03\x04")
    return recognizeArchive(bytes);
  if (isSafetensors(bytes))
    return &safetensors;
  size_t text = bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf"); // and a byte order mark
  if (text == std::string_view::npos)
    return nullptr;
  std::string_view begin = bytes.substr(text);
  if (begin.substr(0, 5) == "<?xml" || begin.substr(0, 4) == "<net")
    return has(begin, "<net") ? &openVINO : nullptr;
  for (std::string_view tag : {"<!DOCTYPE html"sv, "<!doctype html"sv, "<html"sv, "<HTML"sv})
    if (begin.substr(0, tag.size()) == tag)
      return &page;
  return nullptr;
}
