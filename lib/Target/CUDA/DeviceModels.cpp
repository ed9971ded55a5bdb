//===- DeviceModels.cpp - what is known of GPUs ---------------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits are those of the CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability"; numbers of multiprocessors, clocks, caches, bandwidths and rates of matrices are
// published for one GPU of each architecture:
//
//     sm_80   A100 SXM 40 GB    sm_89   L40S         sm_120  GeForce RTX 5090
//     sm_86   A40               sm_90   H100 SXM
//     sm_87   Jetson AGX Orin   sm_100  B200
//
// From sm_90 on, mma.sync gets a part of the published rate of matrices, for which other
// instructions are needed: 62 % on an H100 (arXiv 2501.12084), and as much is assumed of a B200.
// Latencies and bytes of the second-level cache in a cycle were published for the A100 and the H100
// (arXiv 2208.11174, 2402.13499); the others have those of the A100.
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/IR/LayoutOps.h"
#include "lib/Target/MachineRecord.h"
#include "tssa/Target/CUDA.h"

using namespace llvm;
using mlir::tssa::layout::DeviceModel;

namespace tssa::cuda {

static DeviceModel getModel(int arch) {
  DeviceModel model; // of sm_80
  auto setLimits = [&](int64_t threads, int64_t blocks, int64_t sharedKilobytes) {
    model.threads = threads;
    model.blocks = blocks;
    model.sharedBytes = sharedKilobytes << 10;
    model.blockSharedBytes = (sharedKilobytes - 1) << 10;
  };
  auto setRates = [&](int64_t processors, int64_t megahertz, int64_t multiplyAdds,
                      int64_t matrixMultiplyAdds, int64_t l2Megabytes, int64_t memoryGigabytes) {
    model.processors = processors;
    model.megahertz = megahertz;
    model.multiplyAdds = multiplyAdds;
    model.matrixMultiplyAdds = matrixMultiplyAdds;
    model.l2Bytes = l2Megabytes << 20;
    model.memoryMegabytes = memoryGigabytes * 1000;
  };
  switch (arch) {
  case 86:
    setLimits(1536, 16, 100);
    setRates(84, 1740, 128, 512, 6, 696);
    break;
  case 87:
    setLimits(1536, 16, 164);
    setRates(16, 1300, 128, 1024, 4, 204);
    break;
  case 89:
    setLimits(1536, 24, 100);
    setRates(142, 2520, 128, 512, 96, 864);
    break;
  case 90:
  case 100:
    setLimits(2048, 32, 228);
    if (arch == 90)
      setRates(132, 1755, 128, 1270, 50, 3352);
    else
      setRates(148, 1850, 128, 1270, 126, 8000);
    model.l2CycleBytes = 42;
    model.l2Latency = 263;
    model.memoryLatency = 479;
    model.launchNanoseconds = 3000;
    break;
  case 120:
    setLimits(1536, 24, 100);
    setRates(170, 2407, 128, 256, 96, 1792);
    break;
  }
  return model;
}

Device getDevice(const GPUArch &arch) { return {arch, getModel(arch.number)}; }

std::string printDevice(const Device &device) {
  std::string text;
  raw_string_ostream stream(text);
  stream << "{arch = \"" << device.arch.getName() << "\", model = " << device.model << '}';
  return text;
}

Expected<Device> readDevice(StringRef text) {
  Expected<MachineRecord> record = MachineRecord::read(text, {"arch", "model"});
  if (!record)
    return record.takeError();
  auto name = record->get<mlir::StringAttr>("arch");
  std::optional<GPUArch> arch = name ? GPUArch::parse(name.getValue()) : std::nullopt;
  auto model = record->get<mlir::tssa::layout::DeviceAttr>("model");
  if (!arch)
    return createStringError("expected 'arch' to be the name of an architecture, such as sm_90");
  if (!model)
    return createStringError("expected 'model' to be a #layout.device");
  return Device{*arch, model.getModel()};
}

} // namespace tssa::cuda
