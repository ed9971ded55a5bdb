//===- ModelMutator.cpp - changes to models that keep them parseable -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "test/fuzz/ModelMutator.h"
#include <cstdint>

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

namespace tssa::fuzz {

void ModelMutator::mutateBytes(std::string &bytes) {
  if (bytes.empty())
    return;
  if (pick(4) == 0)
    bytes.resize(pick(bytes.size()));
  for (size_t i = 0, count = 1 + pick(4); i < count && !bytes.empty(); ++i)
    bytes[pick(bytes.size())] = static_cast<char>(pick(256));
}

void ModelMutator::mutateMessage(Message &message) {
  Messages messages;
  collect(message, messages);
  for (int attempt = 0; attempt < 20; ++attempt)
    if (mutateField(*messages[pick(messages.size())], messages))
      return;
}

void ModelMutator::crossOver(Message &message, Message &other) {
  Messages here, there;
  collect(message, here);
  collect(other, there);
  for (int attempt = 0; attempt < 50; ++attempt) {
    Message *into = here[pick(here.size())], *from = there[pick(there.size())];
    if (into == &message || into->GetDescriptor() != from->GetDescriptor())
      continue;
    into->CopyFrom(*from);
    return;
  }
}

/// Appends `message` and all messages in it.
void ModelMutator::collect(Message &message, Messages &messages) {
  messages.push_back(&message);
  const Reflection *reflection = message.GetReflection();
  for (const FieldDescriptor *field : listFields(message)) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
      continue;
    if (!field->is_repeated())
      collect(*reflection->MutableMessage(&message, field), messages);
    else
      for (int i = 0; i < reflection->FieldSize(message, field); ++i)
        collect(*reflection->MutableRepeatedMessage(&message, field, i), messages);
  }
}

/// Returns the fields of `message` that are set.
std::vector<const FieldDescriptor *> ModelMutator::listFields(const Message &message) {
  std::vector<const FieldDescriptor *> fields;
  message.GetReflection()->ListFields(message, &fields);
  return fields;
}

int64_t ModelMutator::pickInteger() {
  static const int64_t interesting[] = {0,         1,         -1,        2,         3,
                                        7,         64,        -2,        1000,      1 << 20,
                                        INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, INT64_MAX / 8};
  return interesting[pick(std::size(interesting))];
}

/// Returns a string that occurs elsewhere in the model, so that edges are moved and not only
/// broken.
std::string ModelMutator::pickString(const Messages &messages) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const Message &other = *messages[pick(messages.size())];
    std::vector<const FieldDescriptor *> fields = listFields(other);
    if (fields.empty())
      continue;
    const FieldDescriptor *field = fields[pick(fields.size())];
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_STRING)
      continue;
    const Reflection *reflection = other.GetReflection();
    return field->is_repeated() ? reflection->GetRepeatedString(
                                      other, field, pick(reflection->FieldSize(other, field)))
                                : reflection->GetString(other, field);
  }
  return "";
}

bool ModelMutator::mutateField(Message &message, const Messages &messages) {
  if (pick(8) == 0)
    return addElement(message, messages);
  std::vector<const FieldDescriptor *> fields = listFields(message);
  if (fields.empty())
    return false;
  const FieldDescriptor *field = fields[pick(fields.size())];
  return mutateShape(message, field) || mutateValue(message, field, messages);
}

/// With some probability, adds, removes or exchanges elements of a field. Returns whether it did.
bool ModelMutator::mutateShape(Message &message, const FieldDescriptor *field) {
  const Reflection *reflection = message.GetReflection();
  if (!field->is_repeated()) {
    if (pick(6) == 0)
      reflection->ClearField(&message, field);
    else
      return false;
    return true;
  }
  if (pick(3))
    return false;
  int size = reflection->FieldSize(message, field);
  if (pick(2) && size > 1)
    reflection->SwapElements(&message, field, pick(size), pick(size));
  else
    reflection->RemoveLast(&message, field);
  return true;
}

/// Adds an element to a list, or sets a field that is not set, such as an attribute or an input
/// that the operator does not expect.
bool ModelMutator::addElement(Message &message, const Messages &messages) {
  const google::protobuf::Descriptor *descriptor = message.GetDescriptor();
  const Reflection *reflection = message.GetReflection();
  if (descriptor->field_count() == 0)
    return false;
  const FieldDescriptor *field = descriptor->field(pick(descriptor->field_count()));
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT64:
    field->is_repeated() ? reflection->AddInt64(&message, field, pickInteger())
                         : reflection->SetInt64(&message, field, pickInteger());
    return true;
  case FieldDescriptor::CPPTYPE_STRING:
    field->is_repeated() ? reflection->AddString(&message, field, pickString(messages))
                         : reflection->SetString(&message, field, pickString(messages));
    return true;
  case FieldDescriptor::CPPTYPE_MESSAGE: {
    // Copy first, because setting a member of a oneof frees the others.
    std::string content;
    for (const Message *other : messages)
      if (pick(3) == 0 && other->GetDescriptor() == field->message_type() &&
          other->ByteSizeLong() < 10000) {
        content = other->SerializePartialAsString();
        break;
      }
    Message *added = field->is_repeated() ? reflection->AddMessage(&message, field)
                                          : reflection->MutableMessage(&message, field);
    added->ParsePartialFromString(content);
    return true;
  }
  default:
    return false;
  }
}

bool ModelMutator::mutateValue(Message &message, const FieldDescriptor *field,
                               const Messages &messages) {
  const Reflection *reflection = message.GetReflection();
  bool repeated = field->is_repeated();
  int at = repeated ? pick(reflection->FieldSize(message, field)) : 0;
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT64:
    repeated ? reflection->SetRepeatedInt64(&message, field, at, pickInteger())
             : reflection->SetInt64(&message, field, pickInteger());
    return true;
  case FieldDescriptor::CPPTYPE_INT32:
    if (pick(2)) {
      // Element types are numbers of this kind.
      int32_t type = pick(28);
      repeated ? reflection->SetRepeatedInt32(&message, field, at, type)
               : reflection->SetInt32(&message, field, type);
      return true;
    }
    repeated ? reflection->SetRepeatedInt32(&message, field, at, pickInteger())
             : reflection->SetInt32(&message, field, pickInteger());
    return true;
  case FieldDescriptor::CPPTYPE_FLOAT:
    repeated ? reflection->SetRepeatedFloat(&message, field, at, pickInteger())
             : reflection->SetFloat(&message, field, pickInteger());
    return true;
  case FieldDescriptor::CPPTYPE_ENUM:
    if (!repeated)
      reflection->SetEnumValue(&message, field, pick(20));
    return !repeated;
  case FieldDescriptor::CPPTYPE_STRING: {
    std::string text = pickString(messages);
    if (pick(4) == 0) {
      text = repeated ? reflection->GetRepeatedString(message, field, at)
                      : reflection->GetString(message, field);
      mutateBytes(text);
    }
    repeated ? reflection->SetRepeatedString(&message, field, at, text)
             : reflection->SetString(&message, field, text);
    return true;
  }
  default:
    return false;
  }
}

} // namespace tssa::fuzz
