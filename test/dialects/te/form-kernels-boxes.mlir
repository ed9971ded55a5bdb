// RUN: tssa-opt %s --te-form-kernels=boxes=always --split-input-file | FileCheck %s
// RUN: tssa-opt %s --te-form-kernels --split-input-file | FileCheck %s --check-prefix=AUTO

// Attention: the scores, their rows' maxima and sums, and what the last product sums over are one
// kernel. The values are not: each row reads all of them.
// CHECK-LABEL: func.func @attention
// CHECK: te.launch @{{.*}}contract(%arg0, %arg1, %{{.*}}) : (tensor<1x12x64x32xf32>, tensor<1x12x64x32xf32>, tensor<1x12x64x32xf32>) -> tensor<1x12x64x32xf32>
// CHECK-NOT: te.launch
// CHECK: te.kernel @k1_contract(
// CHECK: te.compute @contract (d0: 1, d1: 12, d2: 64, d3: 64) reduce (d4: 32)
// CHECK: te.compute @max (d0: 1, d1: 12, d2: 64) reduce (d3: 64)
// CHECK-NEXT: te.read %{{.*}}[d0, d1, d2, d3]
// CHECK: te.compute @map (d0: 1, d1: 12, d2: 64, d3: 64)
// CHECK: te.compute @contract1 (d0: 1, d1: 12, d2: 64, d3: 32) reduce (d4: 64)
// CHECK-NEXT: te.read %{{.*}}[d0, d1, d2, d4]
// AUTO-LABEL: func.func @attention
// AUTO-COUNT-5: te.launch
func.func @attention(%q: tensor<1x12x64x32xf32>, %k: tensor<1x12x64x32xf32>, %x: tensor<1x12x64x32xf32>) -> tensor<1x12x64x32xf32> {
  %v = te.compute (d0: 1, d1: 12, d2: 64, d3: 32) {
    %a = te.read %x[d0, d1, d2, d3] : tensor<1x12x64x32xf32>
    %b = math.exp %a : f32
    te.yield %b : f32
  } : tensor<1x12x64x32xf32>
  %s = te.compute (d0: 1, d1: 12, d2: 64, d3: 64) reduce (d4: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d2, d4] : tensor<1x12x64x32xf32>
    %b = te.read %k[d0, d1, d3, d4] : tensor<1x12x64x32xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<1x12x64x64xf32>
  %m = te.compute (d0: 1, d1: 12, d2: 64) reduce (d3: 64) init (0xFF800000 : f32) {
    %a = te.read %s[0, d1, d2, d3] : tensor<1x12x64x64xf32>
    te.yield %a : f32
  } combine arith.maximumf : tensor<1x12x64xf32>
  %p = te.compute (d0: 1, d1: 12, d2: 64, d3: 64) {
    %a = te.read %s[0, d1, d2, d3] : tensor<1x12x64x64xf32>
    %b = te.read %m[0, d1, d2] : tensor<1x12x64xf32>
    %c = arith.subf %a, %b : f32
    %d = math.exp %c : f32
    te.yield %d : f32
  } : tensor<1x12x64x64xf32>
  %o = te.compute (d0: 1, d1: 12, d2: 64, d3: 32) reduce (d4: 64) init (0.0 : f32) {
    %a = te.read %p[0, d1, d2, d4] : tensor<1x12x64x64xf32>
    %b = te.read %v[0, d1, d4, d3] : tensor<1x12x64x32xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<1x12x64x32xf32>
  return %o : tensor<1x12x64x32xf32>
}

// -----

// Rows of the first product have fewer elements than it reads for them: both stay as they are.
// CHECK-LABEL: func.func @narrow
// CHECK-COUNT-2: te.launch
func.func @narrow(%x: tensor<64x256xf32>, %w: tensor<256x16xf32>, %u: tensor<16x128xf32>) -> tensor<64x128xf32> {
  %s = te.compute (d0: 64, d1: 16) reduce (d2: 256) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<64x256xf32>
    %b = te.read %w[d2, d1] : tensor<256x16xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<64x16xf32>
  %o = te.compute (d0: 64, d1: 128) reduce (d2: 16) init (0.0 : f32) {
    %a = te.read %s[d0, d2] : tensor<64x16xf32>
    %b = te.read %u[d2, d1] : tensor<16x128xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<64x128xf32>
  return %o : tensor<64x128xf32>
}

// -----

// The scores are a result too, and a product that reads them by columns has no rows in common.
// CHECK-LABEL: func.func @stored
// CHECK-COUNT-2: te.launch
func.func @stored(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x32xf32>) -> (tensor<64x64xf32>, tensor<64x32xf32>) {
  %s = te.compute (d0: 64, d1: 64) reduce (d2: 16) init (0.0 : f32) {
    %a = te.read %q[d0, d2] : tensor<64x16xf32>
    %b = te.read %k[d1, d2] : tensor<64x16xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<64x64xf32>
  %o = te.compute (d0: 64, d1: 32) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %s[d0, d2] : tensor<64x64xf32>
    %b = te.read %v[d2, d1] : tensor<64x32xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<64x32xf32>
  return %s, %o : tensor<64x64xf32>, tensor<64x32xf32>
}

// -----

// CHECK-LABEL: func.func @columns
// CHECK-COUNT-2: te.launch
func.func @columns(%q: tensor<64x16xf32>, %k: tensor<64x16xf32>, %v: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %s = te.compute (d0: 64, d1: 64) reduce (d2: 16) init (0.0 : f32) {
    %a = te.read %q[d0, d2] : tensor<64x16xf32>
    %b = te.read %k[d1, d2] : tensor<64x16xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<64x64xf32>
  %o = te.compute (d0: 64, d1: 32) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %s[d2, d0] : tensor<64x64xf32>
    %b = te.read %v[d2, d1] : tensor<64x32xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<64x32xf32>
  return %o : tensor<64x32xf32>
}
