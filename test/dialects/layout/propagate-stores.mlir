// RUN: tssa-opt %s -split-input-file -layout-choose-stores | FileCheck %s
// RUN: tssa-opt %s -split-input-file -te-check-pipeline=passes=layout-choose-stores,layout-materialize-stores -o /dev/null
// RUN: tssa-opt %s -split-input-file --layout-choose-stores --remarks-filter=layout-choose-stores --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Blocks of channels go through an element-wise kernel, also where it reads a second tensor.
// CHECK-LABEL: te.kernel @relu_0
// CHECK: layout.store @y as map<split(1, [*, 4]), reorder(0, 2, 1)>
// CHECK-NEXT: layout.store 0 as map<split(1, [*, 4]), reorder(0, 2, 1)>
// CHECK-LABEL: te.kernel @relu_1
// CHECK-NOT: layout.store @y
// CHECK: layout.store 0 as map<split(1, [*, 4]), reorder(0, 2, 1)>
// REMARK: [Passed] stored | {{.*}} | Elements=24, Map="map<split(1, [*, 4]), reorder(0, 2, 1)>"
// REMARK: [Passed] stored | {{.*}} | Elements=24, Map="map<split(1, [*, 4]), reorder(0, 2, 1)>"
func.func @main(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %y = te.launch @blocked(%x) : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %z = te.launch @relu(%y, %x) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  %w = te.launch @relu(%z, %x) : (tensor<3x8xf32>, tensor<3x8xf32>) -> tensor<3x8xf32>
  return %w : tensor<3x8xf32>
}
te.kernel @blocked(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %y = te.compute @y (d0: 3, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<3x8xf32>
    te.yield %v : f32
  } : tensor<3x8xf32>
  te.return %y : tensor<3x8xf32>
} schedule {
  layout.store @y as map<split(1, [*, 4]), reorder(0, 2, 1)>
}
te.kernel @relu(%x: tensor<3x8xf32>, %b: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %y = te.compute @y (d0: 3, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<3x8xf32>
    %c = te.read %b[d0, d1] : tensor<3x8xf32>
    %m = arith.maximumf %v, %c : f32
    te.yield %m : f32
  } : tensor<3x8xf32>
  te.return %y : tensor<3x8xf32>
}

// -----

// The first limit: parameters of primitives depend on the shape. A kernel that is not element-wise
// over the shape of its operand reads the blocks, but its result stays as it is.
// CHECK-LABEL: te.kernel @shift(
// CHECK: schedule {
// CHECK-NEXT: layout.store 0 as map<split(1, [*, 4]), reorder(0, 2, 1)>
// CHECK-NEXT: }
// REMARK: [Missed] adopted | {{.*}}Reason="it is not element-wise over the shape of the tensor"
func.func @main(%x: tensor<3x8xf32>) -> tensor<3x7xf32> {
  %y = te.launch @blocked(%x) : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %z = te.launch @shift(%y) : (tensor<3x8xf32>) -> tensor<3x7xf32>
  %w = te.launch @negate(%z) : (tensor<3x7xf32>) -> tensor<3x7xf32>
  return %w : tensor<3x7xf32>
}
te.kernel @blocked(%x: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %y = te.compute @y (d0: 3, d1: 8) {
    %v = te.read %x[d0, d1] : tensor<3x8xf32>
    te.yield %v : f32
  } : tensor<3x8xf32>
  te.return %y : tensor<3x8xf32>
} schedule {
  layout.store @y as map<split(1, [*, 4]), reorder(0, 2, 1)>
}
te.kernel @shift(%x: tensor<3x8xf32>) -> tensor<3x7xf32> {
  %y = te.compute @y (d0: 3, d1: 7) {
    %v = te.read %x[d0, d1 + 1] : tensor<3x8xf32>
    te.yield %v : f32
  } : tensor<3x7xf32>
  te.return %y : tensor<3x7xf32>
}
te.kernel @negate(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %y = te.compute @y (d0: 3, d1: 7) {
    %v = te.read %x[d0, d1] : tensor<3x7xf32>
    %n = arith.negf %v : f32
    te.yield %n : f32
  } : tensor<3x7xf32>
  te.return %y : tensor<3x7xf32>
}

// -----

// The second limit: a layout that pads would grow all tensors that follow.
// CHECK-LABEL: te.kernel @negate_0
// CHECK: schedule {
// CHECK-NEXT: layout.store 0 as map<pad(1, to 4), split(1, [*, 4]), reorder(1, 0, 2)>
// CHECK-NEXT: }
// REMARK: [Missed] adopted | {{.*}}Reason="the layout pads or copies elements"
func.func @main(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %y = te.launch @padded(%x) : (tensor<3x7xf32>) -> tensor<3x7xf32>
  %z = te.launch @negate(%y) : (tensor<3x7xf32>) -> tensor<3x7xf32>
  %w = te.launch @negate(%z) : (tensor<3x7xf32>) -> tensor<3x7xf32>
  return %w : tensor<3x7xf32>
}
te.kernel @padded(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %y = te.compute @y (d0: 3, d1: 7) {
    %v = te.read %x[d0, d1] : tensor<3x7xf32>
    te.yield %v : f32
  } : tensor<3x7xf32>
  te.return %y : tensor<3x7xf32>
} schedule {
  layout.store @y as map<pad(1, to 4), split(1, [*, 4]), reorder(1, 0, 2)>
}
te.kernel @negate(%x: tensor<3x7xf32>) -> tensor<3x7xf32> {
  %y = te.compute @y (d0: 3, d1: 7) {
    %v = te.read %x[d0, d1] : tensor<3x7xf32>
    %n = arith.negf %v : f32
    te.yield %n : f32
  } : tensor<3x7xf32>
  te.return %y : tensor<3x7xf32>
}

// -----

// The third limit: a contraction has a layout of its own. It reads its operand as that is stored,
// unless its schedule expects another layout.
// CHECK-LABEL: te.kernel @product(
// CHECK: layout.store @y as map<reorder(0, 2, 1)>
// CHECK-NEXT: layout.store 0 as map<split(2, [*, 2]), reorder(0, 2, 1, 3)>
// CHECK-LABEL: te.kernel @other
// CHECK: layout.store 0 as map<reorder(2, 0, 1)>
// REMARK: [Passed] stored | {{.*}} | Elements=192, Map="map<reorder(0, 2, 1)>"
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x32x3xf32> {
  %w = te.constant dense<0.5> : tensor<32x4xf32>
  %v = te.constant dense<0.5> : tensor<32x3xf32>
  %y = te.launch @blocked(%x) : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %z = te.launch @product(%y, %w) : (tensor<2x3x4xf32>, tensor<32x4xf32>) -> tensor<2x32x3xf32>
  %u = te.launch @negate(%z) : (tensor<2x32x3xf32>) -> tensor<2x32x3xf32>
  %t = te.launch @other(%u) : (tensor<2x32x3xf32>) -> tensor<2x32x3xf32>
  return %t : tensor<2x32x3xf32>
}
te.kernel @blocked(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %y = te.compute @y (d0: 2, d1: 3, d2: 4) {
    %v = te.read %x[d0, d1, d2] : tensor<2x3x4xf32>
    te.yield %v : f32
  } : tensor<2x3x4xf32>
  te.return %y : tensor<2x3x4xf32>
} schedule {
  layout.store @y as map<split(2, [*, 2]), reorder(0, 2, 1, 3)>
}
te.kernel @product(%x: tensor<2x3x4xf32>, %w: tensor<32x4xf32>) -> tensor<2x32x3xf32> {
  %y = te.compute @y (d0: 2, d1: 32, d2: 3) reduce (d3: 4) init (0.0 : f32) {
    %a = te.read %x[d0, d2, d3] : tensor<2x3x4xf32>
    %b = te.read %w[d1, d3] : tensor<32x4xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<2x32x3xf32>
  te.return %y : tensor<2x32x3xf32>
}
te.kernel @negate(%x: tensor<2x32x3xf32>) -> tensor<2x32x3xf32> {
  %y = te.compute @y (d0: 2, d1: 32, d2: 3) {
    %v = te.read %x[d0, d1, d2] : tensor<2x32x3xf32>
    %n = arith.negf %v : f32
    te.yield %n : f32
  } : tensor<2x32x3xf32>
  te.return %y : tensor<2x32x3xf32>
}
te.kernel @other(%x: tensor<2x32x3xf32>) -> tensor<2x32x3xf32> {
  %y = te.compute @y (d0: 2, d1: 32, d2: 3) {
    %v = te.read %x[d0, d1, d2] : tensor<2x32x3xf32>
    te.yield %v : f32
  } : tensor<2x32x3xf32>
  te.return %y : tensor<2x32x3xf32>
} schedule {
  layout.store 0 as map<reorder(2, 0, 1)>
}

// -----

// A kernel whose inner expression is computed row by row keeps its own layout if the rows would be
// lost.
// CHECK-LABEL: te.kernel @rows_0
// CHECK: schedule {
// CHECK-NEXT: layout.store 0 as map<reorder(1, 0)>
// CHECK-NEXT: }
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %y = te.launch @turned(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %z = te.launch @rows(%y) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %w = te.launch @rows(%z) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %w : tensor<4x6xf32>
}
te.kernel @turned(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %y = te.compute @y (d0: 4, d1: 6) {
    %v = te.read %x[d0, d1] : tensor<4x6xf32>
    te.yield %v : f32
  } : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
} schedule {
  layout.store @y as map<reorder(1, 0)>
}
te.kernel @rows(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %s = te.compute @sum (d0: 4) reduce (d1: 6) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4xf32>
  %y = te.compute @y (d0: 4, d1: 6) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    %b = te.read %s[d0] : tensor<4xf32>
    %c = arith.subf %a, %b : f32
    te.yield %c : f32
  } : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
}

// -----

// A reduction of some dims of a tensor keeps the order of the others.
// CHECK-LABEL: te.kernel @sum(
// CHECK: schedule {
// CHECK-DAG: layout.store 0 as map<reorder(0, 2, 3, 1)>
// CHECK-DAG: layout.store @s as map<reorder(1, 2, 0)>
// CHECK: }
func.func @main(%x: tensor<2x3x4x5xf32>) -> tensor<3x4x5xf32> {
  %y = te.launch @last(%x) : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %z = te.launch @sum(%y) : (tensor<2x3x4x5xf32>) -> tensor<3x4x5xf32>
  %w = te.launch @negate(%z) : (tensor<3x4x5xf32>) -> tensor<3x4x5xf32>
  return %w : tensor<3x4x5xf32>
}
te.kernel @last(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %y = te.compute @y (d0: 2, d1: 3, d2: 4, d3: 5) {
    %v = te.read %x[d0, d1, d2, d3] : tensor<2x3x4x5xf32>
    te.yield %v : f32
  } : tensor<2x3x4x5xf32>
  te.return %y : tensor<2x3x4x5xf32>
} schedule {
  layout.store @y as map<reorder(0, 2, 3, 1)>
}
te.kernel @sum(%y: tensor<2x3x4x5xf32>) -> tensor<3x4x5xf32> {
  %s = te.compute @s (d0: 3, d1: 4, d2: 5) reduce (d3: 2) init (0.0 : f32) {
    %v = te.read %y[d3, d0, d1, d2] : tensor<2x3x4x5xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<3x4x5xf32>
  te.return %s : tensor<3x4x5xf32>
}
te.kernel @negate(%z: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %w = te.compute @w (d0: 3, d1: 4, d2: 5) {
    %v = te.read %z[d0, d1, d2] : tensor<3x4x5xf32>
    %n = arith.negf %v : f32
    te.yield %n : f32
  } : tensor<3x4x5xf32>
  te.return %w : tensor<3x4x5xf32>
}

// -----

// Tiles that overlap are read as they are where a kernel moves windows over them. The kernel after
// it does not, and gets the tensor as it is.
// CHECK-LABEL: te.kernel @windows
// CHECK: layout.store 0 as map<pad(0, 1, 1), unfold(0, 6, 4)>
// CHECK-LABEL: te.kernel @flip
// CHECK-NOT: layout.store 0
func.func @main(%x: tensor<16x8xf32>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %y = te.launch @negate(%x) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %z = te.launch @windows(%y) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %f = te.launch @flip(%y) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %z, %f : tensor<16x8xf32>, tensor<16x8xf32>
}
te.kernel @negate(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %y = te.compute @y (d0: 16, d1: 8) {
    %a = te.read %x[d0, d1] : tensor<16x8xf32>
    %n = arith.negf %a : f32
    te.yield %n : f32
  } : tensor<16x8xf32>
  te.return %y : tensor<16x8xf32>
} schedule {
  layout.store @y as map<pad(0, 1, 1), unfold(0, 6, 4)>
}
te.kernel @windows(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %y = te.compute @y (d0: 16, d1: 8) reduce (d2: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d2 - 1, d1] : tensor<16x8xf32> where (d0 + d2 - 1 >= 0, -d0 - d2 + 16 >= 0) else 0.0
    te.yield %a : f32
  } combine arith.addf : tensor<16x8xf32>
  te.return %y : tensor<16x8xf32>
}
te.kernel @flip(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %y = te.compute @y (d0: 16, d1: 8) {
    %a = te.read %x[-d0 + 15, d1] : tensor<16x8xf32>
    te.yield %a : f32
  } : tensor<16x8xf32>
  te.return %y : tensor<16x8xf32>
}
