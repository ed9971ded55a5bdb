// RUN: tssa-opt %s -convert-host-to-llvm=device=true | FileCheck %s

// Launches of kernels of a device, and accesses of the host program to the memory of the device.

// CHECK: module attributes {te.launches = [#te.launch_record<kernel = "k", nodes = [0], flops = 12>], te.nodes = [#te.node<name = "double", op = "">]}
// CHECK-LABEL: func.func @tssa_run(
// CHECK-SAME: %[[HOST:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK: %[[CONTEXT:.*]] = llvm.alloca

// A scalar is copied before it is used.
// CHECK: %[[TO_HOST:.*]] = llvm.mlir.constant(0 : i32)
// CHECK: %[[CODE:.*]] = llvm.call @tssa_host_copy(%[[HOST]], %[[CONTEXT:.*]], %{{.*}}, %{{.*}}, %[[TO_HOST]])
// CHECK: cf.cond_br
// CHECK: llvm.load %[[CONTEXT]] : !llvm.ptr -> i64

// A bool is a byte.
// CHECK: llvm.call @tssa_host_copy
// CHECK: llvm.load %[[CONTEXT]] : !llvm.ptr -> i8
// CHECK: arith.trunci %{{.*}} : i8 to i1

// Scalars are copied to the device after they are stored.
// CHECK: llvm.store %{{.*}}, %[[CONTEXT]] : i64, !llvm.ptr
// CHECK: %[[TO_DEVICE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK: llvm.call @tssa_host_copy(%[[HOST]], %{{.*}}, %[[CONTEXT]], %{{.*}}, %[[TO_DEVICE]])

// The context holds the parameters; a bool is a byte.
// CHECK: %[[BOOL:.*]] = arith.extui %{{.*}} : i1 to i8
// CHECK: llvm.store %[[BOOL]]
// CHECK: %[[BLOCKS:.*]]:3 = call @k.extent(
// CHECK: %[[GRID:.*]] = arith.index_cast %[[BLOCKS]]#0
// CHECK: %[[FLOPS:.*]] = arith.index_cast %[[BLOCKS]]#2
// CHECK: llvm.call @tssa_host_launch_blocks(%[[HOST]], %{{.*}}, %[[GRID]], %[[FLOPS]], %[[CONTEXT]])

// A copy stays on the device.
// CHECK: %[[ON_DEVICE:.*]] = llvm.mlir.constant(2 : i32)
// CHECK: llvm.call @tssa_host_copy({{.*}}, %[[ON_DEVICE]])

// A routine gets copies in host memory.
// CHECK: %[[ROUTINE:.*]] = llvm.mlir.addressof @tssa_extern_nonzero
// CHECK: llvm.call @tssa_host_extern(%[[HOST]], %{{.*}}, %[[ROUTINE]],

// There is no function for a thread pool.
// CHECK-NOT: @k.body
func.func @main(%x: memref<?x4xf32>, %steps: memref<i64>, %flag: memref<i1>, %arena: memref<?xi8> {te.arena}, %weights: memref<?xi8> {te.weights}) -> memref<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %s = memref.load %steps[] : memref<i64>
  %b = memref.load %flag[] : memref<i1>
  %count = arith.index_cast %s : i64 to index
  %place = memref.view %arena[%c64][] : memref<?xi8> to memref<i64>
  memref.store %s, %place[] : memref<i64>
  %y = te.result 0(%n) : memref<?x4xf32>
  te.launch @k(%x, %n, %b) outs(%y : memref<?x4xf32>) : (memref<?x4xf32>, index, i1) -> () loc("double")
  memref.copy %x, %y : memref<?x4xf32> to memref<?x4xf32>
  %p = te.extern @nonzero(%y) sizes() [-1] : (memref<?x4xf32>) -> memref<2x?xi64>
  return %y : memref<?x4xf32>
}
func.func @plan() -> index {
  %c0 = arith.constant 128 : index
  return %c0 : index
}
func.func @k(%x: memref<?xf32>, %n: index, %b: i1, %out: memref<?xf32>, %errors: memref<?xi32>) attributes {te.block = #te.block<threads = 32, shared_bytes = 0>} {
  return
}
func.func @k.extent(%n: index, %b: i1) -> (index, index, index) {
  %c12 = arith.constant 12 : index
  return %n, %n, %c12 : index, index, index
}
