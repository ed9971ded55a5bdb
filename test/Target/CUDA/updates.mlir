// RUN: tssa-opt %s -convert-kernels-to-device-loops -canonicalize -cse | FileCheck %s

// The blocks for the slice come first, then the blocks that copy the rest.
// It may be in place, so its operands are not known to be only read.
// CHECK-LABEL: func.func @row(
// CHECK-NOT: llvm.noalias
// CHECK-SAME: te.block = #te.block<threads = 256, shared_bytes = 0>
// CHECK-DAG: gpu.block_id x
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: gpu.thread_id x
// CHECK: memref.store
// CHECK: } else {
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: scf.if
// CHECK: memref.store
// CHECK-NOT: gpu.barrier
// CHECK: func.func @row.extent(
te.kernel @row(%base: tensor<?x2x64xf32> {te.sizes = array<i64: 1, -1, -1>}, %n: index, %t: index, %h: tensor<2x64xf32>) -> tensor<?x2x64xf32> {
  %r = te.update (d0: 2, d1: 64) into %base[s0, d0, d1](%t) {
    %v = te.read %h[d0, d1] : tensor<2x64xf32>
    te.yield %v : f32
  } : tensor<?x2x64xf32>
  te.return %r : tensor<?x2x64xf32>
} schedule {
}

// The order of points may matter. All threads copy; then each thread computes the points of one
// column in order. A point whose index is out of bounds accesses nothing and sets the error flag.
// CHECK-LABEL: func.func @scatter(
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: scf.for %{{.*}} = %[[THREAD]] to %c800 step %c256
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %[[THREAD]] to %c8 step %c256
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1
// CHECK: memref.atomic_rmw ori
te.kernel @scatter(%base: tensor<100x8xf32>, %ids: tensor<5xi64>, %src: tensor<5x8xf32>) -> tensor<100x8xf32> {
  %r = te.update (d0: 5, d1: 8) into %base[s0, d1] {
    %i = te.read %ids[d0] : tensor<5xi64>
    %k = arith.index_cast %i : i64 to index
    %v = te.read %src[d0, d1] : tensor<5x8xf32>
    te.yield %v, %k : f32, index
  } combine arith.addf : tensor<100x8xf32>
  te.return %r : tensor<100x8xf32>
} schedule {
}

// All points may write the same element, so one thread runs them.
// CHECK-LABEL: func.func @sum(
// CHECK: gpu.barrier
// CHECK: scf.for %{{.*}} = %{{.*}} to %c1 step %c256
// CHECK: scf.for %{{.*}} = %c0 to %c5 step %c1
te.kernel @sum(%base: tensor<8xf32>, %ids: tensor<5xi64>) -> tensor<8xf32> {
  %r = te.update (d0: 5) into %base[s0] {
    %i = te.read %ids[d0] : tensor<5xi64>
    %k = arith.index_cast %i : i64 to index
    %v = arith.constant 1.0 : f32
    te.yield %v, %k : f32, index
  } combine arith.addf : tensor<8xf32>
  te.return %r : tensor<8xf32>
} schedule {
}

// One thread runs each line of a scan.
// CHECK-LABEL: func.func @scan(
// CHECK: gpu.thread_id x
// CHECK: scf.if
// CHECK: scf.for %{{.*}} iter_args
te.kernel @scan(%x: tensor<?x40xf32> {te.sizes = array<i64: 1, -1>}, %n: index) -> tensor<?x40xf32> {
  %y = te.scan %x axis 1 init 0.0 : f32 exclusive combine arith.addf : tensor<?x40xf32>
  te.return %y : tensor<?x40xf32>
} schedule {
}
