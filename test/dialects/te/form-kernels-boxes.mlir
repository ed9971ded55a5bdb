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

// -----

// A softmax: what divides all weights of a row divides their sum. The sum of the weights reads them.
// CHECK-LABEL: func.func @softmax(
// CHECK: te.kernel @k0_contract(
// CHECK: te.compute @max (d0: 64) reduce (d1: 256)
// CHECK: te.compute @map (d0: 64, d1: 256)
// CHECK: %[[E:.+]] = math.exp
// CHECK-NEXT: te.yield %[[E]]
// CHECK: te.compute @sum (d0: 64) reduce (d1: 256)
// CHECK-NEXT: te.read %{{.*}}[d0, d1]
// CHECK-NEXT: te.yield
// CHECK: te.compute @contract1 (d0: 64, d1: 32) reduce (d2: 256)
// CHECK: then (%[[SUM:.+]]: f32)
// CHECK-NEXT: %[[L:.+]] = te.read %{{.*}}[d0]
// CHECK-NEXT: %[[Q:.+]] = arith.divf %[[SUM]], %[[L]]
// CHECK-NEXT: te.yield %[[Q]]
func.func @softmax(%q: tensor<64x32xf32>, %k: tensor<256x32xf32>, %v: tensor<256x32xf32>) -> tensor<64x32xf32> {
  %s = te.compute (d0: 64, d1: 256) reduce (d2: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d2] : tensor<64x32xf32>
    %b = te.read %k[d1, d2] : tensor<256x32xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<64x256xf32>
  %m = te.compute (d0: 64) reduce (d1: 256) init (0xFF800000 : f32) {
    %a = te.read %s[d0, d1] : tensor<64x256xf32>
    te.yield %a : f32
  } combine arith.maximumf : tensor<64xf32>
  %l = te.compute (d0: 64) reduce (d1: 256) init (0.0 : f32) {
    %a = te.read %s[d0, d1] : tensor<64x256xf32>
    %b = te.read %m[d0] : tensor<64xf32>
    %c = arith.subf %a, %b : f32
    %d = math.exp %c : f32
    te.yield %d : f32
  } combine arith.addf : tensor<64xf32>
  %p = te.compute (d0: 64, d1: 256) {
    %a = te.read %s[d0, d1] : tensor<64x256xf32>
    %b = te.read %m[d0] : tensor<64xf32>
    %c = arith.subf %a, %b : f32
    %d = math.exp %c : f32
    %e = te.read %l[d0] : tensor<64xf32>
    %f = arith.divf %d, %e : f32
    te.yield %f : f32
  } : tensor<64x256xf32>
  %o = te.compute (d0: 64, d1: 32) reduce (d2: 256) init (0.0 : f32) {
    %a = te.read %p[d0, d2] : tensor<64x256xf32>
    %b = te.read %v[d2, d1] : tensor<256x32xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<64x32xf32>
  return %o : tensor<64x32xf32>
}

// -----

// More keys than are taken at a time: 2 blocks of 750. Each has a maximum, which is finite, and sums
// relative to it. At the end, the blocks are weighted by what relates their maxima to the greatest.
// CHECK-LABEL: func.func @key_blocks(
// CHECK: te.kernel @k0_contract(
// CHECK: %[[S:.+]] = te.compute @contract (d0: 64, d1: 1500)
// CHECK: %[[M:.+]] = te.compute @max (d0: 64, d1: 2) reduce (d2: 750)
// CHECK: te.read %[[S]][d0, d1 * 750 + d2]
// CHECK: arith.constant -3.40282347E+38
// CHECK-NEXT: arith.maximumf
// CHECK: %[[P:.+]] = te.compute @map (d0: 64, d1: 2, d2: 750)
// CHECK: %[[L:.+]] = te.compute @sum (d0: 64, d1: 2) reduce (d2: 750)
// CHECK-NEXT: te.read %[[P]][d0, d1, d2]
// CHECK: %[[O:.+]] = te.compute @contract1 (d0: 64, d1: 2, d2: 32) reduce (d3: 750)
// CHECK-NEXT: te.read %[[P]][d0, d1, d3]
// CHECK-NEXT: te.read %{{.*}}[d1 * 750 + d3, d2]
// CHECK: then (%[[SUM:.+]]: f32)
// CHECK: te.read %[[L]][d0, d1]
// CHECK-NEXT: arith.maximumf
// CHECK: %[[G:.+]] = te.compute @max1 (d0: 64) reduce (d1: 2)
// CHECK-NEXT: te.read %[[M]][d0, d1]
// CHECK: %[[W:.+]] = te.compute @map1 (d0: 64, d1: 2)
// CHECK-NEXT: %[[OWN:.+]] = te.read %[[M]][d0, d1]
// CHECK-NEXT: %[[ALL:.+]] = te.read %[[G]][d0]
// CHECK-NEXT: arith.subf %[[OWN]], %[[ALL]]
// CHECK-NEXT: math.exp
// CHECK: %[[T:.+]] = te.compute @sum1 (d0: 64) reduce (d1: 2)
// CHECK-NEXT: te.read %[[W]][d0, d1]
// CHECK: te.compute @contract2 (d0: 64, d1: 32) reduce (d2: 2)
// CHECK-NEXT: te.read %[[W]][d0, d2]
// CHECK-NEXT: te.read %[[O]][d0, d2, d1]
// CHECK: then
// CHECK-NEXT: te.read %[[T]][d0]
// CHECK-NEXT: arith.divf
func.func @key_blocks(%q: tensor<64x32xf32>, %k: tensor<1500x32xf32>, %v: tensor<1500x32xf32>) -> tensor<64x32xf32> {
  %s = te.compute (d0: 64, d1: 1500) reduce (d2: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d2] : tensor<64x32xf32>
    %b = te.read %k[d1, d2] : tensor<1500x32xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<64x1500xf32>
  %m = te.compute (d0: 64) reduce (d1: 1500) init (0xFF800000 : f32) {
    %a = te.read %s[d0, d1] : tensor<64x1500xf32>
    te.yield %a : f32
  } combine arith.maximumf : tensor<64xf32>
  %l = te.compute (d0: 64) reduce (d1: 1500) init (0.0 : f32) {
    %a = te.read %s[d0, d1] : tensor<64x1500xf32>
    %b = te.read %m[d0] : tensor<64xf32>
    %c = arith.subf %a, %b : f32
    %d = math.exp %c : f32
    te.yield %d : f32
  } combine arith.addf : tensor<64xf32>
  %p = te.compute (d0: 64, d1: 1500) {
    %a = te.read %s[d0, d1] : tensor<64x1500xf32>
    %b = te.read %m[d0] : tensor<64xf32>
    %c = arith.subf %a, %b : f32
    %d = math.exp %c : f32
    %e = te.read %l[d0] : tensor<64xf32>
    %f = arith.divf %d, %e : f32
    te.yield %f : f32
  } : tensor<64x1500xf32>
  %o = te.compute (d0: 64, d1: 32) reduce (d2: 1500) init (0.0 : f32) {
    %a = te.read %p[d0, d2] : tensor<64x1500xf32>
    %b = te.read %v[d2, d1] : tensor<1500x32xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<64x32xf32>
  return %o : tensor<64x32xf32>
}

// -----

// The weights are relative to the maximum of other scores, so their sums may be zero. They stay.
// CHECK-LABEL: func.func @other_maximum(
// CHECK: te.kernel @k0_contract(
// CHECK: te.compute @map (d0: 64, d1: 256)
// CHECK: arith.divf
// CHECK: te.compute @contract1 (d0: 64, d1: 32) reduce (d2: 256)
// CHECK-NOT: then
// CHECK: te.return
func.func @other_maximum(%q: tensor<64x32xf32>, %k: tensor<256x32xf32>, %v: tensor<256x32xf32>) -> tensor<64x32xf32> {
  %s = te.compute (d0: 64, d1: 256) reduce (d2: 32) init (0.0 : f32) {
    %a = te.read %q[d0, d2] : tensor<64x32xf32>
    %b = te.read %k[d1, d2] : tensor<256x32xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<64x256xf32>
  %m = te.compute (d0: 64) reduce (d1: 256) init (0xFF800000 : f32) {
    %a = te.read %s[d0, d1] : tensor<64x256xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } combine arith.maximumf : tensor<64xf32>
  %l = te.compute (d0: 64) reduce (d1: 256) init (0.0 : f32) {
    %a = te.read %s[d0, d1] : tensor<64x256xf32>
    %b = te.read %m[d0] : tensor<64xf32>
    %c = arith.subf %a, %b : f32
    %d = math.exp %c : f32
    te.yield %d : f32
  } combine arith.addf : tensor<64xf32>
  %p = te.compute (d0: 64, d1: 256) {
    %a = te.read %s[d0, d1] : tensor<64x256xf32>
    %b = te.read %m[d0] : tensor<64xf32>
    %c = arith.subf %a, %b : f32
    %d = math.exp %c : f32
    %e = te.read %l[d0] : tensor<64xf32>
    %f = arith.divf %d, %e : f32
    te.yield %f : f32
  } : tensor<64x256xf32>
  %o = te.compute (d0: 64, d1: 32) reduce (d2: 256) init (0.0 : f32) {
    %a = te.read %p[d0, d2] : tensor<64x256xf32>
    %b = te.read %v[d2, d1] : tensor<256x32xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<64x32xf32>
  return %o : tensor<64x32xf32>
}
