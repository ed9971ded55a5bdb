// RUN: tssa-opt %s -cuda-outline-kernels | FileCheck %s

// The list of kernels for the manifest.
// CHECK: module attributes {te.kernels = [#te.device_kernel<name = "k", parameters = 4, block = <threads = 64, shared_bytes = 256>>]}

// A function that is not for the device stays where it is.
// CHECK: func.func @k.extent(%{{.*}}: index) -> (index, index, index)
func.func @k.extent(%n: index) -> (index, index, index) {
  return %n, %n, %n : index, index, index
}

// Parameters become pointers, and shared memory becomes one array in address space 3.
// CHECK: gpu.module @device {
// CHECK:   llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>
// CHECK:   func.func @k(%[[X:.*]]: !llvm.ptr, %[[N:.*]]: index, %[[OUT:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK:     llvm.insertvalue %[[X]]
// CHECK:     builtin.unrealized_conversion_cast {{.*}} to memref<?xf32>
// CHECK:     %[[SHARED:.*]] = llvm.mlir.addressof @shared : !llvm.ptr<3>
// CHECK:     llvm.insertvalue %[[SHARED]]
// CHECK:     %[[BYTES:.*]] = builtin.unrealized_conversion_cast {{.*}} to memref<?xi8, 3>
// CHECK:     memref.view %[[BYTES]]{{.*}} : memref<?xi8, 3> to memref<64xf32, 3>
// CHECK-NOT: gpu.dynamic_shared_memory
func.func @k(%x: memref<?xf32>, %n: index, %out: memref<?xf32>, %errors: memref<?xi32>)
    attributes {te.block = #te.block<threads = 64, shared_bytes = 256>} {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %shared = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<64xf32, #gpu.address_space<workgroup>>
  %v = memref.load %x[%t] : memref<?xf32>
  memref.store %v, %shared[%t] : memref<64xf32, #gpu.address_space<workgroup>>
  gpu.barrier
  %w = memref.load %shared[%c0] : memref<64xf32, #gpu.address_space<workgroup>>
  memref.store %w, %out[%t] : memref<?xf32>
  return
}
