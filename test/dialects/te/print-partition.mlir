// RUN: tssa-opt %s --te-print-partition | FileCheck %s --check-prefixes=CHECK,COST
// RUN: tssa-opt %s --te-print-partition=partition=paper | FileCheck %s --check-prefixes=CHECK,PAPER
// RUN: tssa-opt %s --te-print-partition=partition=none | FileCheck %s --check-prefix=NONE
// RUN: tssa-opt %s --te-print-partition=graph | FileCheck %s --check-prefix=GRAPH

// The product has the exponential in its epilogue. Storing an exponential that 65536 points would
// repeat costs less; the rule of the paper repeats it.
// CHECK-LABEL: function @product
// COST-NEXT:  group 1: %0: 4144 cycles
// COST-NEXT:    computes for 128 cycles, moves for 64: 1024 bytes read, 1024 written
// COST-NEXT:  group 2: %1: {{[0-9]+}} cycles
// COST-NEXT:    %2 in the epilogue, 131072 points
// COST:       2 launches of 2 groups
// PAPER-NEXT: group 1: %1: {{[0-9]+}} cycles
// PAPER-NEXT:   %0 where it is read, 33554432 points
// PAPER-NEXT:   %2 in the epilogue, 131072 points
// PAPER:      1 launches of 1 groups
// NONE-LABEL: function @product
// NONE:       3 launches of 3 groups
// GRAPH-LABEL: digraph partition {
// GRAPH:      g0 [label="1. %0\n4144 cycles", style=bold];
// GRAPH-NEXT: g1 [label="2. %1\nthen %2\n{{[0-9]+}} cycles", style=bold];
// GRAPH-NEXT: g0 -> g1 [label="1024 bytes"];
// GRAPH-NEXT: }
func.func @product(%x: tensor<256xf32>, %w: tensor<512x256xf32>) -> tensor<256x512xf32> {
  %0 = te.compute (d0: 256) {
    %v = te.read %x[d0] : tensor<256xf32>
    %e = math.exp %v : f32
    te.yield %e : f32
  } : tensor<256xf32>
  %1 = te.compute (d0: 256, d1: 512) reduce (d2: 256) init (0.0 : f32) {
    %a = te.read %0[d2] : tensor<256xf32>
    %b = te.read %w[d1, d2] : tensor<512x256xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<256x512xf32>
  %2 = te.compute (d0: 256, d1: 512) {
    %a = te.read %1[d0, d1] : tensor<256x512xf32>
    %b = te.read %x[d0] : tensor<256xf32>
    %s = arith.addf %a, %b : f32
    te.yield %s : f32
  } : tensor<256x512xf32>
  return %2 : tensor<256x512xf32>
}

// Of a small softmax, the maximum and the sum are computed row by row in the launch that reads them,
// and the exponential twice: that takes less than a launch.
// CHECK-LABEL: function @softmax
// COST-NEXT:  group 1: %4: {{[0-9]+}} cycles
// COST-NEXT:    %2 where it is read, 2048 points
// COST-NEXT:    %1 where it is read, 2048 points
// COST-NEXT:    %0 row by row, 8 points
// COST-NEXT:    %3 row by row, 8 points
// COST:       1 launches of 1 groups
func.func @softmax(%x: tensor<8x128xf32>) -> tensor<8x128xf32> {
  %low = arith.constant 0xFF800000 : f32
  %0 = te.compute (d0: 8) reduce (d1: 128) init (0xFF800000 : f32) {
    %v = te.read %x[d0, d1] : tensor<8x128xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<8xf32>
  %1 = te.compute (d0: 8, d1: 128) {
    %a = te.read %x[d0, d1] : tensor<8x128xf32>
    %b = te.read %0[d0] : tensor<8xf32>
    %d = arith.subf %a, %b : f32
    te.yield %d : f32
  } : tensor<8x128xf32>
  %2 = te.compute (d0: 8, d1: 128) {
    %a = te.read %1[d0, d1] : tensor<8x128xf32>
    %e = math.exp %a : f32
    te.yield %e : f32
  } : tensor<8x128xf32>
  %3 = te.compute (d0: 8) reduce (d1: 128) init (0.0 : f32) {
    %a = te.read %2[d0, d1] : tensor<8x128xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<8xf32>
  %4 = te.compute (d0: 8, d1: 128) {
    %a = te.read %2[d0, d1] : tensor<8x128xf32>
    %b = te.read %3[d0] : tensor<8xf32>
    %q = arith.divf %a, %b : f32
    te.yield %q : f32
  } : tensor<8x128xf32>
  return %4 : tensor<8x128xf32>
}

// What two readers repeat, and what a loop repeats, is stored; open sizes count as 64.
// CHECK-LABEL: function @loop
// COST-NEXT:  group 1: %{{.+}}: {{[0-9]+}} cycles
// COST:       group 2: %{{.+}}, 64 times: {{[0-9]+}} cycles
// COST:       65 launches of 2 groups
// PAPER:      64 launches of 1 groups
func.func @loop(%x: tensor<4096xf32>, %n: index, %init: tensor<4096xf32>) -> tensor<4096xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = te.compute (d0: 4096) {
    %v = te.read %x[d0] : tensor<4096xf32>
    %w = math.exp %v : f32
    te.yield %w : f32
  } : tensor<4096xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> tensor<4096xf32> {
    %y = te.compute (d0: 4096) {
      %a = te.read %acc[d0] : tensor<4096xf32>
      %b = te.read %e[d0] : tensor<4096xf32>
      %p = arith.addf %a, %b : f32
      te.yield %p : f32
    } : tensor<4096xf32>
    scf.yield %y : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}
