//===- Npz.cpp - tensors in a zip ----------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Checked.h"
#include "File.h"
#include "Zip.h"

#include "tssa/Runtime/NearName.h"
#include "tssa/Runtime/Npz.h"
#include "tssa/Runtime/SmallFloat.h"

#include <optional>
#include <set>

using namespace tssa::runtime;

static constexpr std::string_view npySuffix = ".npy";

static bool dropSuffix(std::string &text, std::string_view suffix) {
  if (text.size() < suffix.size() ||
      text.compare(text.size() - suffix.size(), suffix.size(), suffix) != 0)
    return false;
  text.resize(text.size() - suffix.size());
  return true;
}

/// Returns the integer type that stores a type that NumPy lacks; nothing for the types that NumPy
/// has.
static std::optional<DType> getCarrier(DType type) {
  if (type == DType::BF16)
    return DType::U16;
  if (type == DType::I4 || type == DType::I2)
    return DType::I8;
  bool isSmall = isSmallFloat(type) || type == DType::U4 || type == DType::U2;
  return isSmall ? std::optional(DType::U8) : std::nullopt;
}

/// If `key` has a suffix that names a type, removes the suffix and returns the type.
static std::optional<DType> dropType(std::string &key) {
  for (unsigned i = 0; i < numDTypes; ++i)
    if (getCarrier(DType(i)) && dropSuffix(key, std::string(":") + getName(DType(i))))
      return DType(i);
  return std::nullopt;
}

static Status located(const std::string &path, const std::string &name, Status status) {
  status.message = "'" + path + "'" + (name.empty() ? "" : " member '" + printable(name) + "'") +
                   ": " + status.message;
  return status;
}

static Status decodeEntry(std::string name, std::string_view bytes, NpzEntry &entry) {
  if (Status status = decodeNpy(bytes, entry.tensor); !status.ok())
    return status;
  dropSuffix(name, npySuffix);
  if (std::optional<DType> type = dropType(name)) {
    if (entry.tensor.dtype != *getCarrier(*type))
      return makeError(TSSA_INVALID_ARGUMENT, std::string(getName(*type)) + " is stored as " +
                                                  getName(*getCarrier(*type)) + ", got " +
                                                  getName(entry.tensor.dtype));
    entry.tensor.dtype = *type;
  }
  entry.name = std::move(name);
  return Status::success();
}

Status tssa::runtime::readNpz(const std::string &path, std::vector<NpzEntry> &entries) {
  File file;
  uint64_t size;
  if (Status status = File::openRegular(path, file, size); !status.ok())
    return status;
  ReadAt read = [&](uint64_t offset, void *data, size_t count) {
    return file.readAt(path, offset, data, count);
  };
  std::vector<ZipMember> members;
  if (Status status = readZipDirectory(size, read, members); !status.ok())
    return located(path, "", std::move(status));
  std::vector<NpzEntry> found;
  std::set<std::string> names;
  for (const ZipMember &member : members) {
    std::string bytes;
    NpzEntry entry;
    Status status = readZipMember(member, size, read, bytes);
    if (status.ok())
      status = decodeEntry(member.name, bytes, entry);
    if (status.ok() && !names.insert(entry.name).second)
      status = makeError(TSSA_INVALID_ARGUMENT, "occurs twice");
    if (!status.ok())
      return located(path, member.name, std::move(status));
    found.push_back(std::move(entry));
  }
  entries = std::move(found);
  return Status::success();
}

Status tssa::runtime::writeNpz(const std::string &path, const std::vector<NpzEntry> &entries) {
  PendingFile file;
  if (Status status = file.create(path); !status.ok())
    return status;
  ZipWriter zip(file);
  for (const NpzEntry &entry : entries) {
    std::string name = entry.name;
    if (getCarrier(entry.tensor.dtype))
      name += std::string(":") + getName(entry.tensor.dtype);
    name += npySuffix;
    std::string header = encodeNpyHeader(entry.tensor.dtype, entry.tensor.shape);
    std::string_view data(static_cast<const char *>(entry.tensor.data),
                          size_t(entry.tensor.getByteSize()));
    if (Status status = zip.add(name, header, data); !status.ok())
      return status;
  }
  if (Status status = zip.finish(); !status.ok())
    return status;
  return file.commit();
}
