//===- DeviceKernel.cpp - how kernels run on a GPU -===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceKernel.h"
#include "dialects/layout/IR/LayoutOps.h"
#include "dialects/te/IR/ElementBytes.h"
#include "dialects/te/IR/Program.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tssa/Target/CUDA.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tssa;
using namespace ::tssa::conversion;
using namespace ::tssa::cuda;

/// The size in bytes of the widest access, which is also the alignment of tensors and shared
/// buffers.
static constexpr int64_t widestAccess = 16;

/// A te.update may write to the memory of its base.
DeviceKernel::DeviceKernel(te::KernelOp kernel)
    : numRead(kernel.getBodyBlock().getOps<te::UpdateOp>().empty() ? kernel.getNumArguments() : 0) {
}

ArrayRef<layout::Level> DeviceKernel::getLevels() const {
  static constexpr layout::Level levels[] = {layout::Level::Block, layout::Level::Lane,
                                             layout::Level::Warp};
  return levels;
}

void DeviceKernel::buildIterations(IndexBuilder &index, func::FuncOp func,
                                   function_ref<void(Value)> body) {
  constexpr int64_t mostBlocks =
      std::numeric_limits<int32_t>::max(); // CUDA C++ guide, "Compute Capabilities"
  body(gpu::BlockIdOp::create(index.getBuilder(), index.getLoc(), gpu::Dimension::x,
                              index.getBuilder().getIndexAttr(mostBlocks)));
}

Value DeviceKernel::buildGrain(IndexBuilder &index, Value count, AffineExpr work) {
  return index.constant(1);
}

Value DeviceKernel::makeScratch(OpBuilder &builder, Location loc, func::FuncOp func,
                                MemRefType type, Value size) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&func.getBody().front());
  return memref::AllocaOp::create(builder, loc, type, builder.getI64IntegerAttr(widestAccess));
}

void DeviceKernel::buildFailure(IndexBuilder &index, Value errors) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  Value one = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
  memref::AtomicRMWOp::create(builder, loc, arith::AtomicRMWKind::ori, one, errors,
                              ValueRange{index.constant(0)});
}

/// Says of the first `count` parameters that nothing writes the elements that the kernel reads of
/// them, so that LLVM loads them through the cache for constants. Results are not marked: to LLVM,
/// barriers would order no accesses to them, but threads may read what others have written.
static void markOperands(func::FuncOp func, unsigned count) {
  auto unit = UnitAttr::get(func.getContext());
  for (unsigned i = 0; i < count; ++i)
    if (isa<MemRefType>(func.getArgumentTypes()[i]))
      func.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(), unit);
}

LogicalResult DeviceKernel::finish(func::FuncOp func) {
  int64_t most = layout::getDeviceModel(func->getParentOfType<ModuleOp>()).blockSharedBytes;
  if (mostSharedBytes > most)
    return func.emitError("kernel '")
           << func.getSymName() << "' needs " << mostSharedBytes
           << " bytes of shared memory, more than the " << most << " that a device has";
  te::setBlock(func, te::BlockAttr::get(func.getContext(), count, mostSharedBytes));
  markOperands(func, numRead);
  return success();
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Returns the address of lane 0 if the lanes are contiguous and lane 0 is aligned to the size of
/// the vector, or to that of the widest access if that is less. Otherwise returns null.
static AffineExpr getWideAccess(IndexBuilder &index, const LaneAccess &access) {
  AffineExpr first = index.getFirstOfRun(access.address, access.laneDim);
  if (!first || !llvm::isPowerOf2_64(access.getLanes()))
    return {};
  int64_t widest = widestAccess / te::getElementBytes(access.type.getElementType());
  AffineExpr rest = index.simplify(first % std::min(access.getLanes(), widest));
  return rest == getAffineConstantExpr(0, index.getContext()) ? first : AffineExpr();
}

static llvm::MaybeAlign getAlignment(VectorType type) {
  int64_t bytes = type.getNumElements() * te::getElementBytes(type.getElementType());
  return llvm::MaybeAlign(std::min(bytes, widestAccess));
}

/// Returns the address of each lane.
static SmallVector<Value> getLaneAddresses(IndexBuilder &index, const LaneAccess &access) {
  AffineExpr lane = getAffineDimExpr(access.laneDim, index.getContext());
  SmallVector<Value> addresses;
  auto at = [&](int64_t i) {
    return access.address.replace(lane, getAffineConstantExpr(i, index.getContext()));
  };
  if (!index.hasLanes(at(0))) {
    for (int64_t i = 0; i < access.getLanes(); ++i)
      addresses.push_back(index.materialize(index.simplify(at(i))));
    return addresses;
  }
  Value all = index.materializeLanes(access.address, access.laneDim, access.getLanes());
  for (int64_t i = 0; i < access.getLanes(); ++i)
    addresses.push_back(
        vector::ExtractOp::create(index.getBuilder(), index.getLoc(), all, ArrayRef<int64_t>{i}));
  return addresses;
}

static Value extract(IndexBuilder &index, Value vector, int64_t lane) {
  return vector::ExtractOp::create(index.getBuilder(), index.getLoc(), vector,
                                   ArrayRef<int64_t>{lane});
}

Value DeviceKernel::buildLoad(IndexBuilder &index, const LaneAccess &access, Value mask,
                              Value pad) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  if (AffineExpr first = mask ? AffineExpr() : getWideAccess(index, access))
    return vector::LoadOp::create(builder, loc, access.type, access.memref,
                                  ValueRange{index.materialize(first)}, /*nontemporal=*/false,
                                  getAlignment(access.type));
  SmallVector<Value> elements;
  for (auto [lane, address] : llvm::enumerate(getLaneAddresses(index, access))) {
    auto load = [&, address = address](OpBuilder &inner) -> Value {
      return memref::LoadOp::create(inner, loc, access.memref, ValueRange{address});
    };
    if (!mask) {
      elements.push_back(load(builder));
      continue;
    }
    Value padElement = extract(index, pad, lane);
    auto branch = scf::IfOp::create(
        builder, loc, extract(index, mask, lane),
        [&](OpBuilder &inner, Location) { scf::YieldOp::create(inner, loc, load(inner)); },
        [&](OpBuilder &inner, Location) { scf::YieldOp::create(inner, loc, padElement); });
    elements.push_back(branch.getResult(0));
  }
  return vector::FromElementsOp::create(builder, loc, access.type, elements);
}

void DeviceKernel::buildStore(IndexBuilder &index, const LaneAccess &access, Value mask,
                              Value value) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  if (AffineExpr first = mask ? AffineExpr() : getWideAccess(index, access)) {
    vector::StoreOp::create(builder, loc, value, access.memref,
                            ValueRange{index.materialize(first)}, /*nontemporal=*/false,
                            getAlignment(access.type));
    return;
  }
  for (auto [lane, address] : llvm::enumerate(getLaneAddresses(index, access))) {
    Value element = extract(index, value, lane);
    OpBuilder::InsertionGuard guard(builder);
    if (mask) {
      auto branch = scf::IfOp::create(builder, loc, extract(index, mask, lane),
                                      /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
    }
    memref::StoreOp::create(builder, loc, element, access.memref, ValueRange{address});
  }
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Value DeviceKernel::buildNumber(IndexBuilder &index) {
  return gpu::ThreadIdOp::create(index.getBuilder(), index.getLoc(), gpu::Dimension::x,
                                 index.getBuilder().getIndexAttr(count));
}

void DeviceKernel::buildBarrier(IndexBuilder &index) {
  gpu::BarrierOp::create(index.getBuilder(), index.getLoc());
}

/// Exchanges one 32-bit word with the partner thread.
static Value exchangeWord(OpBuilder &builder, Location loc, Value word, int64_t distance) {
  return gpu::ShuffleOp::create(builder, loc, word, static_cast<int32_t>(distance),
                                static_cast<int32_t>(layout::DeviceModel::warp),
                                gpu::ShuffleMode::XOR)
      .getShuffleResult();
}

Value DeviceKernel::buildExchange(IndexBuilder &index, Value value, int64_t distance) {
  OpBuilder &builder = index.getBuilder();
  Location loc = index.getLoc();
  Type type = value.getType(), wordType = builder.getI32Type();
  if (type.isIndex()) {
    Value bits = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
    return arith::IndexCastOp::create(builder, loc, type, buildExchange(index, bits, distance));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  Type bitsType = builder.getIntegerType(width);
  Value bits = isa<FloatType>(type)
                   ? arith::BitcastOp::create(builder, loc, bitsType, value).getResult()
                   : value;
  if (width == 64) {
    auto words = VectorType::get(2, wordType), whole = VectorType::get(1, bitsType);
    bits = vector::FromElementsOp::create(builder, loc, whole, bits);
    Value pair = vector::BitCastOp::create(builder, loc, words, bits);
    SmallVector<Value> exchanged;
    for (int64_t i : {0, 1})
      exchanged.push_back(exchangeWord(builder, loc, extract(index, pair, i), distance));
    pair = vector::FromElementsOp::create(builder, loc, words, exchanged);
    bits = extract(index, vector::BitCastOp::create(builder, loc, whole, pair), 0);
  } else if (width == 32) {
    bits = exchangeWord(builder, loc, bits, distance);
  } else {
    Value word = arith::ExtUIOp::create(builder, loc, wordType, bits);
    word = exchangeWord(builder, loc, word, distance);
    bits = arith::TruncIOp::create(builder, loc, bitsType, word);
  }
  return isa<FloatType>(type) ? arith::BitcastOp::create(builder, loc, type, bits).getResult()
                              : bits;
}

Value DeviceKernel::makeShared(OpBuilder &builder, Location loc, func::FuncOp func,
                               MemRefType type) {
  OpBuilder::InsertionGuard guard(builder);
  MLIRContext *context = builder.getContext();
  auto space = gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  builder.setInsertionPointToStart(&func.getBody().front());
  if (!sharedMemory)
    sharedMemory = gpu::DynamicSharedMemoryOp::create(
        builder, loc,
        MemRefType::get({ShapedType::kDynamic}, builder.getI8Type(), MemRefLayoutAttrInterface(),
                        space));
  builder.setInsertionPointAfterValue(sharedMemory);
  Value offset = arith::ConstantIndexOp::create(builder, loc, sharedBytes);
  int64_t bytes = type.getNumElements() * te::getElementBytes(type.getElementType());
  sharedBytes += llvm::alignTo(bytes, widestAccess);
  mostSharedBytes = std::max(mostSharedBytes, sharedBytes);
  auto viewType =
      MemRefType::get(type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(), space);
  return memref::ViewOp::create(builder, loc, viewType, sharedMemory, offset, ValueRange());
}

void DeviceKernel::reuseShared(function_ref<void()> body) {
  int64_t before = sharedBytes;
  body();
  sharedBytes = before;
}
