//===- Npy.cpp - one tensor in NumPy's format ----------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Checked.h"
#include "ManifestCheck.h"
#include "Strided.h"

#include "tssa/Runtime/NearName.h"
#include "tssa/Runtime/Npz.h"

#include <charconv>
#include <cstring>
#include <utility>

using namespace tssa::runtime;

static constexpr char magic[] = "\x93NUMPY";
static constexpr size_t magicSize = 6;
static constexpr size_t headerAlignment = 64;

/// NumPy's description of each DType. A type that NumPy lacks has the description of the integer
/// type that stores it.
static const char *const descriptions[numDTypes] = {
    "<f4", "<f8", "<f2", "<u2", "|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8",
    "<u8", "|u1", "|u1", "|u1", "|u1", "|u1", "|u1", "|i1", "|u1", "|i1", "|u1"};

static Status malformed(const std::string &what) {
  return makeError(TSSA_INVALID_ARGUMENT, "not a valid .npy: " + what);
}

namespace {

/// Parses the dictionary in the header, such as
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}
  std::string description;
  std::vector<int64_t> shape;
  bool fortranOrder = false;

  bool parse() {
    if (!take('{'))
      return false;
    bool seen[3] = {};
    while (!take('}')) {
      std::string key;
      if (!parseString(key) || !take(':'))
        return false;
      int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
      if (which < 0 || std::exchange(seen[which], true))
        return false;
      bool good = which == 0 ? parseString(description) : which == 1 ? parseBool() : parseShape();
      if (!good)
        return false;
      if (!take(',')) {
        if (!take('}'))
          return false;
        break;
      }
    }
    skipSpace();
    return text.empty() && seen[0] && seen[1] && seen[2];
  }

private:
  std::string_view text;

  void skipSpace() {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\n'))
      text.remove_prefix(1);
  }
  bool take(char c) {
    skipSpace();
    if (text.empty() || text[0] != c)
      return false;
    text.remove_prefix(1);
    return true;
  }
  bool takeWord(std::string_view word) {
    skipSpace();
    if (text.substr(0, word.size()) != word)
      return false;
    text.remove_prefix(word.size());
    return true;
  }
  bool parseString(std::string &value) {
    if (!take('\''))
      return false;
    size_t end = text.find('\'');
    if (end == std::string_view::npos)
      return false;
    value = std::string(text.substr(0, end));
    text.remove_prefix(end + 1);
    return true;
  }
  bool parseBool() {
    fortranOrder = takeWord("True");
    return fortranOrder || takeWord("False");
  }
  bool parseShape() {
    if (!take('('))
      return false;
    while (!take(')')) {
      skipSpace();
      int64_t size;
      auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error != std::errc() || size < 0 || shape.size() >= maxRank)
        return false;
      text.remove_prefix(size_t(end - text.data()));
      shape.push_back(size);
      if (!take(','))
        return take(')');
    }
    return true;
  }
};

} // namespace

/// Returns the element type for NumPy's description; '=' and '|' mean the machine's byte order.
static std::optional<DType> parseDescription(std::string description) {
  if (description.size() == 3 &&
      (description[0] == '=' || description[0] == '|' || description[0] == '<'))
    for (unsigned i = 0; i < numDTypes; ++i)
      if (DType(i) != DType::BF16 && description.compare(1, 2, descriptions[i] + 1) == 0)
        return DType(i);
  return std::nullopt;
}

Status tssa::runtime::decodeNpy(std::string_view bytes, Tensor &tensor) {
  if (bytes.size() < magicSize + 4 || std::memcmp(bytes.data(), magic, magicSize) != 0)
    return malformed("no header");
  auto byte = [&](size_t i) { return size_t(uint8_t(bytes[i])); };
  size_t version = byte(6), start, length;
  if (version == 1) {
    start = 10;
    length = byte(8) | byte(9) << 8;
  } else if ((version == 2 || version == 3) && bytes.size() >= 12) {
    start = 12;
    length = byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  } else {
    return malformed("version " + std::to_string(version));
  }
  if (length > bytes.size() - start)
    return malformed("truncated header");
  HeaderParser header(bytes.substr(start, length));
  if (!header.parse())
    return malformed("malformed header");
  std::optional<DType> dtype = parseDescription(header.description);
  if (!dtype)
    return malformed("dtype '" + printable(header.description) + "' is not supported");
  std::optional<int64_t> size =
      checkedBytes(header.shape.data(), int32_t(header.shape.size()), getByteSize(*dtype));
  std::string_view data = bytes.substr(start + length);
  if (!size || uint64_t(*size) != data.size())
    return malformed(std::to_string(data.size()) + " bytes of data, its shape needs " +
                     (size ? std::to_string(*size) : "too many"));
  if (Status status = Tensor::allocate(*dtype, header.shape, tensor); !status.ok())
    return status;
  if (*size == 0)
    return Status::success();
  if (!header.fortranOrder) {
    std::memcpy(tensor.data, data.data(), data.size());
    return Status::success();
  }
  std::vector<int64_t> strides;
  int64_t stride = 1;
  for (int64_t dim : header.shape) {
    strides.push_back(stride);
    stride *= dim; // in range: see checkedBytes
  }
  tssa_tensor source = tensor.asABI();
  source.data = const_cast<char *>(data.data());
  source.strides = strides.data();
  copyStrided(source, getByteSize(*dtype), tensor.data);
  return Status::success();
}

std::string tssa::runtime::encodeNpyHeader(DType dtype, const std::vector<int64_t> &shape) {
  std::string text = std::string("{'descr': '") + descriptions[unsigned(dtype)] +
                     "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  text += shape.size() == 1 ? ",), }" : "), }";
  size_t total = alignTo(magicSize + 4 + text.size() + 1, headerAlignment);
  size_t length = total - magicSize - 4;
  text.resize(length - 1, ' ');
  std::string header(magic, magicSize);
  header += {1, 0, char(length), char(length >> 8)};
  return header + text + '\n';
}
