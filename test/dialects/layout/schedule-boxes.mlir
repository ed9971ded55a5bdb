// RUN: tssa-opt %s -layout-keep-rows -layout-schedule-default | FileCheck %s
// The machine has vectors of 16 lanes and 32 registers.

// Attention, whose last product sums over rows that the others compute. The exponentials are kept,
// though the root sums. A tile of the root has some rows, and a box several tiles. One iteration over
// boxes, outside of the tiles and the columns, computes as many rows of each other expression, whose
// own tiles are chosen for them.
// CHECK-LABEL: te.kernel @attention
// CHECK: te.compute @kept0 (d0: 12, d1: 512, d2: 512)
// CHECK: te.compute @sum (d0: 12, d1: 512) reduce (d2: 512)
// CHECK-NEXT: te.read
// CHECK-NEXT: te.yield
// CHECK: %[[S:.+]]:4 = layout.loops @contract
// CHECK-NEXT: %[[SR:.+]]:2 = layout.split %[[S]]#1 [*, [[ROWS:[0-9]+]]]
// CHECK: %[[O:.+]]:4 = layout.loops @contract1
// CHECK-NEXT: %[[R:.+]]:2 = layout.split %[[O]]#1 [*, [[ROWS]]]
// CHECK-NEXT: %[[B:.+]]:2 = layout.split %[[R]]#0 [*, {{[2-9]}}]
// CHECK-NEXT: %[[C:.+]]:3 = layout.split %[[O]]#2
// CHECK-NEXT: layout.reorder %[[O]]#0, %[[B]]#0, %[[B]]#1, %[[C]]#0, %[[O]]#3, %[[R]]#1, %[[C]]#1, %[[C]]#2
// CHECK: layout.bind %[[O]]#0, %[[B]]#0 to parallel
// CHECK-NEXT: layout.compute_at @contract, %[[B]]#0
// CHECK-NEXT: layout.compute_at @max, %[[B]]#0
// CHECK-NEXT: layout.compute_at @kept0, %[[B]]#0
// CHECK-NEXT: layout.compute_at @sum, %[[B]]#0
// CHECK-NEXT: layout.compute_at @map, %[[B]]#0
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

// Each block of columns of @contract1 reads a part of its own of the scores. So these, and the sums
// of the block, are computed in its loop over blocks, which is around its rows.
// CHECK-LABEL: te.kernel @blocks
// CHECK: %[[S:.+]]:3 = layout.loops @contract :
// CHECK: layout.split %[[S]]#1 [*, {{.*}}16]
// CHECK: %[[P:.+]]:4 = layout.loops @contract1
// CHECK-NEXT: %[[PR:.+]]:2 = layout.split %[[P]]#0
// CHECK: layout.reorder %[[P]]#1, %[[PR]]#0, {{.*}}%[[P]]#3, %[[PR]]#1
// CHECK: %[[O:.+]]:3 = layout.loops @contract2
// CHECK: layout.compute_at @contract, %[[P]]#1
// CHECK-NEXT: layout.compute_at @sum, %[[P]]#1
// CHECK-NEXT: layout.compute_at @contract1, %[[R:.+]]#0
// CHECK-NEXT: layout.compute_at @largest, %[[R]]#0
te.kernel @blocks(%q: tensor<512x64xf32>, %k: tensor<64x1024xf32>, %v: tensor<1024x64xf32>) -> tensor<512x64xf32> {
  %s = te.compute @contract (d0: 512, d1: 1024) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %q[d0, d2] : tensor<512x64xf32>
    %b = te.read %k[d2, d1] : tensor<64x1024xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<512x1024xf32>
  %l = te.compute @sum (d0: 512, d1: 4) reduce (d2: 256) init (0.0 : f32) {
    %a = te.read %s[d0, d1 * 256 + d2] : tensor<512x1024xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<512x4xf32>
  %p = te.compute @contract1 (d0: 512, d1: 4, d2: 64) reduce (d3: 256) init (0.0 : f32) {
    %a = te.read %s[d0, d1 * 256 + d3] : tensor<512x1024xf32>
    %b = te.read %v[d1 * 256 + d3, d2] : tensor<1024x64xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf then (%x: f32) {
    %a = te.read %l[d0, d1] : tensor<512x4xf32>
    %b = arith.divf %x, %a : f32
    te.yield %b : f32
  } : tensor<512x4x64xf32>
  %m = te.compute @largest (d0: 512) reduce (d1: 4) init (0xFF800000 : f32) {
    %a = te.read %l[d0, d1] : tensor<512x4xf32>
    te.yield %a : f32
  } combine arith.maximumf : tensor<512xf32>
  %o = te.compute @contract2 (d0: 512, d1: 64) reduce (d2: 4) init (0.0 : f32) {
    %a = te.read %l[d0, d2] : tensor<512x4xf32>
    %b = te.read %p[d0, d2, d1] : tensor<512x4x64xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf then (%x: f32) {
    %a = te.read %m[d0] : tensor<512xf32>
    %b = arith.mulf %x, %a : f32
    te.yield %b : f32
  } : tensor<512x64xf32>
  te.return %o : tensor<512x64xf32>
}
