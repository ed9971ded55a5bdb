//===- DeviceDraft.cpp - the time of a product on a GPU -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "dialects/layout/Template/DeviceDraft.h"
#include "dialects/layout/Analysis/CodeRules.h"
#include "dialects/te/IR/AssumedSize.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace mlir::tssa::layout;

/// The shares of rates that kernels get. They were set before any comparison and reproduce
/// published times of products of f16 on an A100 (Triton's tutorial, sizes 768 to 4096) within 12
/// %.
static constexpr double tensorShare = 0.8, issueShare = 0.8, sharedShare = 0.85, l2Share = 0.75,
                        memoryShare = 0.9;
static constexpr int64_t warp = DeviceModel::warp;
/// Cycles of a barrier with the loop around it, and of the first and the last part of a block.
static constexpr double barrierCycles = 60, epilogueCycles = 150;
/// Warps that issue in one cycle, and bytes that shared memory takes or gives in one.
static constexpr double schedulers = 4, sharedCycleBytes = 128;
/// Registers of a thread beside its sums and fragments, as ptxas gives them, and for sizes that
/// only a run knows.
static constexpr int64_t otherRegisters = 72, openRegisters = 32, mostRegisters = 255;

/// Counted from machine code for tiles of warps of 32 x 64 and 64 x 64 sums: beside products and
/// loads, four instructions for each copy of a thread, and thirty for the loop.
static constexpr double computedElement = 12; ///< instructions, where no copy can bring it
static constexpr double copyInstructions = 4, guardInstructions = 6;

/// Returns the bytes of the sums that all but the first of the warps which share steps store.
static int64_t getPartialBytes(const DevicePoint &point) {
  return (point.split - 1) * point.rows * point.columns * static_cast<int64_t>(sizeof(float));
}

/// What the fills of a tile of lanes need: registers for an element that a lane fills of the box of
/// which it fills less, the same if a box is loaded in vectors, and instructions for an element.
struct LaneFill {
  double registers, runRegisters, instructions;
};
/// Counted from machine code of 170 tiles, without and with guards of what they read. Registers of
/// the tiles that are chosen are within 15 %.
static constexpr LaneFill plainFill = {2.5, 0.5, 2.5}, guardedFill = {5, 1.5, 3.7};
/// Registers for a sum of four bytes, beside sums and fills, and for windows; instructions for the
/// loop.
static constexpr double sumRegisters = 0.95, laneRegisters = 55, windowRegisters = 10,
                        loopInstructions = 13;
/// The most elements that a lane fills in a loop that is unrolled, and the least products of a lane
/// in an iteration: a loop with fewer is unrolled itself, and needs all registers.
static constexpr int64_t mostFilled = 24, leastProducts = 64;
/// By which rows in shared memory are longer than needed if they are filled along columns.
static constexpr int64_t paddingBytes = 16;

static DeviceResources getAtomResources(const DeviceProduct &product, const DevicePoint &point) {
  const Atom &atom = *product.atom;
  int64_t warps = point.getWarps(), steps = point.getBlockSteps();
  double rows = static_cast<double>(point.rows / point.warpsDown) / atom.rows;
  double columns = static_cast<double>(point.columns / point.warpsAcross) / atom.columns;
  double rounds = static_cast<double>(point.steps) / atom.steps;
  DeviceResources needs;
  needs.threads = point.getThreads();
  needs.registers = static_cast<int64_t>(rows * columns * 4 + rows * 4 + columns * 2) +
                    otherRegisters + (product.isOpen ? openRegisters : 0);
  needs.filledBytes =
      static_cast<double>((point.rows + point.columns) * steps * product.factorBytes);
  needs.sharedBytes =
      static_cast<int64_t>(needs.filledBytes) * point.depth + getPartialBytes(point);
  double products = rows * columns * rounds, loads = (rows + columns / 2) * rounds;
  needs.instructions = products + 30;
  for (auto [number, extent] : {std::pair(0, point.rows), std::pair(1, point.columns)}) {
    bool hasRowsOfSteps = product.hasRowsOfSteps[number];
    needs.sharedBytes +=
        (hasRowsOfSteps ? extent : steps) * atom.getPaddingBytes(hasRowsOfSteps) * point.depth;
    double perLoad = atom.loadsElements(hasRowsOfSteps) ? 4 : 1; // instructions instead of one
    needs.instructions += (number == 0 ? rows : columns / 2) * rounds * perLoad;
    double elements = static_cast<double>(extent * steps) / static_cast<double>(needs.threads);
    double copies = elements * static_cast<double>(product.factorBytes) / 16;
    double guard = product.isGuarded[number] ? guardInstructions : 0;
    needs.instructions += product.isCopied[number] ? copies * (copyInstructions + guard)
                                                   : elements * (computedElement + guard);
  }
  needs.multiplyAdds = products * static_cast<double>(atom.rows * atom.columns * atom.steps);
  // Rows of less than 128 bytes are filled with conflicts.
  bool isShort = std::min(product.getRowBytes(0, point.rows, steps),
                          product.getRowBytes(1, point.columns, steps)) < 128;
  double turns = isShort ? 2 : 1;
  needs.sharedCycles =
      static_cast<double>(warps) * loads * 4 + turns * needs.filledBytes / sharedCycleBytes;
  return needs;
}

/// Returns the sets of sums of a product of lanes: those of long sums have one for each block of
/// them.
static int64_t countSums(const DeviceProduct &product) {
  return product.isOpen || product.numSteps * product.numWindows > longestSum ? 2 : 1;
}

/// Adds to `needs` that a lane reads the factors of `extent` rows or columns of its tile in each
/// step, where `lanes` lanes of its warp read different ones: a vector of all of them takes as many
/// cycles as it has parts of 128 bytes.
static void addLoads(DeviceResources &needs, int64_t extent, int64_t lanes,
                     const DeviceProduct &product, const DevicePoint &point) {
  int64_t bytes = extent * product.getLaneBytes();
  int64_t loads = llvm::divideCeil(bytes, 16) * point.steps;
  int64_t cycles = llvm::divideCeil(bytes * lanes, static_cast<int64_t>(sharedCycleBytes));
  needs.instructions += static_cast<double>(loads);
  needs.sharedCycles += static_cast<double>(loads * cycles * (needs.threads / warp));
}

/// Returns the instructions with which a lane fills `elements` elements of the box of factor
/// `number`. Vectors along steps are stored element by element, since steps are the columns of the
/// box.
static double countFills(const DeviceProduct &product, unsigned number, int64_t elements,
                         const LaneFill &fill) {
  auto count = static_cast<double>(elements);
  int64_t run = std::max<int64_t>(16 / product.getLaneBytes(), 1);
  int64_t width = std::min<int64_t>(run, elements & -elements);
  if (!product.isCopied[number] || width < 2)
    return count * fill.instructions;
  double vectors = count / static_cast<double>(width);
  return vectors + (product.hasRowsOfSteps[number] ? count : vectors);
}

static DeviceResources getLaneResources(const DeviceProduct &product, const DevicePoint &point) {
  DeviceResources needs;
  needs.threads = point.getThreads();
  int64_t elements = (point.rows + point.columns) * point.steps;
  int64_t sums = point.laneRows * point.laneColumns;
  auto filled = static_cast<double>(elements) / static_cast<double>(needs.threads);
  const LaneFill &fill = product.hasGuards ? guardedFill : plainFill;
  double words = static_cast<double>(product.getLaneBytes()) / sizeof(float);
  double smaller = filled * static_cast<double>(std::min(point.rows, point.columns)) /
                   static_cast<double>(point.rows + point.columns);
  bool hasRuns = product.isCopied[0] || product.isCopied[1];
  double fillRegisters = hasRuns ? fill.runRegisters : fill.registers;
  double values =
      static_cast<double>(sums * countSums(product)) * sumRegisters + smaller * fillRegisters;
  // Each sum may be beyond an open end: 1.5 registers for it, as counted.
  needs.registers = static_cast<int64_t>(values * words + laneRegisters +
                                         (product.numWindows > 1 ? windowRegisters : 0)) +
                    (product.hasOpenTiles ? sums * 3 / 2 : 0);
  needs.filledBytes = static_cast<double>(elements * product.factorBytes);
  int64_t padding = 2 * paddingBytes * point.steps;
  needs.sharedBytes = elements * product.getLaneBytes() + padding;
  needs.multiplyAdds = static_cast<double>(sums * point.steps * warp);
  needs.instructions = static_cast<double>(sums * point.steps) + loopInstructions +
                       countFills(product, 0, point.rows * point.steps / needs.threads, fill) +
                       countFills(product, 1, point.columns * point.steps / needs.threads, fill);
  needs.sharedCycles = static_cast<double>(elements * product.getLaneBytes()) / sharedCycleBytes;
  addLoads(needs, point.laneRows, point.getLanesDown(), product, point);
  addLoads(needs, point.laneColumns, point.getLanesAcross(), product, point);
  return needs;
}

DeviceResources layout::getResources(const DeviceProduct &product, const DevicePoint &point) {
  return point.usesAtom ? getAtomResources(product, point) : getLaneResources(product, point);
}

const char *layout::findObstacle(const DeviceProduct &product, const DevicePoint &point,
                                 const DeviceModel &device) {
  DeviceResources needs = getResources(product, point);
  if (needs.registers > mostRegisters)
    return "too many registers of a thread";
  if (needs.sharedBytes > device.blockSharedBytes)
    return "too much shared memory of a block";
  if (countResidentBlocks(needs, device) == 0)
    return "too many registers or threads of a multiprocessor";
  if (point.usesAtom)
    return nullptr;
  if (point.rows * point.steps % needs.threads != 0 ||
      point.columns * point.steps % needs.threads != 0)
    return "factors that threads cannot share evenly";
  if ((point.rows + point.columns) * point.steps > mostFilled * needs.threads)
    return "too many elements that a lane fills";
  if (point.laneRows * point.laneColumns * point.steps < leastProducts)
    return "too few products of a lane in an iteration";
  return nullptr;
}

int64_t layout::countResidentBlocks(const DeviceResources &resources, const DeviceModel &device) {
  constexpr int64_t reserved = 1 << 10; // bytes of each block
  if (resources.registers > mostRegisters || resources.sharedBytes > device.blockSharedBytes)
    return 0;
  return std::min({device.blocks, device.threads / resources.threads,
                   device.registers / (resources.registers * resources.threads),
                   device.sharedBytes / (resources.sharedBytes + reserved)});
}

namespace {
class TimeModel {
public:
  TimeModel(const DeviceProduct &product, const DevicePoint &point, const DeviceModel &device)
      : product(product), point(point), device(device), needs(getResources(product, point)) {}

  std::optional<double> predict() const {
    if (findObstacle(product, point, device))
      return std::nullopt;
    int64_t resident = countResidentBlocks(needs, device);
    double iterations = static_cast<double>(product.numWindows) *
                        countBlocks(product.numSteps, point.getBlockSteps());
    double blocks = countBlocks(product.numRows, point.rows) *
                    countBlocks(product.numColumns, point.columns) *
                    static_cast<double>(product.numBatches);
    double perWave = static_cast<double>(device.processors * resident), cycles = 0;
    double full = std::floor(blocks / perWave), rest = blocks - full * perWave;
    cycles += full * getWave(static_cast<double>(resident), iterations);
    if (rest > 0)
      cycles += getWave(std::ceil(rest / static_cast<double>(device.processors)), iterations);
    double microseconds = std::max(cycles / static_cast<double>(device.megahertz), getMemoryTime());
    return microseconds + static_cast<double>(device.launchNanoseconds) / 1000;
  }

private:
  static double countBlocks(int64_t count, int64_t size) {
    return static_cast<double>(llvm::divideCeil(count, size));
  }

  /// Cycles of blocks of which a multiprocessor has `count` at a time.
  double getWave(double count, double iterations) const {
    double stored = static_cast<double>(point.rows * point.columns * product.resultBytes);
    double partial = 2 * count * static_cast<double>(getPartialBytes(point)) / sharedCycleBytes;
    return static_cast<double>(device.memoryLatency) + iterations * getIteration(count) +
           (point.split == 1 ? 0 : barrierCycles + partial / sharedShare) + epilogueCycles +
           2 * count * stored / 64;
  }

  double getIteration(double count) const {
    double busy = getBusy(count), latency = static_cast<double>(device.l2Latency);
    bool waits = !point.usesAtom || !product.isCopied[0] || !product.isCopied[1];
    if (waits) // a block waits for its factors before it computes
      return std::max(busy, getBusy(1) + latency + 100);
    return std::max(busy, latency / static_cast<double>(std::max<int64_t>(point.depth - 1, 1)) +
                              barrierCycles);
  }

  /// The time of the scarcest resource. A warp issues on one of the schedulers, beside which its
  /// part of the units for products is.
  double getBusy(double count) const {
    double warps = count * static_cast<double>(needs.threads / warp);
    double usedPart = std::min(1.0, warps / schedulers);
    double rate = point.usesAtom ? static_cast<double>(device.matrixMultiplyAdds) *
                                       product.atom->rate * tensorShare
                                 : static_cast<double>(device.multiplyAdds) * issueShare;
    return std::max(
        {warps * needs.multiplyAdds / (rate * usedPart),
         warps * needs.instructions / (schedulers * usedPart * issueShare),
         count * needs.sharedCycles / sharedShare,
         count * needs.filledBytes / static_cast<double>(device.l2CycleBytes) / l2Share});
  }

  /// Microseconds in which memory brings both factors once and takes the result. Windows that
  /// overlap read the data again from a cache.
  double getMemoryTime() const {
    auto batches = static_cast<double>(product.numBatches);
    auto rows = static_cast<double>(product.numRows),
         columns = static_cast<double>(product.numColumns);
    auto windows = static_cast<double>(product.numWindows);
    double factors = (rows + columns * windows) * static_cast<double>(product.numSteps);
    double bytes = batches * (factors * static_cast<double>(product.factorBytes) +
                              rows * columns * static_cast<double>(product.resultBytes));
    return bytes / (static_cast<double>(device.memoryMegabytes) * memoryShare);
  }

  const DeviceProduct &product;
  const DevicePoint &point;
  const DeviceModel &device;
  DeviceResources needs;
};
} // namespace

/// Returns, of those of `choices` that take as long as the fastest one within what the draft can
/// tell, the tile of lanes with the least instructions for a product.
static DeviceChoice chooseLeastWork(const DeviceProduct &product, ArrayRef<DeviceChoice> choices,
                                    double fastest) {
  constexpr double certainty = 1.03;
  DeviceChoice best;
  double least = std::numeric_limits<double>::infinity();
  for (const DeviceChoice &choice : choices) {
    DeviceResources needs = getResources(product, choice.point);
    double work = needs.instructions / needs.multiplyAdds;
    if (choice.point.usesAtom || choice.microseconds > certainty * fastest || work >= least)
      continue;
    best = choice;
    least = work;
  }
  return best;
}

std::optional<DeviceChoice> layout::chooseDevicePoint(const DeviceProduct &product,
                                                      const DeviceModel &device) {
  std::optional<DeviceChoice> best;
  SmallVector<DeviceChoice, 0> choices;
  for (const DevicePoint &point : getDevicePoints(product)) {
    std::optional<double> predicted = predictMicroseconds(product, point, device);
    if (!predicted)
      continue;
    choices.push_back({point, *predicted});
    if (!best || *predicted < best->microseconds)
      best = choices.back();
  }
  return best && !best->point.usesAtom ? chooseLeastWork(product, choices, best->microseconds)
                                       : best;
}

std::optional<double> layout::predictMicroseconds(const DeviceProduct &product,
                                                  const DevicePoint &point,
                                                  const DeviceModel &device) {
  return TimeModel(product, point, device).predict();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static double getLaunchTime(const DeviceModel &device) {
  return static_cast<double>(device.launchNanoseconds) / 1000;
}

/// Returns the microseconds in which the second-level cache brings `cached` bytes and memory `far`
/// bytes.
static double getMoveTime(double cached, double far, const DeviceModel &device) {
  auto rate = static_cast<double>(device.l2CycleBytes * device.processors * device.megahertz);
  return std::max(cached / (rate * l2Share),
                  far / (static_cast<double>(device.memoryMegabytes) * memoryShare));
}

double layout::predictMoves(double bytes, const DeviceModel &device) {
  return getMoveTime(bytes, bytes, device) + getLaunchTime(device);
}

double layout::predictSteps(double steps, const DeviceModel &device) {
  constexpr double ahead = 8; // steps whose values are on their way, since loops are unrolled
  return steps * static_cast<double>(device.memoryLatency) / ahead /
         static_cast<double>(device.megahertz);
}

double layout::predictTransposition(double bytes, const DeviceModel &device) {
  auto width = static_cast<double>(sizeof(float)); // a sector is used by several warps
  return getMoveTime(bytes / 2 * (1 + sectorBytes / width), bytes, device) + getLaunchTime(device);
}

double layout::countPoints(ArrayRef<int64_t> sizes) {
  double count = 1;
  for (int64_t size : sizes)
    count *= static_cast<double>(te::assumeSize(size, te::SizeRole::Threads));
  return count;
}

/// Returns the bytes of sectors that an access moves at each point, if lanes run along `dim`.
static double getPointBytes(const Access &access, unsigned dim) {
  auto bytes = static_cast<double>(access.getElementBytes());
  switch (access.getStrideKind(dim, /*count=*/2)) {
  case StrideKind::Invariant:
    return bytes / DeviceModel::warp;
  case StrideKind::Contiguous:
    return bytes;
  case StrideKind::Strided:
    return std::max(bytes, sectorBytes);
  }
  llvm_unreachable("a stride has one of three kinds");
}

/// Returns the microseconds of `accesses` if lanes run along `dim`.
static double getAccessTime(te::ComputeOp op, ArrayRef<Access> accesses, unsigned dim,
                            const DeviceModel &device) {
  double cached = 0, far = 0;
  for (const Access &access : accesses) {
    bool isInSteps = isReadInSteps(op, access);
    unsigned numDims = isInSteps ? op.getNumDims() : op.getNumParallel();
    unsigned along = dim < numDims ? dim : op.getNumParallel() - 1;
    double moved =
        countPoints(op.getStaticSizes().take_front(numDims)) * getPointBytes(access, along);
    te::ReadOp read = access.getRead();
    double once = countPoints(read ? read.getSourceType().getShape()
                                   : op.getStaticSizes().take_front(op.getNumParallel()));
    cached += moved;
    far += std::min(moved, once * static_cast<double>(access.getElementBytes()));
  }
  return getMoveTime(cached, far, device);
}

double layout::predictMicroseconds(te::ComputeOp op, ArrayRef<Access> accesses,
                                   const DeviceModel &device) {
  std::optional<DeviceProduct> product = matchDeviceProduct(op);
  if (std::optional<DeviceChoice> choice =
          product ? chooseDevicePoint(*product, device) : std::nullopt)
    return choice->microseconds;
  if (op.getNumDims() == 0)
    return getLaunchTime(device);
  unsigned last = op.getNumDims() - 1;
  double time = getAccessTime(op, accesses, last, device);
  if (op.hasReduction() && op.getNumParallel() != 0)
    time = std::min(time, getAccessTime(op, accesses, op.getNumParallel() - 1, device));
  return time + getLaunchTime(device);
}
