//===- Inputs.cpp --------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Inputs.h"

#include "tssa/Runtime/Elements.h"
#include "tssa/Runtime/NearName.h"
#include "tssa/Support/CheckedSize.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <random>

using namespace tssa::run;
using namespace tssa::runtime;
using tssa::CheckedSize;

Status tssa::run::chooseSizes(const Manifest &manifest, const std::map<std::string, int64_t> &given,
                              std::vector<int64_t> &sizes, std::vector<std::string> &assumed) {
  std::vector<std::string> names;
  for (const Symbol &symbol : manifest.symbols) {
    names.push_back(symbol.name);
    auto size = given.find(symbol.name);
    if (size != given.end()) {
      sizes.push_back(size->second);
      continue;
    }
    sizes.push_back(std::max<int64_t>(symbol.min, 1));
    assumed.push_back(symbol.name);
  }
  for (const auto &[name, size] : given)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return makeError(TSSA_INVALID_ARGUMENT, "--dim: the model has no size '" + printable(name) +
                                                  "'" + suggestName(name, names));
  return Status::success();
}

namespace {

/// A normal distribution that gives the same numbers on all machines, which
/// std::normal_distribution does not guarantee.
class Normal {
public:
  explicit Normal(uint64_t seed) : bits(seed) {}
  double next() {
    // The Box-Muller transform; the first number is in (0, 1].
    double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * uniform());
  }
  bool coin() { return bits() >> 63; }

private:
  std::mt19937_64 bits;
  double uniform() { return double(bits() >> 11) * 0x1p-53; }
};

} // namespace

/// Sets the elements of `tensor`. Returns whether the time sufficed.
static bool fill(Tensor &tensor, DType dtype, Normal &random, const std::function<bool()> &isLate) {
  constexpr int64_t between = 1 << 16; // elements for each look at the clock
  int64_t count = tensor.getByteSize() / getByteSize(dtype);
  for (int64_t i = 0; i < count; ++i) {
    if (i % between == 0 && isLate())
      return false;
    setElement(tensor, i, isFloat(dtype) ? random.next() : random.coin());
  }
  return true;
}

Status tssa::run::makeRandomInputs(const Manifest &manifest, const std::vector<int64_t> &sizes,
                                   uint64_t seed, const InputLimits &limits,
                                   std::vector<NpzEntry> &inputs) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  auto isLate = [&] {
    return limits.seconds > 0 &&
           std::chrono::duration<double>(Clock::now() - begin).count() >= limits.seconds;
  };
  Normal random(seed);
  CheckedSize total = 0;
  for (const Port &port : manifest.inputs) {
    std::vector<int64_t> shape;
    for (const Dim &dim : port.dims)
      shape.push_back(dim.kind == Dim::Symbol ? sizes[dim.value] : dim.value);
    total += CheckedSize::product(shape, getByteSize(port.dtype));
    if (limits.bytes && !total.fits(limits.bytes))
      return makeError(TSSA_OUT_OF_MEMORY, "input '" + printable(port.name) +
                                               "': the random inputs exceed the limit of " +
                                               std::to_string(limits.bytes) + " bytes");
    NpzEntry entry;
    entry.name = port.name;
    if (Status status = Tensor::allocate(port.dtype, shape, entry.tensor); !status.ok())
      return makeError(status.code, "input '" + printable(port.name) + "': " + status.message);
    if (!fill(entry.tensor, port.dtype, random, isLate))
      return makeError(TSSA_CANCELLED, "stopped: making the random inputs took longer than the "
                                       "time of a run (--timeout)");
    inputs.push_back(std::move(entry));
  }
  return Status::success();
}
