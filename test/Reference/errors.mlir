// RUN: split-file %s %t
// RUN: not tssa-opt %t/gather.mlir --te-evaluate 2>&1 | FileCheck %s --check-prefix=GATHER
// RUN: not tssa-opt %t/map.mlir --te-evaluate 2>&1 | FileCheck %s --check-prefix=MAP
// RUN: not tssa-opt %t/update.mlir --te-evaluate 2>&1 | FileCheck %s --check-prefix=UPDATE
// RUN: not tssa-opt %t/injective.mlir --te-evaluate 2>&1 | FileCheck %s --check-prefix=INJECTIVE
// RUN: not tssa-opt %t/check.mlir --te-evaluate 2>&1 | FileCheck %s --check-prefix=CHECK
// RUN: not tssa-opt %t/overlap.mlir --te-evaluate 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: not tssa-opt %t/hole.mlir --te-evaluate 2>&1 | FileCheck %s --check-prefix=HOLE
// RUN: not tssa-opt %t/division.mlir --te-evaluate 2>&1 | FileCheck %s --check-prefix=DIVISION
// RUN: not tssa-opt %t/division.mlir --te-evaluate=function=least 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: not tssa-opt %t/unknown.mlir --te-evaluate 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tssa-opt %t/unknown.mlir --te-evaluate=function=none 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tssa-opt %t/unknown.mlir --te-evaluate=sizes=N 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not tssa-opt %t/finite.mlir --te-evaluate 2>&1 | FileCheck %s --check-prefix=FINITE

//--- gather.mlir
// GATHER: 'layer1/gather': index 3 is out of bounds for dim 0 of size 2
func.func @main() -> tensor<2xf32> {
  %x = te.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %ids = te.constant dense<[1, 3]> : tensor<2xi64>
  %y = te.compute (d0: 2) {
    %i = te.read %ids[d0] : tensor<2xi64>
    %k = arith.index_cast %i : i64 to index
    %v = te.read %x[s0](%k) : tensor<2xf32> loc("layer1/gather")
    te.yield %v : f32
  } : tensor<2xf32>
  return %y : tensor<2xf32>
}

//--- map.mlir
// MAP: map.mlir:5:10: index 2 is out of bounds for dim 0 of size 2, though it does not depend on data
func.func @main() -> tensor<2xf32> {
  %x = te.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = te.compute (d0: 2) {
    %v = te.read %x[d0 + 1] : tensor<2xf32>
    te.yield %v : f32
  } : tensor<2xf32>
  return %y : tensor<2xf32>
}

//--- update.mlir
// UPDATE: update.mlir:{{.*}}: index -1 is out of bounds for dim 0 of size 2
func.func @main() -> tensor<2xf32> {
  %x = te.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = te.update (d0: 2) into %x[s0] {
    %v = arith.constant 1.0 : f32
    %k = arith.constant -1 : index
    te.yield %v, %k : f32, index
  } : tensor<2xf32>
  return %y : tensor<2xf32>
}

//--- injective.mlir
// INJECTIVE: injective.mlir:{{.*}}: the update is marked as injective, but two points write element 1
func.func @main() -> tensor<2xf32> {
  %x = te.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = te.update (d0: 4) into %x[d0 floordiv 2] where (d0 - 1 >= 0) injective {
    %v = arith.constant 1.0 : f32
    te.yield %v : f32
  } : tensor<2xf32>
  return %y : tensor<2xf32>
}

//--- check.mlir
// CHECK: 'reshape': expected equal sizes
func.func @main() -> tensor<2xf32> {
  %c = arith.constant false
  te.check %c, "expected equal sizes" loc("reshape")
  %x = te.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %x : tensor<2xf32>
}

//--- overlap.mlir
// OVERLAP: point (1) lies in two pieces
func.func @main() -> tensor<3xf32> {
  %y = te.compute (d0: 3) where (1 - d0 >= 0) {
    %v = arith.constant 1.0 : f32
    te.yield %v : f32
  } where (d0 - 1 >= 0) {
    %v = arith.constant 2.0 : f32
    te.yield %v : f32
  } : tensor<3xf32>
  return %y : tensor<3xf32>
}

//--- hole.mlir
// HOLE: point (1) lies in no piece
func.func @main() -> tensor<3xf32> {
  %y = te.compute (d0: 3) where (-d0 >= 0) {
    %v = arith.constant 1.0 : f32
    te.yield %v : f32
  } where (d0 - 2 >= 0) {
    %v = arith.constant 2.0 : f32
    te.yield %v : f32
  } : tensor<3xf32>
  return %y : tensor<3xf32>
}

//--- division.mlir
// DIVISION: division by zero
// LEAST: division of the least integer by -1
func.func @main() -> tensor<1xi32> {
  %x = te.constant dense<0> : tensor<1xi32>
  %y = te.compute (d0: 1) {
    %v = te.read %x[d0] : tensor<1xi32>
    %w = arith.divui %v, %v : i32
    te.yield %w : i32
  } : tensor<1xi32>
  return %y : tensor<1xi32>
}
func.func @least() -> tensor<1xi8> {
  %x = te.constant dense<-128> : tensor<1xi8>
  %y = te.compute (d0: 1) {
    %v = te.read %x[d0] : tensor<1xi8>
    %m = arith.constant -1 : i8
    %w = arith.divsi %v, %m : i8
    te.yield %w : i8
  } : tensor<1xi8>
  return %y : tensor<1xi8>
}

//--- unknown.mlir
// UNKNOWN: cannot evaluate 'tensor.insert'
// NONE: the module has no function 'none'
// SIZES: expected NAME=SIZE, got 'N'
func.func @main() -> tensor<1xf32> {
  %x = te.constant dense<0.0> : tensor<1xf32>
  %c0 = arith.constant 0 : index
  %f = arith.constant 0.0 : f32
  %y = tensor.insert %f into %x[%c0] : tensor<1xf32>
  return %y : tensor<1xf32>
}

//--- finite.mlir
// FINITE: finite.mlir:{{.*}}: parameter 0 of kernel 'k' is marked as finite, but has an infinity or a NaN
func.func @main() -> tensor<2xf32> {
  %x = te.constant dense<[1.0, 0x7F800000]> : tensor<2xf32>
  %y = te.launch @k(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
te.kernel @k(%x: tensor<2xf32> {te.finite}) -> tensor<2xf32> {
  te.return %x : tensor<2xf32>
}
