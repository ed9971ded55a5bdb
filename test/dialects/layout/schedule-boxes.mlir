// RUN: tssa-opt %s -layout-keep-rows -layout-schedule-default | FileCheck %s
// The machine has vectors of 16 lanes and 32 registers.

// Attention, whose last product sums over rows that the others compute. The exponentials are kept,
// though the root sums. A tile of the root has some rows; one iteration over such tiles, outside of
// the columns, computes as many rows of each other expression, whose tiles are chosen for them.
// CHECK-LABEL: te.kernel @attention
// CHECK: te.compute @kept0 (d0: 12, d1: 512, d2: 512)
// CHECK: te.compute @sum (d0: 12, d1: 512) reduce (d2: 512)
// CHECK-NEXT: te.read
// CHECK-NEXT: te.yield
// CHECK: %[[S:.+]]:4 = layout.loops @contract
// CHECK-NEXT: %[[SR:.+]]:2 = layout.split %[[S]]#1 [*, [[ROWS:[0-9]+]]]
// CHECK: %[[O:.+]]:4 = layout.loops @contract1
// CHECK-NEXT: %[[R:.+]]:2 = layout.split %[[O]]#1 [*, [[ROWS]]]
// CHECK-NEXT: %[[C:.+]]:3 = layout.split %[[O]]#2
// CHECK-NEXT: layout.reorder %[[O]]#0, %[[R]]#0, %[[C]]#0, %[[O]]#3, %[[R]]#1, %[[C]]#1, %[[C]]#2
// CHECK: layout.bind %[[O]]#0, %[[R]]#0 to parallel
// CHECK-NEXT: layout.compute_at @contract, %[[R]]#0
// CHECK-NEXT: layout.compute_at @max, %[[R]]#0
// CHECK-NEXT: layout.compute_at @kept0, %[[R]]#0
// CHECK-NEXT: layout.compute_at @sum, %[[R]]#0
// CHECK-NEXT: layout.compute_at @map, %[[R]]#0
te.kernel @attention(%q: tensor<12x512x64xf32>, %k: tensor<12x64x512xf32>, %v: tensor<12x512x64xf32>) -> tensor<12x512x64xf32> {
  %s = te.compute @contract (d0: 12, d1: 512, d2: 512) reduce (d3: 64) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<12x512x64xf32>
    %b = te.read %k[d0, d3, d2] : tensor<12x64x512xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<12x512x512xf32>
  %m = te.compute @max (d0: 12, d1: 512) reduce (d2: 512) init (0xFF800000 : f32) {
    %a = te.read %s[d0, d1, d2] : tensor<12x512x512xf32>
    te.yield %a : f32
  } combine arith.maximumf : tensor<12x512xf32>
  %l = te.compute @sum (d0: 12, d1: 512) reduce (d2: 512) init (0.0 : f32) {
    %a = te.read %s[d0, d1, d2] : tensor<12x512x512xf32>
    %b = te.read %m[d0, d1] : tensor<12x512xf32>
    %c = arith.subf %a, %b : f32
    %d = math.exp %c : f32
    te.yield %d : f32
  } combine arith.addf : tensor<12x512xf32>
  %p = te.compute @map (d0: 12, d1: 512, d2: 512) {
    %a = te.read %s[d0, d1, d2] : tensor<12x512x512xf32>
    %b = te.read %m[d0, d1] : tensor<12x512xf32>
    %c = arith.subf %a, %b : f32
    %d = math.exp %c : f32
    %e = te.read %l[d0, d1] : tensor<12x512xf32>
    %f = arith.divf %d, %e : f32
    te.yield %f : f32
  } : tensor<12x512x512xf32>
  %o = te.compute @contract1 (d0: 12, d1: 512, d2: 64) reduce (d3: 512) init (0.0 : f32) {
    %a = te.read %p[d0, d1, d3] : tensor<12x512x512xf32>
    %b = te.read %v[d0, d3, d2] : tensor<12x512x64xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<12x512x64xf32>
  te.return %o : tensor<12x512x64xf32>
}
