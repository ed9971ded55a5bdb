// RUN: tssa-opt %s --te-evaluate=function=integers | FileCheck %s --check-prefix=INTEGERS
// RUN: tssa-opt %s --te-evaluate=function=floats | FileCheck %s --check-prefix=FLOATS
// RUN: tssa-opt %s --te-evaluate=function=halves | FileCheck %s --check-prefix=HALVES
// RUN: tssa-opt %s --te-evaluate=function=casts | FileCheck %s --check-prefix=CASTS
// RUN: tssa-opt %s --te-evaluate=function=booleans | FileCheck %s --check-prefix=BOOLEANS

// INTEGERS: result 0: 12xi8 [-128, -1, 127, 1, -4, -3, -4, 126, -3, 125, 127, 6]
func.func @integers() -> tensor<12xi8> {
  %a = arith.constant 127 : i8
  %one = arith.constant 1 : i8
  %m7 = arith.constant -7 : i8
  %two = arith.constant 2 : i8
  %0 = arith.addi %a, %one : i8
  %m1 = arith.constant -1 : i8
  %1 = arith.maxui %m1, %one : i8
  %2 = arith.shrui %m1, %one : i8
  %3 = arith.maxsi %m1, %one : i8
  %4 = arith.floordivsi %m7, %two : i8
  %5 = arith.divsi %m7, %two : i8
  %6 = arith.shrsi %m7, %one : i8
  %7 = arith.subi %a, %one : i8
  %8 = arith.ceildivsi %m7, %two : i8
  %9 = arith.ceildivui %m7, %two : i8
  %10 = arith.divui %m1, %two : i8
  %11 = math.ctpop %5 : i8
  %big = arith.constant 6 : i8
  %12 = arith.andi %11, %big : i8
  %t = tensor.from_elements %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %12 : tensor<12xi8>
  return %t : tensor<12xi8>
}

// FLOATS: result 0: 11xf32 [0.33333334, nan, 1, -0, 2, -2, -1, 2.7182817, 0.8427008, 8, 1]
func.func @floats() -> tensor<11xf32> {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %zero = arith.constant 0.0 : f32
  %mzero = arith.constant -0.0 : f32
  %h = arith.constant -1.5 : f32
  %25 = arith.constant 2.5 : f32
  %0 = arith.divf %one, %three : f32
  %1 = arith.maximumf %one, %nan : f32
  %2 = arith.maxnumf %one, %nan : f32
  %3 = arith.minimumf %zero, %mzero : f32
  %4 = math.roundeven %25 : f32
  %5 = math.round %h : f32
  %6 = math.ceil %h : f32
  %7 = math.exp %one : f32
  %8 = math.erf %one : f32
  %9 = math.powf %two, %three : f32
  %10 = math.fma %one, %three, %h : f32
  %11 = arith.subf %10, %one : f32
  %12 = arith.addf %11, %11 : f32
  %t = tensor.from_elements %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %12 : tensor<11xf32>
  return %t : tensor<11xf32>
}

// The largest f16 is 65504; half of the smallest subnormal f16 rounds to zero.
// HALVES: result 0: 5xf16 [inf, 65504, 5.9604645e-08, 0, 0.33325195]
// HALVES: result 1: 2xbf16 [1, 1.0078125]
func.func @halves() -> (tensor<5xf16>, tensor<2xbf16>) {
  %a = arith.constant 65520.0 : f32
  %b = arith.constant 65519.0 : f32
  %c = arith.constant 0x33800000 : f32
  %d = arith.constant 0x33000000 : f32
  %0 = arith.truncf %a : f32 to f16
  %1 = arith.truncf %b : f32 to f16
  %2 = arith.truncf %c : f32 to f16
  %3 = arith.truncf %d : f32 to f16
  %one = arith.constant 1.0 : f16
  %three = arith.constant 3.0 : f16
  %4 = arith.divf %one, %three : f16
  %t = tensor.from_elements %0, %1, %2, %3, %4 : tensor<5xf16>
  %e = arith.constant 1.00390625 : f32
  %f = arith.constant 1.004 : f32
  %5 = arith.truncf %e : f32 to bf16
  %6 = arith.truncf %f : f32 to bf16
  %u = tensor.from_elements %5, %6 : tensor<2xbf16>
  return %t, %u : tensor<5xf16>, tensor<2xbf16>
}

// CASTS: result 0: 6xi32 [-1, 255, 3, -3, 1065353216, 2147483647]
// CASTS: result 1: 3xf32 [-1, 255, 16777216]
func.func @casts() -> (tensor<6xi32>, tensor<3xf32>) {
  %m1 = arith.constant -1 : i8
  %pi = arith.constant 3.9 : f32
  %mpi = arith.constant -3.9 : f32
  %one = arith.constant 1.0 : f32
  %huge = arith.constant 1.0e20 : f32
  %0 = arith.extsi %m1 : i8 to i32
  %1 = arith.extui %m1 : i8 to i32
  %2 = arith.fptosi %pi : f32 to i32
  %3 = arith.fptosi %mpi : f32 to i32
  %4 = arith.bitcast %one : f32 to i32
  %5 = arith.fptosi %huge : f32 to i32
  %t = tensor.from_elements %0, %1, %2, %3, %4, %5 : tensor<6xi32>
  %6 = arith.sitofp %m1 : i8 to f32
  %7 = arith.uitofp %m1 : i8 to f32
  %odd = arith.constant 16777217 : i32
  %8 = arith.sitofp %odd : i32 to f32
  %u = tensor.from_elements %6, %7, %8 : tensor<3xf32>
  return %t, %u : tensor<6xi32>, tensor<3xf32>
}

// BOOLEANS: result 0: 4xi1 [true, false, true, false]
// BOOLEANS: result 1: 3xi32 [1, -1, 1]
func.func @booleans() -> (tensor<4xi1>, tensor<3xi32>) {
  %t = arith.constant true
  %f = arith.constant false
  %x = te.constant dense<[true, false]> : tensor<2xi1>
  %c0 = arith.constant 0 : index
  %e = tensor.extract %x[%c0] : tensor<2xi1>
  %nan = arith.constant 0x7FC00000 : f32
  %0 = arith.cmpf une, %nan, %nan : f32
  %1 = arith.cmpf one, %nan, %nan : f32
  %2 = arith.ori %e, %f : i1
  %3 = arith.xori %e, %t : i1
  %r = tensor.from_elements %0, %1, %2, %3 : tensor<4xi1>
  %4 = arith.extui %e : i1 to i32
  %5 = arith.extsi %e : i1 to i32
  %6 = arith.cmpi ult, %f, %t : i1
  %7 = arith.extui %6 : i1 to i32
  %s = tensor.from_elements %4, %5, %7 : tensor<3xi32>
  return %r, %s : tensor<4xi1>, tensor<3xi32>
}
