// RUN: tssa-opt %s --te-share-domains --split-input-file | FileCheck %s
// RUN: tssa-opt %s --te-share-domains=apply=always --split-input-file | FileCheck %s --check-prefix=ALWAYS
// RUN: tssa-opt %s --te-share-domains=apply=never --split-input-file | FileCheck %s --check-prefix=NEVER
// RUN: tssa-opt %s --te-share-domains --split-input-file --remarks-filter=te-share-domains --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// Reductions get a tuple of accumulators. Only one has an epilogue.
// REMARK: [Passed] shared | {{.*}} | LaunchesSaved=1, Members=2, Operations=32, Remark="one expression computes the results of several"
// CHECK-LABEL: @reductions
// CHECK: %[[R:.*]]:2 = te.compute (d0: 4) reduce (d1: 8) init (0.000000e+00 : f32, 0xFF800000 : f32)
// CHECK: combine (%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: f32, %[[D:.*]]: f32)
// CHECK-NEXT: arith.addf %[[A]], %[[C]]
// CHECK-NEXT: arith.maximumf %[[B]], %[[D]]
// CHECK: then (%[[S:.*]]: f32, %[[M:.*]]: f32)
// CHECK-NEXT: %[[E:.*]] = math.exp %[[M]]
// CHECK-NEXT: te.yield %[[S]], %[[E]]
// CHECK: return %[[R]]#0, %[[R]]#1
// NEVER-LABEL: @reductions
// NEVER-COUNT-2: te.compute
func.func @reductions(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %p = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  %b = te.compute (d0: 4) reduce (d1: 8) init (0xFF800000 : f32) {
    %p = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %p : f32
  } combine arith.maximumf then (%max: f32) {
    %r = math.exp %max : f32
    te.yield %r : f32
  } : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// The size is open. A constant that stands between the members moves up.
// CHECK-LABEL: @open_size
// CHECK-DAG: %[[W:.*]] = te.constant dense<2.500000e+00> : tensor<1xf32>
// CHECK: te.compute (d0: %{{.*}}) {
// CHECK: %[[P:.*]] = te.read %arg0[d0]
// CHECK: %[[N:.*]] = arith.negf %[[P]]
// CHECK: te.read %[[W]][0]
// CHECK: %[[M:.*]] = arith.mulf
// CHECK: te.yield %[[N]], %[[M]] : f32, f32
func.func @open_size(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %a = te.compute (d0: %n) {
    %p = te.read %x[d0] : tensor<?xf32>
    %r = arith.negf %p : f32
    te.yield %r : f32
  } : tensor<?xf32>
  %w = te.constant dense<2.500000e+00> : tensor<1xf32>
  %b = te.compute (d0: %n) {
    %p = te.read %x[d0] : tensor<?xf32>
    %q = te.read %w[0] : tensor<1xf32>
    %r = arith.mulf %p, %q : f32
    te.yield %r : f32
  } : tensor<?xf32>
  return %a, %b : tensor<?xf32>, tensor<?xf32>
}

// -----

// One needs the other, through a third expression.
// CHECK-LABEL: @dependent
// CHECK-COUNT-3: = te.compute
// ALWAYS-LABEL: @dependent
// ALWAYS-COUNT-3: = te.compute
func.func @dependent(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = te.compute (d0: 4) {
    %p = te.read %x[d0] : tensor<4xf32>
    %r = math.exp %p : f32
    te.yield %r : f32
  } : tensor<4xf32>
  %sum = te.compute () reduce (d0: 4) init (0.0 : f32) {
    %p = te.read %a[d0] : tensor<4xf32>
    te.yield %p : f32
  } combine arith.addf : tensor<f32>
  %b = te.compute (d0: 4) {
    %p = te.read %x[d0] : tensor<4xf32>
    %q = te.read %sum[] : tensor<f32>
    %r = arith.divf %p, %q : f32
    te.yield %r : f32
  } : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// -----

// 2^15 operations: together only with what reads the same tensor.
// CHECK-LABEL: @large
// CHECK: %[[A:.*]]:2 = te.compute
// CHECK: %[[B:.*]] = te.compute
// CHECK: return %[[A]]#0, %[[B]], %[[A]]#1
// ALWAYS-LABEL: @large
// ALWAYS: %[[A:.*]]:3 = te.compute
func.func @large(%x: tensor<32768xf32>, %y: tensor<32768xf32>) -> (tensor<32768xf32>, tensor<32768xf32>, tensor<32768xf32>) {
  %a = te.compute (d0: 32768) {
    %p = te.read %x[d0] : tensor<32768xf32>
    %r = math.exp %p : f32
    te.yield %r : f32
  } : tensor<32768xf32>
  %b = te.compute (d0: 32768) {
    %p = te.read %y[d0] : tensor<32768xf32>
    %r = math.exp %p : f32
    te.yield %r : f32
  } : tensor<32768xf32>
  %c = te.compute (d0: 32768) {
    %p = te.read %x[d0] : tensor<32768xf32>
    %r = math.sin %p : f32
    te.yield %r : f32
  } : tensor<32768xf32>
  return %a, %b, %c : tensor<32768xf32>, tensor<32768xf32>, tensor<32768xf32>
}

// -----

// A copy has no operations, but its points count.
// CHECK-LABEL: @large_copies
// CHECK-COUNT-2: = te.compute
func.func @large_copies(%x: tensor<65537xf32>) -> (tensor<65537xf32>, tensor<65537xf32>) {
  %a = te.compute (d0: 65537) {
    %p = te.read %x[d0] : tensor<65537xf32>
    te.yield %p : f32
  } : tensor<65537xf32>
  %b = te.compute (d0: 65537) {
    %p = te.read %x[-d0 + 65536] : tensor<65537xf32>
    te.yield %p : f32
  } : tensor<65537xf32>
  return %a, %b : tensor<65537xf32>, tensor<65537xf32>
}

// -----

// Other sizes, another order of dims, and a reduction beside a map.
// CHECK-LABEL: @other_domains
// CHECK-COUNT-4: = te.compute
// ALWAYS-LABEL: @other_domains
// ALWAYS-COUNT-4: = te.compute
func.func @other_domains(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %a = te.compute (d0: 4, d1: 8) {
    %p = te.read %x[d0, d1] : tensor<4x8xf32>
    %r = math.exp %p : f32
    te.yield %r : f32
  } : tensor<4x8xf32>
  %b = te.compute (d0: 8, d1: 4) {
    %p = te.read %x[d1, d0] : tensor<4x8xf32>
    %r = math.sin %p : f32
    te.yield %r : f32
  } : tensor<8x4xf32>
  %c = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %p = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  %d = te.compute (d0: 4) {
    %p = te.read %x[d0, 0] : tensor<4x8xf32>
    te.yield %p : f32
  } : tensor<4xf32>
  return %a, %b, %c, %d : tensor<4x8xf32>, tensor<8x4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Parts of a concatenation are computed in it. So is an element of an update.
// CHECK-LABEL: @places
// CHECK-COUNT-4: = te.compute
func.func @places(%x: tensor<4xf32>, %t: tensor<2x4xf32>) -> (tensor<8xf32>, tensor<2x4xf32>) {
  %a = te.compute (d0: 4) {
    %p = te.read %x[d0] : tensor<4xf32>
    %r = math.exp %p : f32
    te.yield %r : f32
  } : tensor<4xf32>
  %b = te.compute (d0: 4) {
    %p = te.read %x[d0] : tensor<4xf32>
    %r = math.sin %p : f32
    te.yield %r : f32
  } : tensor<4xf32>
  %j = te.compute (d0: 8) where (-d0 + 3 >= 0) {
    %p = te.read %a[d0] : tensor<4xf32>
    te.yield %p : f32
  } where (d0 - 4 >= 0) {
    %p = te.read %b[d0 - 4] : tensor<4xf32>
    te.yield %p : f32
  } : tensor<8xf32>
  %c = te.compute (d0: 4) {
    %p = te.read %x[d0] : tensor<4xf32>
    %r = math.cos %p : f32
    te.yield %r : f32
  } : tensor<4xf32>
  %u = te.update (d0: 4) into %t[1, d0] {
    %p = te.read %c[d0] : tensor<4xf32>
    te.yield %p : f32
  } : tensor<2x4xf32>
  return %j, %u : tensor<8xf32>, tensor<2x4xf32>
}

// -----

// What is computed row by row with its reader stays there.
// CHECK-LABEL: @rows
// CHECK-COUNT-4: = te.compute
func.func @rows(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %m = te.compute (d0: 4) reduce (d1: 8) init (0xFF800000 : f32) {
    %p = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %p : f32
  } combine arith.maximumf : tensor<4xf32>
  %a = te.compute (d0: 4, d1: 8) {
    %p = te.read %x[d0, d1] : tensor<4x8xf32>
    %q = te.read %m[d0] : tensor<4xf32>
    %r = arith.subf %p, %q : f32
    te.yield %r : f32
  } : tensor<4x8xf32>
  %s = te.compute (d0: 4) reduce (d1: 8) init (0.0 : f32) {
    %p = te.read %x[d0, d1] : tensor<4x8xf32>
    te.yield %p : f32
  } combine arith.addf : tensor<4xf32>
  %b = te.compute (d0: 4, d1: 8) {
    %p = te.read %x[d0, d1] : tensor<4x8xf32>
    %q = te.read %s[d0] : tensor<4xf32>
    %r = arith.divf %p, %q : f32
    te.yield %r : f32
  } : tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What is rounded for a product is computed with the tensor that others read.
// CHECK-LABEL: @rounding(
// CHECK: %[[Y:.*]]:2 = te.compute (d0: 512, d1: 512)
// CHECK: %[[E:.*]] = math.exp
// CHECK-NEXT: %[[R:.*]] = arith.truncf %[[E]] : f32 to bf16
// CHECK-NEXT: te.yield %[[E]], %[[R]] : f32, bf16
// CHECK-NEXT: } : tensor<512x512xf32>, tensor<512x512xbf16>
func.func @rounding(%x: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512x512xbf16>) {
  %y = te.compute (d0: 512, d1: 512) {
    %a = te.read %x[d0, d1] : tensor<512x512xf32>
    %e = math.exp %a : f32
    te.yield %e : f32
  } : tensor<512x512xf32>
  %r = te.compute (d0: 512, d1: 512) {
    %a = te.read %y[d0, d1] : tensor<512x512xf32>
    %t = arith.truncf %a : f32 to bf16
    te.yield %t : bf16
  } : tensor<512x512xbf16>
  return %y, %r : tensor<512x512xf32>, tensor<512x512xbf16>
}
