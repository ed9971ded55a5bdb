//===- import-fuzz.cpp - feed mutated models to the importer -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// usage: import-fuzz SEED COUNT MODEL...
///
/// Imports COUNT mutations of the models: bytes of the file, and fields of the model
/// through protobuf's reflection, which reach deeper. Whatever comes out must be a valid
/// module or an error with a text; a crash ends the program, and the mutation is left in
/// the file that is named on standard error beforehand.
///
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "onnx/onnx_pb.h"
#include "tssa/Import/ONNX.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>
#include <random>

using namespace llvm;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

namespace {
class Mutator {
public:
  explicit Mutator(uint64_t seed) : random(seed) {}

  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); }

  /// Changes a few bytes, or cuts the end off.
  void mutateBytes(std::string &bytes) {
    if (bytes.empty())
      return;
    if (pick(4) == 0)
      bytes.resize(pick(bytes.size()));
    for (size_t i = 0, count = 1 + pick(4); i < count && !bytes.empty(); ++i)
      bytes[pick(bytes.size())] = static_cast<char>(pick(256));
  }

  /// Changes one field somewhere below `message`.
  void mutateMessage(Message &message) {
    std::vector<Message *> messages;
    collect(message, messages);
    for (int attempt = 0; attempt < 20; ++attempt)
      if (mutateField(*messages[pick(messages.size())], messages))
        return;
  }

private:
  static void collect(Message &message, std::vector<Message *> &messages) {
    messages.push_back(&message);
    const google::protobuf::Reflection *reflection = message.GetReflection();
    std::vector<const FieldDescriptor *> fields;
    reflection->ListFields(message, &fields);
    for (const FieldDescriptor *field : fields) {
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
        continue;
      if (!field->is_repeated())
        collect(*reflection->MutableMessage(&message, field), messages);
      else
        for (int i = 0; i < reflection->FieldSize(message, field); ++i)
          collect(*reflection->MutableRepeatedMessage(&message, field, i), messages);
    }
  }

  int64_t pickInteger() {
    static const int64_t interesting[] = {0, 1, -1, 2, 3, 7, 64, -2, 1000, INT32_MAX, INT64_MAX, INT64_MIN};
    return interesting[pick(std::size(interesting))];
  }

  /// A name that occurs elsewhere, so that edges move and not only break.
  std::string pickString(const std::vector<Message *> &messages) {
    for (int attempt = 0; attempt < 20; ++attempt) {
      Message *other = messages[pick(messages.size())];
      std::vector<const FieldDescriptor *> fields;
      other->GetReflection()->ListFields(*other, &fields);
      if (fields.empty())
        continue;
      const FieldDescriptor *field = fields[pick(fields.size())];
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING)
        continue;
      if (!field->is_repeated())
        return other->GetReflection()->GetString(*other, field);
      int count = other->GetReflection()->FieldSize(*other, field);
      return other->GetReflection()->GetRepeatedString(*other, field, pick(count));
    }
    return "";
  }

  bool mutateField(Message &message, const std::vector<Message *> &messages) {
    const google::protobuf::Reflection *reflection = message.GetReflection();
    std::vector<const FieldDescriptor *> fields;
    reflection->ListFields(message, &fields);
    if (fields.empty())
      return false;
    const FieldDescriptor *field = fields[pick(fields.size())];
    int size = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    if (field->is_repeated() && pick(3) == 0) {
      if (pick(2) && size > 1)
        reflection->SwapElements(&message, field, pick(size), pick(size));
      else
        reflection->RemoveLast(&message, field);
      return true;
    }
    if (!field->is_repeated() && pick(6) == 0) {
      reflection->ClearField(&message, field);
      return true;
    }
    int at = pick(size);
    switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT64:
      field->is_repeated() ? reflection->SetRepeatedInt64(&message, field, at, pickInteger())
                           : reflection->SetInt64(&message, field, pickInteger());
      return true;
    case FieldDescriptor::CPPTYPE_INT32:
      field->is_repeated() ? reflection->SetRepeatedInt32(&message, field, at, pickInteger())
                           : reflection->SetInt32(&message, field, pickInteger());
      return true;
    case FieldDescriptor::CPPTYPE_FLOAT:
      field->is_repeated() ? reflection->SetRepeatedFloat(&message, field, at, pickInteger())
                           : reflection->SetFloat(&message, field, pickInteger());
      return true;
    case FieldDescriptor::CPPTYPE_ENUM:
      if (!field->is_repeated())
        reflection->SetEnumValue(&message, field, pick(20));
      return !field->is_repeated();
    case FieldDescriptor::CPPTYPE_STRING:
      field->is_repeated() ? reflection->SetRepeatedString(&message, field, at, pickString(messages))
                           : reflection->SetString(&message, field, pickString(messages));
      return true;
    default:
      return false;
    }
  }

  std::mt19937_64 random;
};
} // namespace

/// Imports the file; false when the importer broke its promise.
static bool import(StringRef path) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  tssa::ImportOptions options;
  options.untrusted = true;
  tssa::ImportReport report;
  mlir::OwningOpRef<mlir::ModuleOp> module = tssa::importONNX(context, path, options, report);
  if (module)
    return succeeded(mlir::verify(*module));
  return report.fault != tssa::operators::Fault::None && !report.error.empty();
}

int main(int argc, char **argv) {
  if (argc < 4) {
    errs() << "usage: import-fuzz SEED COUNT MODEL...\n";
    return 2;
  }
  google::protobuf::LogSilencer silencer;
  uint64_t seed = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
  SmallString<128> path;
  if (sys::fs::createTemporaryFile("import-fuzz", "onnx", path))
    return 70;
  errs() << "mutations are in " << path << "\n";
  std::vector<std::string> seeds;
  for (int i = 3; i < argc; ++i)
    if (auto file = MemoryBuffer::getFile(argv[i]))
      seeds.push_back((*file)->getBuffer().str());
  for (uint64_t i = 0; i < count; ++i) {
    Mutator mutator(seed + i);
    std::string bytes = seeds[mutator.pick(seeds.size())];
    tssa_onnx::ModelProto model;
    if (mutator.pick(5) == 0 || !model.ParseFromString(bytes)) {
      mutator.mutateBytes(bytes);
    } else {
      for (size_t step = 0, steps = 1 + mutator.pick(3); step < steps; ++step)
        mutator.mutateMessage(model);
      bytes = model.SerializeAsString();
    }
    std::error_code error;
    raw_fd_ostream(path, error) << bytes;
    if (!import(path)) {
      errs() << "mutation " << i << " of seed " << seed << " broke the importer\n";
      return 1;
    }
  }
  sys::fs::remove(path);
  outs() << count << " mutations, none broke the importer\n";
  return 0;
}
