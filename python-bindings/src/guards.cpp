//===- guards.cpp -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "guards.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace nb = nanobind;

namespace {

/// The number that CPython gives a dict at each change of it (PEP 509); from 3.12 on it
/// is not to be relied on, and 0 stands for a dict that may have changed.
uint64_t getVersion(nb::handle dict) {
#if PY_VERSION_HEX < 0x030C0000
  return reinterpret_cast<PyDictObject *>(dict.ptr())->ma_version_tag;
#else
  return 0;
#endif
}

/// Dicts, and the versions at which they were looked at.
class Dicts {
public:
  using Change = std::pair<size_t, uint64_t>;

  explicit Dicts(std::vector<nb::dict> given) : dicts(std::move(given)), versions(dicts.size()) {}

  /// The place and version of each dict that may differ from the one that was accepted.
  std::vector<Change> findChanges() const {
    std::vector<Change> changes;
    for (size_t i = 0; i < dicts.size(); ++i)
      if (uint64_t version = getVersion(dicts[i]); version == 0 || version != versions[i])
        changes.emplace_back(i, version);
    return changes;
  }

  /// The dict is as it should be at this version.
  void accept(const Change &change) { versions.at(change.first) = change.second; }

private:
  std::vector<nb::dict> dicts;
  std::vector<uint64_t> versions;
};

/// Words of memory, and what they held. They are read by address: whoever asks knows that
/// the memory is still there.
class Words {
public:
  Words(const std::vector<uint64_t> &addresses, std::vector<uint64_t> neededSoon)
      : soon(std::move(neededSoon)) {
    for (uint64_t address : addresses)
      words.emplace_back(address, read(address));
  }

  /// Has the cache lines loaded that are needed soon: one after the other, each would be
  /// waited for.
  void prefetch() const {
    for (uint64_t address : soon)
      __builtin_prefetch(reinterpret_cast<const void *>(address));
  }

  /// Whether all hold what they held.
  bool hold() const {
    for (auto [address, value] : words)
      if (read(address) != value)
        return false;
    return true;
  }

private:
  static uint64_t read(uint64_t address) {
    uint64_t value;
    std::memcpy(&value, reinterpret_cast<const void *>(address), sizeof(value));
    return value;
  }

  std::vector<std::pair<uint64_t, uint64_t>> words;
  std::vector<uint64_t> soon;
};

} // namespace

void tssa::python::registerGuards(nb::module_ &module) {
  nb::class_<Dicts>(module, "Dicts", "Dicts whose changes are detected")
      .def(nb::init<std::vector<nb::dict>>(), nb::arg("dicts"))
      .def("find_changes", &Dicts::findChanges)
      .def("accept", &Dicts::accept, nb::arg("change"));
  nb::class_<Words>(module, "Words", "Words of memory whose changes are detected")
      .def(nb::init<const std::vector<uint64_t> &, std::vector<uint64_t>>(), nb::arg("addresses"),
           nb::arg("needed_soon"))
      .def("prefetch", &Words::prefetch)
      .def("hold", &Words::hold);
}
