//===- Session.cpp -------------------------------------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tssa/Runtime/Session.h"

#include "Checked.h"
#include "Device/CUDADevice.h"
#include "Device/ChooseVariant.h"
#include "Device/EmulatorDevice.h"
#include "LoadedCode.h"
#include "RunState.h"
#include "Watched.h"

#include "tssa/Runtime/NearName.h"

#include <cerrno>
#include <new>
#include <sys/random.h>

using namespace tssa::runtime;

/// The maximal number of cached plans. A plan belongs to a tuple of sizes.
static constexpr size_t maxPlans = 1024;

Status Session::load(const std::string &path, const SessionOptions &options,
                     std::unique_ptr<Session> &result) {
  try {
    return loadChecked(path, options, result);
  } catch (const std::bad_alloc &) {
    return makeError(TSSA_OUT_OF_MEMORY, "out of memory");
  }
}

/// Sets `seed` to random bits of the operating system.
static Status drawSeed(uint64_t &seed) {
  ssize_t count;
  do
    count = getrandom(&seed, sizeof(seed), 0);
  while (count < 0 && errno == EINTR);
  if (count != ssize_t(sizeof(seed)))
    return makeError(TSSA_IO, "the operating system gives no seed for random numbers");
  return Status::success();
}

Status Session::loadChecked(const std::string &path, const SessionOptions &options,
                            std::unique_ptr<Session> &result) {
  std::unique_ptr<Session> session(new Session);
  session->options = options;
  if (options.seed)
    session->seed = *options.seed;
  else if (Status status = drawSeed(session->seed); !status.ok())
    return status;
  if (Status status = Artifact::open(path, session->artifact); !status.ok())
    return status;
  if (Status status = session->loadVariant(options.device); !status.ok())
    return status;
  session->artifact->dropCode();
  if (!options.parallelFor)
    session->pool = ThreadPool::getShared(options.threads, options.pinThreads);
  result = std::move(session);
  return Status::success();
}

/// Adds the file's path to the message of a status.
static Status locate(const std::string &path, Status status) {
  if (!status.ok())
    status.message = "'" + path + "': " + status.message;
  return status;
}

/// Loads the variant that runs on `device`. For "auto", a CUDA device whose driver accepts none of
/// the images is ignored.
Status Session::loadVariant(const std::string &device) {
  DeviceChoice choice;
  Status status = chooseVariant(getManifest(), device, choice);
  if (!status.ok())
    return locate(artifact->getPath(), std::move(status));
  variant = choice.variant;
  status = artifact->mapWeights(variant, options.verifyWeights);
  if (!status.ok())
    return status;
  code = std::make_unique<LoadedCode>();
  status = code->load(artifact->getCode(), getVariant().suffix);
  if (status.ok())
    status = loadProgram(choice);
  if (status.code != TSSA_INCOMPATIBLE || choice.kind != DeviceChoice::CUDA || device != "auto")
    return locate(artifact->getPath(), std::move(status));
  for (const char *other : {"cpu", "cuda-emu"})
    if (loadVariant(other).ok())
      return Status::success();
  return locate(artifact->getPath(), std::move(status));
}

/// Loads kernels and weights to the chosen device, unless it is the CPU.
Status Session::loadProgram(const DeviceChoice &choice) {
  deviceName = "cpu";
  if (choice.kind == DeviceChoice::CPU)
    return Status::success();
  std::unique_ptr<Device> device;
  Status status;
  if (choice.kind == DeviceChoice::CUDA) {
    const CUDADriver *driver;
    status = CUDADriver::get(driver);
    if (status.ok())
      status = CUDADevice::create(*driver, choice.ordinal, getVariant(),
                                  artifact->getImages(variant), device);
  } else if (!code->kernels && !getVariant().kernels.empty()) {
    status = makeError(TSSA_CORRUPT, "tssa_kernels is missing");
  } else {
    status = EmulatorDevice::create(getVariant(), code->kernels, device);
  }
  if (!status.ok())
    return status;
  deviceName = device->getName();
  return DeviceProgram::create(getVariant(), std::move(device), artifact->getWeights(), program);
}

Session::~Session() { close(); }

void Session::close() {
  if (countForks() != forks) {
    // This process is a child of the one that loaded the session. The parent's runs never end here,
    // and the parent's device cannot be used.
    (void)program.release();
    return;
  }
  std::unique_lock<std::mutex> lock(mutex);
  closed = true;
  idle.wait(lock, [&] { return activeRuns == 0; });
  arenas.clear();
  dynamicMemory.clear();
  resultMemory->close();
  program.reset();
  code.reset();
  if (artifact)
    artifact->unmapWeights();
  pool.reset();
}

Status Session::enter() {
  if (countForks() != forks)
    return makeError(TSSA_INVALID_ARGUMENT, "the session was loaded before this process was "
                                            "forked: load the model in this process");
  std::lock_guard<std::mutex> lock(mutex);
  if (closed)
    return makeError(TSSA_INVALID_ARGUMENT, "the session is closed");
  ++activeRuns;
  return Status::success();
}

unsigned Session::getActiveRuns() {
  std::lock_guard<std::mutex> lock(mutex);
  return activeRuns;
}

void Session::leave() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--activeRuns == 0)
    idle.notify_all();
}

/// Calls `work` as a run, for which `close` waits.
template <typename Work> Status Session::guard(Work work) {
  if (Status status = enter(); !status.ok())
    return status;
  Status status;
  try {
    status = work();
  } catch (const std::bad_alloc &) {
    status = makeError(TSSA_OUT_OF_MEMORY, "out of memory");
  }
  leave();
  return status;
}

static std::string describeSizes(const Manifest &manifest, const std::vector<int64_t> &sizes) {
  std::string text;
  for (size_t i = 0; i < sizes.size(); ++i)
    text += (i ? ", " : " with ") + printable(manifest.symbols[i].name) + " = " +
            std::to_string(sizes[i]);
  return text;
}

unsigned Session::countScratchParts() const {
  if (pool)
    return pool->getThreadCount();
  return options.threads ? options.threads : getDefaultThreadCount();
}

/// The memory of the threads is the end of the arena.
Status Session::plan(const std::vector<int64_t> &sizes, int64_t &arenaBytes) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto known = plans.find(sizes);
    if (known != plans.end()) {
      arenaBytes = known->second;
      return Status::success();
    }
  }
  arenaBytes = -1;
  int32_t code = this->code->plan(sizes.data(), &arenaBytes);
  if (int64_t scratchBytes = getVariant().memory.scratchBytes; arenaBytes >= 0 && scratchBytes > 0)
    arenaBytes = (tssa::CheckedSize(arenaBytes).alignTo(ScratchParts::alignment) +
                  tssa::CheckedSize(scratchBytes) * tssa::CheckedSize(countScratchParts()))
                     .get()
                     .value_or(-1);
  if (code != TSSA_OK || arenaBytes < 0)
    return makeError(code == TSSA_OUT_OF_RANGE || code == TSSA_INVALID_ARGUMENT
                         ? tssa_code(code)
                         : TSSA_OUT_OF_MEMORY,
                     "the program cannot run" + describeSizes(getManifest(), sizes) +
                         ": its memory cannot be laid out (code " + std::to_string(code) + ")");
  std::lock_guard<std::mutex> lock(mutex);
  if (plans.size() >= maxPlans)
    plans.clear();
  plans[sizes] = arenaBytes;
  return Status::success();
}

Status Session::planMemory(const std::vector<NamedTensor> &inputs, int64_t &arenaBytes) {
  return guard([&] {
    BoundInputs bound;
    if (Status status = bindInputs(getManifest(), inputs, bound); !status.ok())
      return status;
    return plan(bound.sizes, arenaBytes);
  });
}

Status Session::run(const std::vector<NamedTensor> &inputs,
                    const std::vector<OutputRequest> &requests, const RunOptions &runOptions,
                    std::vector<Tensor> &results) {
  return guard([&] { return runChecked(inputs, requests, runOptions, results); });
}

bool Session::acquireArena(uint64_t bytes, Buffer &arena) {
  return arenas.acquire(bytes, arena) || (resultMemory->trim(0) && arenas.acquire(bytes, arena));
}

/// Calls the program. `buffer` is the arena on the host, empty if `arena` is on a device.
int32_t Session::execute(RunState &state, const Buffer &buffer, void *arena, int64_t arenaBytes) {
  // Code that is compiled with AddressSanitizer calls `allow` for each buffer of the arena when it
  // needs the buffer.
  forbid(buffer.getData(), buffer.getSize());
  if (uint64_t bytes = uint64_t(getVariant().memory.scratchBytes)) {
    uint64_t all = bytes * countScratchParts();
    char *scratch = static_cast<char *>(arena) + arenaBytes - all;
    allow(scratch, all);
    state.setScratch(scratch, bytes);
  }
  int32_t result;
  {
    ThreadPool::Run awake(program ? nullptr : pool.get());
    result = code->run(state.getHost(), state.getArgs(), state.getResults(), arena);
  }
  allow(buffer.getData(), buffer.getSize());
  return result;
}

/// Runs the program in an arena of `arenaBytes` bytes, which fit these sizes.
Status Session::runInArena(RunState &state, const std::vector<int64_t> &sizes, int64_t arenaBytes) {
  if (Status status = state.start(); !status.ok())
    return status;
  Buffer buffer;
  void *arena = nullptr;
  if (!state.charge(uint64_t(arenaBytes)))
    return makeError(TSSA_OUT_OF_MEMORY, "the run" + describeSizes(getManifest(), sizes) +
                                             " takes " + std::to_string(arenaBytes) +
                                             " bytes, the limit is " +
                                             std::to_string(options.memoryLimit));
  if (program) {
    if (Status status = state.allocateArena(uint64_t(arenaBytes), arena); !status.ok())
      return status;
  } else if (acquireArena(uint64_t(arenaBytes), buffer)) {
    arena = buffer.getData();
  } else {
    return makeError(TSSA_OUT_OF_MEMORY, "cannot allocate " + std::to_string(arenaBytes) +
                                             " bytes for the run" +
                                             describeSizes(getManifest(), sizes));
  }
  int32_t code = execute(state, buffer, arena, arenaBytes);
  arenas.release(std::move(buffer));
  return state.finish(code);
}

Status Session::runChecked(const std::vector<NamedTensor> &inputs,
                           const std::vector<OutputRequest> &requests, const RunOptions &runOptions,
                           std::vector<Tensor> &results) {
  const Manifest &manifest = getManifest();
  if (!(runOptions.timeoutSeconds >= 0))
    return makeError(TSSA_INVALID_ARGUMENT, "the time limit is not a number of seconds");
  BoundInputs boundInputs;
  if (Status status = bindInputs(manifest, inputs, boundInputs); !status.ok())
    return status;
  std::vector<BoundOutput> outputs;
  if (Status status = bindOutputs(manifest, requests, boundInputs, outputs); !status.ok())
    return status;
  int64_t arenaBytes;
  if (Status status = plan(boundInputs.sizes, arenaBytes); !status.ok())
    return status;
  if (runOptions.profile)
    runOptions.profile->resize(getVariant().launches.size());

  RunTrace trace(runOptions.trace);
  RunContext context{manifest,
                     getVariant(),
                     program.get(),
                     program ? program->getWeights() : artifact->getWeights(),
                     pool.get(),
                     dynamicMemory,
                     *resultMemory,
                     options,
                     runOptions,
                     seed,
                     runs.fetch_add(1, std::memory_order_relaxed),
                     countScratchParts(),
                     trace};
  RunState state(context, boundInputs, outputs);
  Status status = runInArena(state, boundInputs.sizes, arenaBytes);
  trace.setOutcome(status.code);
  if (status.ok())
    state.takeResults(results);
  return status;
}
