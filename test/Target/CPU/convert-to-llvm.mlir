// RUN: tssa-opt %s -cpu-convert-to-llvm | FileCheck %s
// RUN: tssa-opt %s -cpu-convert-to-llvm -mlir-disable-threading | FileCheck %s

// The order of functions and globals stays.
// CHECK: llvm.mlir.global private constant @zeros
memref.global "private" constant @zeros : memref<4xf32> = dense<0.0>

// All dialects are converted at once: no cast between types of different dialects is left.
// CHECK-LABEL: llvm.func @row(
// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK: llvm.mlir.addressof @zeros
// CHECK: llvm.load {{.*}} : !llvm.ptr -> vector<4xf32>
// CHECK: llvm.intr.fmuladd
// CHECK: llvm.cond_br
// CHECK: llvm.store
func.func @row(%x: memref<?xf32>, %i: index, %n: index) {
  %zeros = memref.get_global @zeros : memref<4xf32>
  %c0 = arith.constant 0 : index
  %z = vector.load %zeros[%c0] : memref<4xf32>, vector<4xf32>
  %v = vector.load %x[%i] : memref<?xf32>, vector<4xf32>
  %y = vector.fma %v, %v, %z : vector<4xf32>
  %less = arith.cmpi slt, %i, %n : index
  cf.cond_br %less, ^store, ^end
^store:
  vector.store %y, %x[%i] : memref<?xf32>, vector<4xf32>
  cf.br ^end
^end:
  return
}

// Two functions that need the same declaration get one.
// CHECK-LABEL: llvm.func @allocates
// CHECK-NOT: llvm.func @malloc
// CHECK-LABEL: llvm.func @allocates_too
// CHECK: llvm.call @malloc
// CHECK-NOT: llvm.func @malloc
func.func @allocates(%n: index) -> memref<?xf32> {
  %m = memref.alloc(%n) : memref<?xf32>
  return %m : memref<?xf32>
}
func.func @allocates_too(%n: index) -> memref<?xf32> {
  %m = memref.alloc(%n) : memref<?xf32>
  return %m : memref<?xf32>
}

// What is in the LLVM dialect stays, and so does a module of a device.
// CHECK-LABEL: llvm.func @converted
// CHECK: llvm.return
llvm.func @converted() {
  llvm.return
}

// CHECK-LABEL: gpu.module @device
// CHECK: func.func @kernel
gpu.module @device {
  func.func @kernel() {
    return
  }
}

// Lanes of bf16 are moved as integers.
// CHECK-LABEL: llvm.func @move_lanes(
// CHECK: llvm.bitcast {{.*}} : vector<4xbf16> to vector<4xi16>
// CHECK: llvm.shufflevector {{.*}} : vector<4xi16>
func.func @move_lanes(%x: memref<?xbf16>, %i: index) {
  %v = vector.load %x[%i] : memref<?xbf16>, vector<4xbf16>
  %r = vector.shuffle %v, %v [3, 2, 1, 0] : vector<4xbf16>, vector<4xbf16>
  vector.store %r, %x[%i] : memref<?xbf16>, vector<4xbf16>
  return
}
