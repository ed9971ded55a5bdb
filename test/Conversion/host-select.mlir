// RUN: tssa-opt %s -convert-host-to-llvm | FileCheck %s

// Which of two memrefs it is: the address and the sizes are selected.
// CHECK-LABEL: func.func @tssa_run(
// CHECK: %[[A:.*]] = llvm.call @tssa_host_data
// CHECK: %[[SIZE_A:.*]] = arith.index_cast
// CHECK: %[[B:.*]] = llvm.call @tssa_host_data
// CHECK: %[[SIZE_B:.*]] = arith.index_cast
// CHECK: %[[FIRST:.*]] = arith.cmpf
// CHECK: %[[SELECTED:.*]] = llvm.select %[[FIRST]], %[[A]], %[[B]] : i1, !llvm.ptr
// CHECK: %[[SIZE:.*]] = arith.select %[[FIRST]], %[[SIZE_A]], %[[SIZE_B]] : index
// CHECK: arith.muli %{{.*}}, %[[SIZE]] : index
// CHECK: llvm.getelementptr %[[SELECTED]]

// A scalar is selected as it is.
// CHECK: arith.select %[[FIRST]], %{{.*}}, %{{.*}} : f32
func.func @plan(%a: index, %b: index) -> index {
  %c64 = arith.constant 64 : index
  return %c64 : index
}
func.func @main(%a: memref<?xf32>, %b: memref<?xf32>, %weights: memref<?xi8> {te.weights}, %arena: memref<?xi8> {te.arena}) {
  %c0 = arith.constant 0 : index
  %e = memref.load %a[%c0] : memref<?xf32>
  %f = memref.load %b[%c0] : memref<?xf32>
  %c = arith.cmpf olt, %e, %f : f32
  %s = arith.select %c, %a, %b : memref<?xf32>
  %g = memref.load %s[%c0] : memref<?xf32>
  %m = arith.select %c, %g, %e : f32
  memref.store %m, %s[%c0] : memref<?xf32>
  return
}
