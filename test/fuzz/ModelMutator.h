//===- ModelMutator.h - changes to models that keep them parseable -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TSSA_TEST_FUZZ_MODELMUTATOR_H
#define TSSA_TEST_FUZZ_MODELMUTATOR_H

#include <google/protobuf/message.h>
#include <random>
#include <string>
#include <vector>

namespace tssa::fuzz {

/// Makes random changes to a protobuf message through its reflection. Unlike changes of bytes,
/// they keep the message parseable. Equal seeds give equal changes.
class ModelMutator {
public:
  using Message = google::protobuf::Message;

  explicit ModelMutator(uint64_t seed) : random(seed) {}

  /// Returns a number less than `count`, which is not 0.
  size_t pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); }

  /// Changes a few bytes, or truncates `bytes`.
  void mutateBytes(std::string &bytes);

  /// Changes one field of `message` or of a message in it.
  void mutateMessage(Message &message);

  /// Replaces a part of `message` by a part of `other` of the same type.
  void crossOver(Message &message, Message &other);

private:
  using Field = google::protobuf::FieldDescriptor;
  using Messages = std::vector<Message *>;

  static void collect(Message &message, Messages &messages);
  static std::vector<const Field *> listFields(const Message &message);
  int64_t pickInteger();
  std::string pickString(const Messages &messages);
  bool mutateField(Message &message, const Messages &messages);
  bool mutateShape(Message &message, const Field *field);
  bool mutateValue(Message &message, const Field *field, const Messages &messages);
  bool addElement(Message &message, const Messages &messages);

  std::mt19937_64 random;
};

} // namespace tssa::fuzz

#endif // TSSA_TEST_FUZZ_MODELMUTATOR_H
