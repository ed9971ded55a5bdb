// RUN: tssa-opt %s -split-input-file -verify-diagnostics -cuda-embed-kernels | FileCheck %s

// Emulated kernels are moved beside the host program, in the order of the manifest.
// CHECK-LABEL: module attributes
// CHECK: llvm.func @tssa_run
// CHECK: llvm.mlir.global {{.*}}@b.emulated
// CHECK: llvm.mlir.global {{.*}}@a.emulated
// CHECK: llvm.mlir.global external constant @tssa_kernels() {{.*}}: !llvm.array<2 x ptr> {
// CHECK:   %[[A:.*]] = llvm.mlir.addressof @a.emulated
// CHECK:   llvm.insertvalue %[[A]], %{{.*}}[0]
// CHECK:   %[[B:.*]] = llvm.mlir.addressof @b.emulated
// CHECK:   llvm.insertvalue %[[B]], %{{.*}}[1]
// CHECK-NOT: gpu.module
module attributes {te.kernels = [#te.device_kernel<name = "a", parameters = 1, block = <threads = 32, shared_bytes = 0>>, #te.device_kernel<name = "b", parameters = 1, block = <threads = 32, shared_bytes = 0>>]} {
  llvm.func @tssa_run() {
    llvm.return
  }
  gpu.module @device {
    llvm.mlir.global internal constant @b.emulated(0 : i64) : i64
    llvm.mlir.global internal constant @a.emulated(0 : i64) : i64
  }
}

// -----

// expected-error @+1 {{expected kernels in 'gpu.module @device'}}
module {
}

// -----

// expected-error @+1 {{expected kernels in 'gpu.module @device'}}
module {
  gpu.module @device {
  }
}
