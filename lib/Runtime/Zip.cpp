//===- Zip.cpp -----------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Zip.h"

#include "Checked.h"

#include "tssa/Runtime/FileFormat.h"
#include "tssa/Runtime/NearName.h"

#include <algorithm>
#include <set>
#include <zlib.h>

using namespace tssa::runtime;

static constexpr uint32_t localSignature = 0x04034b50;
static constexpr uint32_t centralSignature = 0x02014b50;
static constexpr uint32_t endSignature = 0x06054b50;
static constexpr uint32_t end64Signature = 0x06064b50;
static constexpr uint32_t locator64Signature = 0x07064b50;
static constexpr size_t localSize = 30, centralSize = 46, endSize = 22, locator64Size = 20,
                        end64Size = 56;
static constexpr size_t maxComment = 0xffff;
static constexpr uint32_t in64 = 0xffffffff; ///< the value is in the zip64 field
static constexpr uint16_t zip64Extra = 1;
/// An upper bound of the number of bytes that one byte of deflated data can represent.
static constexpr uint64_t maxExpansion = 1040;

static Status malformed(const std::string &what) {
  return makeError(TSSA_INVALID_ARGUMENT, "not a valid .npz: " + what);
}

/// Reads little-endian fields one after the other. A read past the end gives zero and sets `good`
/// to false.
namespace {
class Fields {
public:
  explicit Fields(std::string_view bytes) : bytes(bytes) {}
  bool good = true;
  uint64_t next(size_t size) {
    std::string_view raw = text(size);
    uint64_t value = 0;
    for (size_t i = 0; i < raw.size(); ++i)
      value |= uint64_t(uint8_t(raw[i])) << (8 * i);
    return value;
  }
  std::string_view text(size_t size) {
    if (size > bytes.size()) {
      good = false;
      return {};
    }
    std::string_view raw = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return raw;
  }
  bool empty() const { return bytes.empty(); }

private:
  std::string_view bytes;
};

struct Directory {
  uint64_t offset = 0, size = 0, count = 0;
};
} // namespace

static void put(std::string &bytes, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i)
    bytes += char(value >> (8 * i));
}

/// Finds the end record: the last one whose comment ends at the end of the file.
static Status readEnd(uint64_t fileSize, const ReadAt &read, Directory &directory) {
  if (fileSize < endSize)
    return malformed(fileSize ? "too short" : "empty file");
  uint64_t tailSize = std::min<uint64_t>(fileSize, endSize + maxComment + locator64Size);
  std::string tail(tailSize, '\0');
  if (Status status = read(fileSize - tailSize, tail.data(), tail.size()); !status.ok())
    return status;
  for (size_t at = tail.size() - endSize + 1; at-- > 0;) {
    Fields end(std::string_view(tail).substr(at));
    if (end.next(4) != endSignature)
      continue;
    uint64_t disks = end.next(4);
    end.next(2);
    directory.count = end.next(2);
    directory.size = end.next(4);
    directory.offset = end.next(4);
    if (end.next(2) != tail.size() - at - endSize)
      continue;
    if (disks != 0)
      return malformed("it has several volumes");
    uint64_t limit = fileSize - tailSize + at;
    if (directory.offset == in64 || directory.size == in64 || directory.count == 0xffff) {
      if (at < locator64Size)
        return malformed("no zip64 end record");
      Fields locator(std::string_view(tail).substr(at - locator64Size));
      uint64_t signature = locator.next(4), disk = locator.next(4);
      uint64_t offset = locator.next(8);
      if (signature != locator64Signature || disk != 0 || offset > limit ||
          limit - offset < end64Size)
        return malformed("no zip64 end record");
      std::string record(end64Size, '\0');
      if (Status status = read(offset, record.data(), record.size()); !status.ok())
        return status;
      Fields fields(record);
      if (fields.next(4) != end64Signature)
        return malformed("no zip64 end record");
      fields.text(28);
      directory.count = fields.next(8);
      directory.size = fields.next(8);
      directory.offset = fields.next(8);
      limit = offset;
    }
    if (directory.offset > limit || directory.size > limit - directory.offset)
      return malformed("its directory lies beyond the end");
    return Status::success();
  }
  const FileFormat *format = nullptr;
  std::string begin(std::min<uint64_t>(fileSize, recognizedBytes), '\0');
  if (read(0, begin.data(), begin.size()).ok())
    format = recognizeFile(begin);
  return malformed(format ? std::string("this is ") + format->name + ": " + format->advice
                          : "no zip end record");
}

/// Reads from the zip64 field the values that do not fit into the normal fields.
static bool readExtra(std::string_view extra, ZipMember &member) {
  Fields fields(extra);
  while (!fields.empty()) {
    uint64_t tag = fields.next(2);
    Fields data(fields.text(fields.next(2)));
    if (!fields.good)
      return false;
    if (tag != zip64Extra)
      continue;
    for (uint64_t *value : {&member.size, &member.compressedSize, &member.headerOffset})
      if (*value == in64)
        *value = data.next(8);
    return data.good;
  }
  return true;
}

static Status readCentral(Fields &fields, ZipMember &member) {
  bool signature = fields.next(4) == centralSignature;
  fields.next(4); // versions
  uint64_t flags = fields.next(2);
  member.method = uint16_t(fields.next(2));
  fields.next(4); // time
  member.crc = uint32_t(fields.next(4));
  member.compressedSize = fields.next(4);
  member.size = fields.next(4);
  size_t nameSize = fields.next(2), extraSize = fields.next(2), commentSize = fields.next(2);
  fields.next(8); // volume and attributes
  member.headerOffset = fields.next(4);
  member.name = std::string(fields.text(nameSize));
  std::string_view extra = fields.text(extraSize);
  fields.text(commentSize);
  if (!signature || !fields.good || !readExtra(extra, member))
    return malformed("malformed directory");
  std::string where = "member '" + printable(member.name) + "' ";
  if (flags & 1)
    return malformed(where + "is encrypted");
  if (member.method != 0 && member.method != 8)
    return malformed(where + "uses compression method " + std::to_string(member.method));
  if (member.method == 0 && member.size != member.compressedSize)
    return malformed(where + "is stored without compression, but with two sizes");
  return Status::success();
}

Status tssa::runtime::readZipDirectory(uint64_t fileSize, const ReadAt &read,
                                       std::vector<ZipMember> &members) {
  Directory directory;
  if (Status status = readEnd(fileSize, read, directory); !status.ok())
    return status;
  if (directory.count > directory.size / centralSize)
    return malformed("more members than its directory has room for");
  std::string bytes(directory.size, '\0');
  if (Status status = read(directory.offset, bytes.data(), bytes.size()); !status.ok())
    return status;
  Fields fields(bytes);
  std::set<std::string> names;
  for (uint64_t i = 0; i < directory.count; ++i) {
    ZipMember member;
    if (Status status = readCentral(fields, member); !status.ok())
      return status;
    if (!names.insert(member.name).second)
      return malformed("two members are named '" + printable(member.name) + "'");
    members.push_back(std::move(member));
  }
  if (!fields.empty())
    return malformed("malformed directory");
  return Status::success();
}

static bool inflateAll(std::string_view from, std::string &to) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return false;
  size_t read = 0, written = 0;
  int code = Z_OK;
  // zlib counts bytes in 32 bits, so it gets the data in pieces.
  constexpr size_t piece = size_t(1) << 30;
  while (code == Z_OK) {
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(from.data() + read));
    stream.avail_in = uInt(std::min(piece, from.size() - read));
    stream.next_out = reinterpret_cast<Bytef *>(to.data() + written);
    stream.avail_out = uInt(std::min(piece, to.size() - written));
    uInt in = stream.avail_in, out = stream.avail_out;
    code = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    written += out - stream.avail_out;
  }
  inflateEnd(&stream);
  return code == Z_STREAM_END && read == from.size() && written == to.size();
}

static uint32_t checksum(std::string_view bytes, uint32_t crc) {
  if (bytes.empty())
    return crc; // for a null pointer, zlib would return its initial value
  return uint32_t(crc32_z(crc, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

Status tssa::runtime::readZipMember(const ZipMember &member, uint64_t fileSize, const ReadAt &read,
                                    std::string &bytes) {
  uint64_t start = member.headerOffset;
  if (start > fileSize || fileSize - start < localSize)
    return malformed("it lies beyond the end");
  std::string header(localSize, '\0');
  if (Status status = read(start, header.data(), header.size()); !status.ok())
    return status;
  Fields fields(header);
  if (fields.next(4) != localSignature)
    return malformed("no header where the directory says");
  fields.text(22);
  start += localSize + fields.next(2) + fields.next(2);
  if (start > fileSize || member.compressedSize > fileSize - start)
    return malformed("it lies beyond the end");
  if (member.size > member.compressedSize * maxExpansion)
    return malformed("it claims to inflate to more than it can");
  std::string raw(member.compressedSize, '\0');
  if (Status status = read(start, raw.data(), raw.size()); !status.ok())
    return status;
  if (member.method == 0) {
    bytes = std::move(raw);
  } else {
    bytes.resize(member.size);
    if (!inflateAll(raw, bytes))
      return malformed("its compressed data is damaged");
  }
  if (checksum(bytes, 0) != member.crc)
    return malformed("its checksum does not match");
  return Status::success();
}

Status ZipWriter::append(std::string_view bytes) {
  if (Status status = file.writeAt(position, bytes.data(), bytes.size()); !status.ok())
    return status;
  position += bytes.size();
  return Status::success();
}

Status ZipWriter::add(const std::string &name, std::string_view header, std::string_view data) {
  if (name.size() > 0xffff)
    return makeError(TSSA_INVALID_ARGUMENT,
                     "a name of " + std::to_string(name.size()) + " bytes is too long for .npz");
  uint64_t size = header.size() + data.size();
  uint32_t crc = checksum(data, checksum(header, 0));
  constexpr uint64_t utf8Name = 1 << 11, dosEpoch = 0x00210000;
  std::string extra;
  put(extra, zip64Extra, 2);
  put(extra, 24, 2);
  put(extra, size, 8);
  put(extra, size, 8);
  put(extra, position, 8);

  std::string common; // from version to extra length
  put(common, 45, 2);
  put(common, utf8Name, 2);
  put(common, 0, 2); // stored
  put(common, dosEpoch, 4);
  put(common, crc, 4);
  put(common, in64, 4);
  put(common, in64, 4);
  put(common, name.size(), 2);

  std::string local;
  put(local, localSignature, 4);
  local += common;
  put(local, 20, 2);
  local += name;
  put(local, zip64Extra, 2);
  put(local, 16, 2);
  put(local, size, 8);
  put(local, size, 8);

  put(directory, centralSignature, 4);
  put(directory, 45, 2);
  directory += common;
  put(directory, extra.size(), 2);
  put(directory, 0, 2); // comment
  put(directory, 0, 2); // volume
  put(directory, 0, 6); // attributes
  put(directory, in64, 4);
  directory += name + extra;
  ++count;
  for (std::string_view bytes : {std::string_view(local), header, data})
    if (Status status = append(bytes); !status.ok())
      return status;
  return Status::success();
}

Status ZipWriter::finish() {
  uint64_t start = position;
  std::string end = directory;
  put(end, end64Signature, 4);
  put(end, end64Size - 12, 8);
  put(end, 45, 2);
  put(end, 45, 2);
  put(end, 0, 8); // volumes
  put(end, count, 8);
  put(end, count, 8);
  put(end, directory.size(), 8);
  put(end, start, 8);
  put(end, locator64Signature, 4);
  put(end, 0, 4);
  put(end, start + directory.size(), 8);
  put(end, 1, 4);
  put(end, endSignature, 4);
  put(end, 0, 4);
  put(end, 0xffff, 2);
  put(end, 0xffff, 2);
  put(end, in64, 4);
  put(end, in64, 4);
  put(end, 0, 2);
  return append(end);
}
