//===- CUDADevice.cpp -----------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CUDADevice.h"

#include "tssa/Runtime/NearName.h"
#include "tssa/Support/GPUArch.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace tssa;
using namespace tssa::runtime;

/// The maximal number of blocks of a grid in its first dimension.
static constexpr int64_t maxBlocks = INT32_MAX;

bool tssa::runtime::runsOn(const Image &image, int device) {
  std::optional<GPUArch> arch = GPUArch::parse(image.arch);
  return arch && arch->runsOn(device, image.kind == Image::Cubin);
}

/// Makes the device's context current in this thread; the destructor restores the previous one.
class CUDADevice::Entered {
public:
  explicit Entered(const CUDADevice &device)
      : device(device), result(device.driver.contextPush(device.context)) {}
  ~Entered() {
    cu::Context context;
    if (result == cu::success)
      (void)device.driver.contextPop(&context);
  }
  Entered(const Entered &) = delete;
  Entered &operator=(const Entered &) = delete;
  Status check() const {
    return device.driver.check(result, device.name + ": its context cannot be entered");
  }

private:
  const CUDADevice &device;
  const cu::Result result;
};

namespace tssa::runtime {

/// The CUDA stream of one run.
class CUDAStream : public Stream {
public:
  explicit CUDAStream(CUDADevice &device) : device(device) {}
  ~CUDAStream() override;
  Status create();
  Status copy(void *to, const void *from, uint64_t bytes, tssa_copy_kind kind) override;
  Status clear(void *memory, uint64_t bytes) override;
  Status launch(const KernelLaunch &launch) override;
  Status wait() override;
  std::string describePending() const override;

private:
  CUDADevice &device;
  cu::Stream stream = nullptr;
  std::vector<std::string> pending; ///< kernels started since the last wait

  /// Calls the driver in the device's context.
  template <typename Call> Status enter(const char *what, Call call);
};

} // namespace tssa::runtime

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

CUDADevice::CUDADevice(const CUDADriver &driver, int ordinal, const Variant &variant)
    : driver(driver), ordinal(ordinal), variant(variant) {
  const CUDADriver::DeviceInfo &info = driver.devices[ordinal];
  name = "cuda:" + std::to_string(ordinal) + " (" + info.name + ", sm_" +
         std::to_string(info.arch) + ")";
  const char *wait = std::getenv("TSSA_CUDA_WAIT");
  waitForEach = wait && std::strcmp(wait, "1") == 0;
}

Status CUDADevice::create(const CUDADriver &driver, int ordinal, const Variant &variant,
                          const std::vector<std::string> &images, std::unique_ptr<Device> &result) {
  std::unique_ptr<CUDADevice> device(new CUDADevice(driver, ordinal, variant));
  if (Status status = driver.check(driver.deviceGet(&device->device, ordinal), device->name);
      !status.ok())
    return status;
  if (Status status = driver.check(driver.primaryContextRetain(&device->context, device->device),
                                   device->name + ": no context");
      !status.ok())
    return status;
  if (Status status = device->load(images); !status.ok())
    return status;
  result = std::move(device);
  return Status::success();
}

CUDADevice::~CUDADevice() {
  if (!context)
    return;
  {
    Entered entered(*this);
    for (cu::Stream stream : idleStreams)
      (void)driver.streamDestroy(stream);
    if (module)
      (void)driver.moduleUnload(module);
  }
  (void)driver.primaryContextRelease(device);
}

/// Returns whether the driver refuses all further calls in a context after this result, which a
/// kernel causes: an illegal address, misalignment, a trap, a hang.
static bool isFault(cu::Result result) {
  constexpr cu::Result uncorrectable = 214, illegalAddress = 700, timeout = 702, assertion = 710,
                       firstFault = 714, lastFault = 719;
  return result == uncorrectable || result == illegalAddress || result == timeout ||
         result == assertion || (result >= firstFault && result <= lastFault);
}

/// Reads from the environment variable TSSA_CUDA_IMAGE which kind of image alone is loaded, for
/// tests of both; nothing if it is not set.
static Status findWantedKind(std::optional<Image::Kind> &kind) {
  const char *wanted = std::getenv("TSSA_CUDA_IMAGE");
  if (!wanted || !*wanted)
    return Status::success();
  if (std::strcmp(wanted, "ptx") != 0 && std::strcmp(wanted, "cubin") != 0)
    return makeError(TSSA_INVALID_ARGUMENT,
                     "TSSA_CUDA_IMAGE: expected ptx or cubin, got '" + printable(wanted) + "'");
  kind = std::strcmp(wanted, "ptx") == 0 ? Image::PTX : Image::Cubin;
  return Status::success();
}

Status CUDADevice::load(const std::vector<std::string> &images) {
  Entered entered(*this);
  if (Status status = entered.check(); !status.ok())
    return status;
  std::optional<Image::Kind> only;
  if (Status status = findWantedKind(only); !status.ok())
    return status;
  std::vector<size_t> order;
  for (size_t i = 0; i < variant.images.size(); ++i)
    if (runsOn(variant.images[i], driver.devices[ordinal].arch) &&
        (!only || variant.images[i].kind == *only))
      order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    auto rank = [&](size_t i) {
      const Image &image = variant.images[i];
      return std::make_pair(image.kind == Image::Cubin, *GPUArch::parse(image.arch));
    };
    return rank(b) < rank(a);
  });
  std::string refusals;
  for (size_t i : order) {
    if (Status status = loadImage(variant.images[i], images[i], refusals); !status.ok())
      return status;
    if (module)
      return findFunctions();
  }
  return makeError(TSSA_INCOMPATIBLE, name + ": the driver (CUDA " +
                                          describeCUDAVersion(driver.version) +
                                          ") takes none of the program's images" + refusals);
}

/// Loads an image. If the driver refuses it, appends the reason to `refusals`.
Status CUDADevice::loadImage(const Image &image, const std::string &bytes, std::string &refusals) {
  std::string log(16 << 10, '\0');
  const int options[] = {cu::errorLog, cu::errorLogBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(uintptr_t(log.size() - 1))};
  cu::Result result = driver.moduleLoad(&module, bytes.c_str(), 2, options, values);
  if (result == cu::success)
    return Status::success();
  module = nullptr;
  std::string kind = image.kind == Image::PTX ? "PTX" : "the cubin";
  std::string what = kind + " for " + image.arch;
  if (result == cu::outOfMemory || isFault(result)) // another image would not do either
    return driver.check(result, name + ": cannot load " + what);
  refusals += "; " + what + ": " + driver.describe(result);
  log.resize(std::strlen(log.c_str()));
  if (!log.empty())
    refusals += ": " + log;
  return Status::success();
}

Status CUDADevice::findFunctions() {
  constexpr int64_t plainSharedBytes = 48 << 10;
  for (const Kernel &kernel : variant.kernels) {
    cu::Function &function = functions.emplace_back();
    std::string what = name + ": kernel '" + kernel.name + "'";
    if (Status status =
            driver.check(driver.moduleGetFunction(&function, module, kernel.name.c_str()), what);
        !status.ok())
      return status;
    if (kernel.sharedBytes <= plainSharedBytes)
      continue;
    if (Status status = driver.check(
            driver.functionSetAttribute(function, cu::maxDynamicSharedBytes,
                                        int(kernel.sharedBytes)),
            what + " needs " + std::to_string(kernel.sharedBytes) + " bytes of shared memory");
        !status.ok())
      return status;
  }
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Memory and faults
//===----------------------------------------------------------------------===//

Status CUDADevice::checkFault() {
  std::lock_guard<std::mutex> lock(mutex);
  if (fault.empty())
    return Status::success();
  return makeError(TSSA_INTERNAL, name + " cannot be used by this process any more: " + fault);
}

Status CUDADevice::fail(cu::Result result, const std::string &what) {
  Status status = driver.check(result, name + ": " + what);
  if (isFault(result)) {
    std::lock_guard<std::mutex> lock(mutex);
    if (fault.empty())
      fault = status.message;
  }
  return status;
}

Status CUDADevice::allocate(uint64_t bytes, void *&memory) {
  if (Status status = checkFault(); !status.ok())
    return status;
  Entered entered(*this);
  if (Status status = entered.check(); !status.ok())
    return status;
  cu::Pointer pointer = 0;
  cu::Result result = driver.memoryAllocate(&pointer, bytes);
  if (result == cu::success) {
    memory = reinterpret_cast<void *>(pointer);
    return Status::success();
  }
  std::string what = "cannot allocate " + std::to_string(bytes) + " bytes";
  size_t available = 0, total = 0;
  if (result == cu::outOfMemory && driver.memoryGetInfo(&available, &total) == cu::success)
    what += " (" + std::to_string(available) + " of " + std::to_string(total) + " are free)";
  return fail(result, what);
}

void CUDADevice::free(void *memory) {
  Entered entered(*this);
  (void)driver.memoryFree(reinterpret_cast<cu::Pointer>(memory));
}

Status CUDADevice::makeStream(std::unique_ptr<Stream> &stream) {
  if (Status status = checkFault(); !status.ok())
    return status;
  auto made = std::make_unique<CUDAStream>(*this);
  if (Status status = made->create(); !status.ok())
    return status;
  stream = std::move(made);
  return Status::success();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

template <typename Call> Status CUDAStream::enter(const char *what, Call call) {
  if (Status status = device.checkFault(); !status.ok())
    return status;
  CUDADevice::Entered entered(device);
  if (Status status = entered.check(); !status.ok())
    return status;
  cu::Result result = call(device.driver);
  if (result == cu::success)
    return Status::success();
  return device.fail(result, what + describePending());
}

std::string CUDAStream::describePending() const {
  constexpr size_t shown = 4;
  if (pending.empty())
    return "";
  std::string text = pending.size() == 1 ? " after kernel " : " after one of the kernels ";
  size_t first = pending.size() - std::min(shown, pending.size());
  for (size_t i = first; i < pending.size(); ++i)
    text += (i > first ? ", " : "") + pending[i];
  if (first > 0)
    text += " and " + std::to_string(first) + " before (TSSA_CUDA_WAIT=1 tells which)";
  else if (pending.size() > 1)
    text += " (TSSA_CUDA_WAIT=1 tells which)";
  return text;
}

Status CUDAStream::create() {
  {
    std::lock_guard<std::mutex> lock(device.mutex);
    if (!device.idleStreams.empty()) {
      stream = device.idleStreams.back();
      device.idleStreams.pop_back();
      return Status::success();
    }
  }
  return enter("cannot make a stream", [&](const CUDADriver &driver) {
    return driver.streamCreate(&stream, cu::nonBlockingStream);
  });
}

CUDAStream::~CUDAStream() {
  if (!stream)
    return;
  CUDADevice::Entered entered(device);
  // Pending work uses memory that its owner is about to reuse.
  (void)device.driver.streamSynchronize(stream);
  try {
    std::lock_guard<std::mutex> lock(device.mutex);
    device.idleStreams.push_back(stream);
  } catch (const std::bad_alloc &) {
    (void)device.driver.streamDestroy(stream); // there is no memory for an entry in the list
  }
}

Status CUDAStream::copy(void *to, const void *from, uint64_t bytes, tssa_copy_kind kind) {
  if (bytes == 0)
    return Status::success();
  return enter("a copy failed", [&](const CUDADriver &driver) {
    cu::Pointer target = reinterpret_cast<cu::Pointer>(to);
    cu::Pointer source = reinterpret_cast<cu::Pointer>(from);
    switch (kind) {
    case TSSA_COPY_TO_HOST:
      return driver.copyToHost(to, source, bytes, stream);
    case TSSA_COPY_TO_DEVICE:
      return driver.copyToDevice(target, from, bytes, stream);
    case TSSA_COPY_ON_DEVICE:
      break;
    }
    return driver.copyOnDevice(target, source, bytes, stream);
  });
}

Status CUDAStream::clear(void *memory, uint64_t bytes) {
  if (bytes == 0)
    return Status::success();
  return enter("memory cannot be cleared", [&](const CUDADriver &driver) {
    return driver.memorySet(reinterpret_cast<cu::Pointer>(memory), 0, bytes, stream);
  });
}

Status CUDAStream::launch(const KernelLaunch &launch) {
  const Kernel &kernel = device.variant.kernels[launch.kernel];
  if (launch.blocks <= 0)
    return Status::success();
  if (launch.blocks > maxBlocks)
    return makeError(TSSA_OUT_OF_RANGE, "kernel '" + kernel.name + "' has " +
                                            std::to_string(launch.blocks) + " blocks, at most " +
                                            std::to_string(maxBlocks));
  pending.push_back("'" + kernel.name + "'" +
                    (launch.node.empty() ? "" : " of node '" + launch.node + "'"));
  Status status = enter("launch failed", [&](const CUDADriver &driver) {
    return driver.launchKernel(device.functions[launch.kernel], unsigned(launch.blocks), 1, 1,
                               unsigned(kernel.threads), 1, 1, unsigned(kernel.sharedBytes), stream,
                               launch.params, nullptr);
  });
  return status.ok() && device.waitForEach ? wait() : status;
}

Status CUDAStream::wait() {
  Status status = enter("the device reports a fault",
                        [&](const CUDADriver &driver) { return driver.streamSynchronize(stream); });
  pending.clear();
  return status;
}
