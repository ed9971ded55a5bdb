// RUN: tssa-opt %s --te-form-kernels=group-rows --split-input-file | FileCheck %s
// RUN: tssa-opt %s --te-form-kernels=group-rows --split-input-file --remarks-filter=te-form-kernels --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] grouped | {{.*}} | Expressions=3, LaunchesSaved=2, Remark="reductions of rows are in the kernel that reads them"
// REMARK: [Missed] grouped | {{.*}} | Reason="some use does not read it row by row"
// REMARK: [Missed] grouped | {{.*}} | Reason="its reader does not read what it reduces"
// REMARK: [Missed] grouped | {{.*}} | Reason="there are too few rows"

// Reductions of rows are put into the kernel that reads the rows and the reductions.

// Softmax without its exponentials: the maximum, a sum that reads it, and the map.
// The reads between them index the dim of size 1 by its dim.
// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: te.launch @k0_map(%{{.+}}) : (tensor<1x32x8xf32>) -> tensor<1x32x8xf32>
// CHECK-NEXT: return
// CHECK: te.kernel @k0_map
// CHECK: %[[MAX:.+]] = te.compute @max (d0: 1, d1: 32) reduce (d2: 8)
// CHECK: %[[SUM:.+]] = te.compute @sum (d0: 1, d1: 32) reduce (d2: 8)
// CHECK: te.read %[[MAX]][d0, d1]
// CHECK: te.compute @map
// CHECK: te.read %[[MAX]][d0, d1]
// CHECK: te.read %[[SUM]][d0, d1]
func.func @softmax(%x: tensor<1x32x8xf32>) -> tensor<1x32x8xf32> {
  %m = te.compute (d0: 1, d1: 32) reduce (d2: 8) init (0xFF800000 : f32) {
    %v = te.read %x[0, d1, d2] : tensor<1x32x8xf32>
    te.yield %v : f32
  } combine arith.maximumf : tensor<1x32xf32>
  %s = te.compute (d0: 1, d1: 32) reduce (d2: 8) init (0.0 : f32) {
    %v = te.read %x[0, d1, d2] : tensor<1x32x8xf32>
    %w = te.read %m[0, d1] : tensor<1x32xf32>
    %r = arith.subf %v, %w : f32
    te.yield %r : f32
  } combine arith.addf : tensor<1x32xf32>
  %y = te.compute (d0: 1, d1: 32, d2: 8) {
    %v = te.read %x[0, d1, d2] : tensor<1x32x8xf32>
    %a = te.read %m[0, d1] : tensor<1x32xf32>
    %b = te.read %s[0, d1] : tensor<1x32xf32>
    %r = arith.subf %v, %a : f32
    %t = arith.divf %r, %b : f32
    te.yield %t : f32
  } : tensor<1x32x8xf32>
  return %y : tensor<1x32x8xf32>
}

// -----

// The sum is a result, too: left alone.
// CHECK-LABEL: func.func @used_elsewhere
// CHECK: te.launch @k0_sum
// CHECK: te.launch @k1_map
func.func @used_elsewhere(%x: tensor<32x8xf32>) -> (tensor<32xf32>, tensor<32x8xf32>) {
  %s = te.compute (d0: 32) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<32x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<32xf32>
  %y = te.compute (d0: 32, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<32x8xf32>
    %b = te.read %s[d0] : tensor<32xf32>
    %t = arith.divf %v, %b : f32
    te.yield %t : f32
  } : tensor<32x8xf32>
  return %s, %y : tensor<32xf32>, tensor<32x8xf32>
}

// -----

// A matrix product does not sum the rows that are scaled by it: left alone.
// CHECK-LABEL: func.func @other_rows
// CHECK: te.launch @k0_contract
// CHECK: te.launch @k1_map
func.func @other_rows(%x: tensor<32x16x8xf32>, %p: tensor<32x4xf32>, %w: tensor<16x4xf32>) -> tensor<32x16x8xf32> {
  %s = te.compute (d0: 32, d1: 16) reduce (d2: 4) init (0.0 : f32) {
    %v = te.read %p[d0, d2] : tensor<32x4xf32>
    %u = te.read %w[d1, d2] : tensor<16x4xf32>
    %r = arith.mulf %v, %u : f32
    te.yield %r : f32
  } combine arith.addf : tensor<32x16xf32>
  %y = te.compute (d0: 32, d1: 16, d2: 8) {
    %v = te.read %x[d0, d1, d2] : tensor<32x16x8xf32>
    %b = te.read %s[d0, d1] : tensor<32x16xf32>
    %t = arith.mulf %v, %b : f32
    te.yield %t : f32
  } : tensor<32x16x8xf32>
  return %y : tensor<32x16x8xf32>
}

// -----

// Two long rows would be the work of only two threads: left alone.
// CHECK-LABEL: func.func @few_rows
// CHECK: te.launch @k0_sum
// CHECK: te.launch @k1_map
func.func @few_rows(%x: tensor<2x100000xf32>) -> tensor<2x100000xf32> {
  %s = te.compute (d0: 2) reduce (d1: 100000) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<2x100000xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<2xf32>
  %y = te.compute (d0: 2, d1: 100000) {
    %v = te.read %x[d0, d1] : tensor<2x100000xf32>
    %b = te.read %s[d0] : tensor<2xf32>
    %t = arith.divf %v, %b : f32
    te.yield %t : f32
  } : tensor<2x100000xf32>
  return %y : tensor<2x100000xf32>
}

// -----

// Columns are no rows.
// CHECK-LABEL: func.func @columns
// CHECK: te.launch @k0_sum
// CHECK: te.launch @k1_map
func.func @columns(%x: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %s = te.compute (d0: 8) reduce (d1: 32) init (0.0 : f32) {
    %v = te.read %x[d1, d0] : tensor<32x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<8xf32>
  %y = te.compute (d0: 32, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<32x8xf32>
    %b = te.read %s[d1] : tensor<8xf32>
    %t = arith.divf %v, %b : f32
    te.yield %t : f32
  } : tensor<32x8xf32>
  return %y : tensor<32x8xf32>
}

// -----

// The first column of each row is 0: both pieces become one body, which selects.
// CHECK-LABEL: func.func @a_column_apart
// CHECK: te.launch @k0_map
// CHECK-NEXT: return
// CHECK: te.kernel @k0_map
// CHECK: te.compute @sum
// CHECK: te.compute @map (d0: 32, d1: 8) {
// CHECK: %[[AT:.+]] = te.inside (-d1 >= 0)
// CHECK: arith.select %[[AT]]
func.func @a_column_apart(%x: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %zero = arith.constant 0.0 : f32
  %s = te.compute (d0: 32) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<32x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<32xf32>
  %y = te.compute (d0: 32, d1: 8) where (-d1 >= 0) {
    te.yield %zero : f32
  } where (d1 - 1 >= 0) {
    %v = te.read %x[d0, d1] : tensor<32x8xf32>
    %b = te.read %s[d0] : tensor<32xf32>
    %t = arith.divf %v, %b : f32
    te.yield %t : f32
  } : tensor<32x8xf32>
  return %y : tensor<32x8xf32>
}

// -----

// Both pieces are dear, or one reads outside of a tensor at the other's points: left alone.
// CHECK-LABEL: func.func @dear_pieces
// CHECK: te.launch @k0_sum
// CHECK: te.launch @k1_pieces
func.func @dear_pieces(%x: tensor<32x8xf32>) -> tensor<32x8xf32> {
  %s = te.compute (d0: 32) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<32x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<32xf32>
  %y = te.compute (d0: 32, d1: 8) where (-d1 + 3 >= 0) {
    %v = te.read %x[d0, d1] : tensor<32x8xf32>
    %t = math.exp %v : f32
    te.yield %t : f32
  } where (d1 - 4 >= 0) {
    %v = te.read %x[d0, d1] : tensor<32x8xf32>
    %b = te.read %s[d0] : tensor<32xf32>
    %t = arith.divf %v, %b : f32
    te.yield %t : f32
  } : tensor<32x8xf32>
  return %y : tensor<32x8xf32>
}

// -----

// CHECK-LABEL: func.func @other_tensor_ends
// CHECK: te.launch @k0_sum
// CHECK: te.launch @k1_pieces
func.func @other_tensor_ends(%x: tensor<32x8xf32>, %z: tensor<32x2xf32>) -> tensor<32x8xf32> {
  %s = te.compute (d0: 32) reduce (d1: 8) init (0.0 : f32) {
    %v = te.read %x[d0, d1] : tensor<32x8xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<32xf32>
  %y = te.compute (d0: 32, d1: 8) where (-d1 + 1 >= 0) {
    %v = te.read %z[d0, d1] : tensor<32x2xf32>
    te.yield %v : f32
  } where (d1 - 2 >= 0) {
    %v = te.read %x[d0, d1] : tensor<32x8xf32>
    %b = te.read %s[d0] : tensor<32xf32>
    %t = arith.divf %v, %b : f32
    te.yield %t : f32
  } : tensor<32x8xf32>
  return %y : tensor<32x8xf32>
}
