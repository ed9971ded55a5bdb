//===- Numeric.cpp - scalar operations of the evaluator -------------------===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numeric.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace mlir;
namespace reference = ::tssa::reference;
using namespace ::tssa::reference;

//===----------------------------------------------------------------------===//
// Floats: double represents all types, so one function serves all of them
//===----------------------------------------------------------------------===//

template <double (*function)(double)> static Scalar floatUnary(Scalar a, Width) {
  return makeFloat(function(a.f));
}
template <double (*function)(double, double)> static Scalar floatBinary(Scalar a, Scalar b, Width) {
  return makeFloat(function(a.f, b.f));
}

static double negate(double a) { return -a; }
static double rsqrt(double a) { return 1 / std::sqrt(a); }
/// Returns NaN if either operand is NaN. -0 is less than +0.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
static double minimum(double a, double b) { return -maximum(-a, -b); }

template <bool (*function)(double)> static Scalar classify(Scalar a, Width) {
  return makeInt(function(a.f) ? -1 : 0);
}
static bool isNaN(double a) { return std::isnan(a); }
static bool isInf(double a) { return std::isinf(a); }
static bool isFinite(double a) { return std::isfinite(a); }

static Scalar fusedMultiplyAdd(Scalar a, Scalar b, Scalar c, Width) {
  return makeFloat(std::fma(a.f, b.f, c.f));
}
/// Rounds once, to f32. A product and a sum in double would round twice.
static Scalar fusedMultiplyAddF32(Scalar a, Scalar b, Scalar c, Width) {
  return makeFloat(
      std::fma(static_cast<float>(a.f), static_cast<float>(b.f), static_cast<float>(c.f)));
}
static Scalar clamp(Scalar a, Scalar low, Scalar high, Width) {
  return makeFloat(minimum(maximum(a.f, low.f), high.f));
}
static Scalar powerByInteger(Scalar a, Scalar b, Width) {
  return makeFloat(std::pow(a.f, static_cast<double>(b.i)));
}

//===----------------------------------------------------------------------===//
// Integers: held sign-extended
//===----------------------------------------------------------------------===//

template <typename Function> static Scalar wrap(Width width, Function function) {
  return makeInt(signExtend(static_cast<int64_t>(function()), width.to));
}

#define SIGNED_BINARY(NAME, EXPRESSION)                                                            \
  static Scalar NAME(Scalar lhs, Scalar rhs, Width width) {                                        \
    int64_t a = lhs.i, b = rhs.i;                                                                  \
    (void)a, (void)b;                                                                              \
    return wrap(width, [&] { return EXPRESSION; });                                                \
  }
#define UNSIGNED_BINARY(NAME, EXPRESSION)                                                          \
  static Scalar NAME(Scalar lhs, Scalar rhs, Width width) {                                        \
    uint64_t a = zeroExtend(lhs.i, width.from), b = zeroExtend(rhs.i, width.from);                 \
    return wrap(width, [&] { return EXPRESSION; });                                                \
  }

UNSIGNED_BINARY(addInt, a + b)
UNSIGNED_BINARY(subInt, a - b)
UNSIGNED_BINARY(mulInt, a *b)
UNSIGNED_BINARY(andInt, a &b)
UNSIGNED_BINARY(orInt, a | b)
UNSIGNED_BINARY(xorInt, a ^ b)
SIGNED_BINARY(divSigned, a / b)
SIGNED_BINARY(remSigned, a % b)
SIGNED_BINARY(floorDivSigned, llvm::divideFloorSigned(a, b))
SIGNED_BINARY(ceilDivSigned, llvm::divideCeilSigned(a, b))
UNSIGNED_BINARY(divUnsigned, a / b)
UNSIGNED_BINARY(remUnsigned, a % b)
UNSIGNED_BINARY(ceilDivUnsigned, a / b + (a % b != 0))
SIGNED_BINARY(maxSigned, std::max(a, b))
SIGNED_BINARY(minSigned, std::min(a, b))
UNSIGNED_BINARY(maxUnsigned, std::max(a, b))
UNSIGNED_BINARY(minUnsigned, std::min(a, b))
// A shift by the width or more is undefined; here all bits are shifted out.
UNSIGNED_BINARY(shiftLeft, b < width.from ? a << b : 0)
UNSIGNED_BINARY(shiftRightUnsigned, b < width.from ? a >> b : 0)
SIGNED_BINARY(shiftRightSigned, a >> std::min<uint64_t>(zeroExtend(b, width.from), width.from - 1))

static Scalar powerOfIntegers(Scalar a, Scalar b, Width width) {
  if (b.i < 0)
    return makeInt(a.i == 1 ? 1 : a.i == -1 ? (b.i % 2 ? -1 : 1) : 0);
  uint64_t result = 1, base = static_cast<uint64_t>(a.i);
  for (int64_t exponent = b.i; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return wrap(width, [&] { return result; });
}

static Scalar absInt(Scalar a, Width width) {
  return wrap(width, [&] { return a.i < 0 ? 0 - static_cast<uint64_t>(a.i) : a.i; });
}
static Scalar countOnes(Scalar a, Width width) {
  return wrap(width, [&] { return llvm::popcount(zeroExtend(a.i, width.from)); });
}
static Scalar countLeadingZeros(Scalar a, Width width) {
  return wrap(width,
              [&] { return llvm::countl_zero(zeroExtend(a.i, width.from)) - (64 - width.from); });
}
static Scalar countTrailingZeros(Scalar a, Width width) {
  return wrap(width, [&] {
    return std::min<int>(llvm::countr_zero(zeroExtend(a.i, width.from)), width.from);
  });
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

static Scalar copy(Scalar a, Width) { return a; }
static Scalar extendUnsigned(Scalar a, Width width) {
  return makeInt(static_cast<int64_t>(zeroExtend(a.i, width.from)));
}
static Scalar truncate(Scalar a, Width width) { return makeInt(signExtend(a.i, width.to)); }
static Scalar signedToFloat(Scalar a, Width) { return makeFloat(static_cast<double>(a.i)); }
static Scalar unsignedToFloat(Scalar a, Width width) {
  return makeFloat(static_cast<double>(zeroExtend(a.i, width.from)));
}
/// A conversion of int64 to f32 through double would round twice.
static Scalar signedToF32(Scalar a, Width) { return makeFloat(static_cast<float>(a.i)); }
static Scalar unsignedToF32(Scalar a, Width width) {
  return makeFloat(static_cast<float>(zeroExtend(a.i, width.from)));
}
// The conversion of a float out of the range of the integer is undefined; here it saturates, and
// NaN becomes 0.
static Scalar floatToSigned(Scalar a, Width width) {
  if (std::isnan(a.f))
    return makeInt(0);
  double limit = std::ldexp(1.0, width.to - 1);
  auto least = static_cast<int64_t>(uint64_t(1) << 63) >> (64 - width.to);
  if (a.f >= limit)
    return makeInt(~least);
  return makeInt(a.f <= -limit ? least : static_cast<int64_t>(a.f));
}
static Scalar floatToUnsigned(Scalar a, Width width) {
  if (!(a.f > 0))
    return makeInt(0);
  if (a.f >= std::ldexp(1.0, width.to))
    return makeInt(-1);
  return makeInt(signExtend(static_cast<int64_t>(static_cast<uint64_t>(a.f)), width.to));
}

/// Reinterprets the bytes of `a` as another type.
template <ElementKind from, ElementKind to> static Scalar bitcast(Scalar a, Width) {
  uint8_t bytes[8] = {};
  storeElement(from, bytes, 0, a);
  return loadElement(to, bytes, 0);
}

static Unary getBitcast(Type from, Type to) {
  if (from == to)
    return copy;
  if (from.isF32() && to.isInteger(32))
    return bitcast<ElementKind::F32, ElementKind::I32>;
  if (from.isInteger(32) && to.isF32())
    return bitcast<ElementKind::I32, ElementKind::F32>;
  if (from.isF64() && to.isInteger(64))
    return bitcast<ElementKind::F64, ElementKind::I64>;
  if (from.isInteger(64) && to.isF64())
    return bitcast<ElementKind::I64, ElementKind::F64>;
  if (from.isF16() && to.isInteger(16))
    return bitcast<ElementKind::F16, ElementKind::I16>;
  if (from.isInteger(16) && to.isF16())
    return bitcast<ElementKind::I16, ElementKind::F16>;
  if (from.isBF16() && to.isInteger(16))
    return bitcast<ElementKind::BF16, ElementKind::I16>;
  if (from.isInteger(16) && to.isBF16())
    return bitcast<ElementKind::I16, ElementKind::BF16>;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// Possible outcomes of a float comparison, as bits of a set.
enum Relation { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

template <unsigned accepted> static Scalar compareFloat(Scalar a, Scalar b, Width) {
  unsigned relation = a.f < b.f ? Less : a.f > b.f ? Greater : a.f == b.f ? Equal : Unordered;
  return makeInt(relation & accepted ? -1 : 0);
}
template <unsigned accepted> static Scalar compareSigned(Scalar a, Scalar b, Width) {
  unsigned relation = a.i < b.i ? Less : a.i > b.i ? Greater : Equal;
  return makeInt(relation & accepted ? -1 : 0);
}
template <unsigned accepted> static Scalar compareUnsigned(Scalar a, Scalar b, Width width) {
  uint64_t lhs = zeroExtend(a.i, width.from), rhs = zeroExtend(b.i, width.from);
  unsigned relation = lhs < rhs ? Less : lhs > rhs ? Greater : Equal;
  return makeInt(relation & accepted ? -1 : 0);
}

static Binary getComparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return compareSigned<Equal>;
  case arith::CmpIPredicate::ne:
    return compareSigned<Less | Greater>;
  case arith::CmpIPredicate::slt:
    return compareSigned<Less>;
  case arith::CmpIPredicate::sle:
    return compareSigned<Less | Equal>;
  case arith::CmpIPredicate::sgt:
    return compareSigned<Greater>;
  case arith::CmpIPredicate::sge:
    return compareSigned<Greater | Equal>;
  case arith::CmpIPredicate::ult:
    return compareUnsigned<Less>;
  case arith::CmpIPredicate::ule:
    return compareUnsigned<Less | Equal>;
  case arith::CmpIPredicate::ugt:
    return compareUnsigned<Greater>;
  case arith::CmpIPredicate::uge:
    return compareUnsigned<Greater | Equal>;
  }
  llvm_unreachable("all predicates are handled");
}

static Binary getComparison(arith::CmpFPredicate predicate) {
  // In the order of the predicates: false, the ordered comparisons, ord, the unordered comparisons,
  // uno, true.
  static constexpr Binary comparisons[] = {
      compareFloat<0>,
      compareFloat<Equal>,
      compareFloat<Greater>,
      compareFloat<Greater | Equal>,
      compareFloat<Less>,
      compareFloat<Less | Equal>,
      compareFloat<Less | Greater>,
      compareFloat<Less | Equal | Greater>,
      compareFloat<Unordered | Equal>,
      compareFloat<Unordered | Greater>,
      compareFloat<Unordered | Greater | Equal>,
      compareFloat<Unordered | Less>,
      compareFloat<Unordered | Less | Equal>,
      compareFloat<Unordered | Less | Greater>,
      compareFloat<Unordered>,
      compareFloat<Unordered | Less | Equal | Greater>,
  };
  static_assert(static_cast<unsigned>(arith::CmpFPredicate::OEQ) == 1 &&
                static_cast<unsigned>(arith::CmpFPredicate::ORD) == 7 &&
                static_cast<unsigned>(arith::CmpFPredicate::UEQ) == 8 &&
                static_cast<unsigned>(arith::CmpFPredicate::UNO) == 14);
  return comparisons[static_cast<unsigned>(predicate)];
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

static const llvm::StringMap<Opcode> &getInlineOps() {
  static const llvm::StringMap<Opcode> table = {{"arith.addf", Opcode::AddF},
                                                {"arith.subf", Opcode::SubF},
                                                {"arith.mulf", Opcode::MulF},
                                                {"arith.divf", Opcode::DivF},
                                                {"arith.select", Opcode::Select}};
  return table;
}

static const llvm::StringMap<Unary> &getUnaryOps() {
  static const llvm::StringMap<Unary> table = {{"arith.negf", floatUnary<negate>},
                                               {"math.absf", floatUnary<std::fabs>},
                                               {"math.ceil", floatUnary<std::ceil>},
                                               {"math.floor", floatUnary<std::floor>},
                                               {"math.round", floatUnary<std::round>},
                                               {"math.roundeven", floatUnary<std::nearbyint>},
                                               {"math.trunc", floatUnary<std::trunc>},
                                               {"math.sqrt", floatUnary<std::sqrt>},
                                               {"math.rsqrt", floatUnary<rsqrt>},
                                               {"math.cbrt", floatUnary<std::cbrt>},
                                               {"math.exp", floatUnary<std::exp>},
                                               {"math.exp2", floatUnary<std::exp2>},
                                               {"math.expm1", floatUnary<std::expm1>},
                                               {"math.log", floatUnary<std::log>},
                                               {"math.log2", floatUnary<std::log2>},
                                               {"math.log10", floatUnary<std::log10>},
                                               {"math.log1p", floatUnary<std::log1p>},
                                               {"math.sin", floatUnary<std::sin>},
                                               {"math.cos", floatUnary<std::cos>},
                                               {"math.tan", floatUnary<std::tan>},
                                               {"math.asin", floatUnary<std::asin>},
                                               {"math.acos", floatUnary<std::acos>},
                                               {"math.atan", floatUnary<std::atan>},
                                               {"math.sinh", floatUnary<std::sinh>},
                                               {"math.cosh", floatUnary<std::cosh>},
                                               {"math.tanh", floatUnary<std::tanh>},
                                               {"math.asinh", floatUnary<std::asinh>},
                                               {"math.acosh", floatUnary<std::acosh>},
                                               {"math.atanh", floatUnary<std::atanh>},
                                               {"math.erf", floatUnary<std::erf>},
                                               {"math.erfc", floatUnary<std::erfc>},
                                               {"math.isnan", classify<isNaN>},
                                               {"math.isinf", classify<isInf>},
                                               {"math.isfinite", classify<isFinite>},
                                               {"math.absi", absInt},
                                               {"math.ctpop", countOnes},
                                               {"math.ctlz", countLeadingZeros},
                                               {"math.cttz", countTrailingZeros},
                                               {"arith.extf", copy},
                                               {"arith.truncf", copy},
                                               {"arith.extsi", copy},
                                               {"arith.extui", extendUnsigned},
                                               {"arith.trunci", truncate},
                                               {"arith.index_cast", truncate},
                                               {"arith.sitofp", signedToFloat},
                                               {"arith.uitofp", unsignedToFloat},
                                               {"arith.fptosi", floatToSigned},
                                               {"arith.fptoui", floatToUnsigned}};
  return table;
}

static const llvm::StringMap<Binary> &getBinaryOps() {
  static const llvm::StringMap<Binary> table = {{"arith.remf", floatBinary<std::fmod>},
                                                {"arith.maximumf", floatBinary<maximum>},
                                                {"arith.minimumf", floatBinary<minimum>},
                                                {"arith.maxnumf", floatBinary<std::fmax>},
                                                {"arith.minnumf", floatBinary<std::fmin>},
                                                {"math.atan2", floatBinary<std::atan2>},
                                                {"math.copysign", floatBinary<std::copysign>},
                                                {"math.powf", floatBinary<std::pow>},
                                                {"math.fpowi", powerByInteger},
                                                {"math.ipowi", powerOfIntegers},
                                                {"arith.addi", addInt},
                                                {"arith.subi", subInt},
                                                {"arith.muli", mulInt},
                                                {"arith.andi", andInt},
                                                {"arith.ori", orInt},
                                                {"arith.xori", xorInt},
                                                {"arith.maxsi", maxSigned},
                                                {"arith.minsi", minSigned},
                                                {"arith.maxui", maxUnsigned},
                                                {"arith.minui", minUnsigned},
                                                {"arith.shli", shiftLeft},
                                                {"arith.shrsi", shiftRightSigned},
                                                {"arith.shrui", shiftRightUnsigned},
                                                {"arith.divsi", divSigned},
                                                {"arith.remsi", remSigned},
                                                {"arith.floordivsi", floorDivSigned},
                                                {"arith.ceildivsi", ceilDivSigned},
                                                {"arith.divui", divUnsigned},
                                                {"arith.remui", remUnsigned},
                                                {"arith.ceildivui", ceilDivUnsigned}};
  return table;
}

static unsigned getWidth(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? integer.getWidth() : 64;
}

static Opcode getBinaryOpcode(Operation *op) {
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
    return Opcode::DivideSigned;
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op))
    return Opcode::DivideUnsigned;
  return Opcode::Binary;
}

/// Sets opcode and function of `in`. Returns false if the op is not known.
static bool fillFunction(Operation *op, Instruction &in) {
  StringRef name = op->getName().getStringRef();
  if (auto it = getInlineOps().find(name); it != getInlineOps().end()) {
    in.opcode = it->second;
    return true;
  }
  bool toF32 = op->getNumResults() == 1 && op->getResult(0).getType().isF32();
  if (auto it = getUnaryOps().find(name); it != getUnaryOps().end()) {
    in.opcode = Opcode::Unary;
    in.unary = it->second;
    if (toF32 && isa<arith::SIToFPOp>(op))
      in.unary = signedToF32;
    if (toF32 && isa<arith::UIToFPOp>(op))
      in.unary = unsignedToF32;
    return true;
  }
  if (auto it = getBinaryOps().find(name); it != getBinaryOps().end()) {
    in.opcode = getBinaryOpcode(op);
    in.binary = it->second;
    return true;
  }
  if (name == "arith.bitcast") {
    in.opcode = Opcode::Unary;
    in.unary = getBitcast(op->getOperand(0).getType(), op->getResult(0).getType());
    return in.unary != nullptr;
  }
  if (name == "arith.index_castui") {
    in.opcode = Opcode::Unary;
    in.unary = in.width.from < 64 ? extendUnsigned : truncate;
    return true;
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    in.opcode = Opcode::Binary;
    in.binary = getComparison(compare.getPredicate());
    return true;
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    in.opcode = Opcode::Binary;
    in.binary = getComparison(compare.getPredicate());
    return true;
  }
  if (name == "math.fma" || name == "math.clampf") {
    in.opcode = Opcode::Ternary;
    in.ternary = name == "math.clampf" ? clamp : toF32 ? fusedMultiplyAddF32 : fusedMultiplyAdd;
    return true;
  }
  return false;
}

std::optional<Instruction> reference::getScalarInstruction(Operation *op) {
  auto isScalar = [](Type type) {
    return type.isIndex() || isa<FloatType>(type) ||
           (isa<IntegerType>(type) && getWidth(type) <= 64);
  };
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 || op->getNumRegions() ||
      !llvm::all_of(op->getOperandTypes(), isScalar) || !isScalar(op->getResult(0).getType()))
    return std::nullopt;
  Type resultType = op->getResult(0).getType();
  Instruction in;
  in.width.from = getWidth(op->getOperand(op->getNumOperands() > 1 ? 1 : 0).getType());
  in.width.to = getWidth(resultType);
  if (!fillFunction(op, in))
    return std::nullopt;
  if (isa<FloatType>(resultType)) {
    llvm::Expected<ElementKind> kind = getElementKind(resultType);
    if (!kind) {
      consumeError(kind.takeError());
      return std::nullopt;
    }
    in.rounding = *kind;
  }
  return in;
}

std::optional<Scalar> reference::getScalar(Attribute attribute) {
  if (auto value = dyn_cast<FloatAttr>(attribute)) {
    APFloat number = value.getValue();
    bool lossy;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
    return makeFloat(number.convertToDouble());
  }
  if (auto value = dyn_cast<IntegerAttr>(attribute))
    if (value.getValue().getBitWidth() <= 64)
      return makeInt(value.getValue().getSExtValue());
  return std::nullopt;
}
