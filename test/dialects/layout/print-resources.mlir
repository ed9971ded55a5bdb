// RUN: split-file %s %t
// RUN: tssa-opt %t/product.mlir -layout-print-resources -o /dev/null | FileCheck %s
// RUN: tssa-opt %t/device.mlir -layout-print-resources -o /dev/null | FileCheck %s --check-prefix=DEVICE

// A tile reads 13 rows of the left matrix and 32 columns of the right one, 128 bytes of 64 rows, and
// writes 13 times 128 bytes. The 24576 bytes of the right matrix do not stay in the first level beside
// what the other operands bring in, and come in for each of the four tiles of rows.
// CHECK-LABEL: kernel @product
// CHECK-NEXT:  @y vector d1 2x16, rows d0 13, outer d0 d1, reduce d2
// CHECK-NEXT:    registers: 26 sums and 3 loads, of 32
// CHECK-NEXT:    touched: 2624 bytes by a step, 13184 by a tile
// CHECK-NEXT:    brought in: 131584 bytes into the first level of 32768, 57856 into the second of 1048576

// 164 KiB hold three blocks of 48 KiB; 32 blocks of 64 threads are the most.
// DEVICE:      device kernel @large
// DEVICE-NEXT:   128 threads and 49152 bytes of shared memory: 3 blocks on a multiprocessor
// DEVICE-NEXT: device kernel @small
// DEVICE-NEXT:   64 threads and 0 bytes of shared memory: 32 blocks on a multiprocessor
// DEVICE-NEXT: device kernel @wide
// DEVICE-NEXT:   1024 threads and 0 bytes of shared memory: 2 blocks on a multiprocessor

//--- product.mlir
te.kernel @product(%x: tensor<52x64xf32>, %w: tensor<64x96xf32>) -> tensor<52x96xf32> {
  %y = te.compute @y (d0: 52, d1: 96) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<52x64xf32>
    %b = te.read %w[d2, d1] : tensor<64x96xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<52x96xf32>
  te.return %y : tensor<52x96xf32>
}

//--- device.mlir
module attributes {te.kernels = [
  #te.device_kernel<name = "large", parameters = 1, block = <threads = 128, shared_bytes = 49152>>,
  #te.device_kernel<name = "small", parameters = 1, block = <threads = 64, shared_bytes = 0>>,
  #te.device_kernel<name = "wide", parameters = 1, block = <threads = 1024, shared_bytes = 0>>]} {
}
