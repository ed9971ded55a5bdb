// RUN: tssa-opt %s -layout-choose-stores -layout-schedule-default -layout-choose-packing -layout-materialize-stores | FileCheck %s
// RUN: tssa-opt %s -te-check-pipeline=passes=layout-choose-stores,layout-schedule-default,layout-choose-packing,layout-materialize-stores -o /dev/null
// RUN: tssa-opt %s --layout-choose-stores --layout-schedule-default --layout-choose-packing --remarks-filter=layout-choose-packing --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] packed | {{.*}} | Block=32, Elements=100, PackedElements=160

// 20 columns fill one block of 32; the last 12 are zeros.
// CHECK-LABEL: func.func @main
// CHECK: %[[W:.*]] = te.constant dense_resource<[[PACKED:.*]]> : tensor<1x5x32xf32>
// CHECK: te.launch @[[K:.*]](%{{.*}}, %[[W]]) : (tensor<7x5xf32>, tensor<1x5x32xf32>) -> tensor<7x20xf32>
func.func @main(%x: tensor<7x5xf32>) -> tensor<7x20xf32> {
  %w = te.constant dense_resource<weights> : tensor<5x20xf32>
  %y = te.launch @gemm(%x, %w) : (tensor<7x5xf32>, tensor<5x20xf32>) -> tensor<7x20xf32>
  return %y : tensor<7x20xf32>
}

// The launch without a constant has a kernel of its own.
// CHECK-LABEL: func.func @no_constant
// CHECK: te.launch @[[PLAIN:.*]](%{{.*}}, %{{.*}}) : (tensor<7x5xf32>, tensor<5x20xf32>)
func.func @no_constant(%x: tensor<7x5xf32>, %w: tensor<5x20xf32>) -> tensor<7x20xf32> {
  %y = te.launch @gemm(%x, %w) : (tensor<7x5xf32>, tensor<5x20xf32>) -> tensor<7x20xf32>
  return %y : tensor<7x20xf32>
}

// The bytes that weights are unpacked from, and their scales, are packed by columns.
// CHECK-LABEL: func.func @unpacked
// CHECK-DAG: %[[BYTES:.*]] = te.constant {{.*}} : tensor<1x16x32xi8>
// CHECK-DAG: %[[SCALES:.*]] = te.constant {{.*}} : tensor<1x4x32xf32>
// CHECK: te.launch @[[UNPACK:.*]](%{{.*}}, %[[BYTES]], %[[SCALES]])
func.func @unpacked(%x: tensor<7x16xf32>) -> tensor<7x25xf32> {
  %w = te.constant dense_resource<weights> : tensor<25x16xi8>
  %s = te.constant dense_resource<weights> : tensor<25x4xf32>
  %y = te.launch @unpack(%x, %w, %s) : (tensor<7x16xf32>, tensor<25x16xi8>, tensor<25x4xf32>) -> tensor<7x25xf32>
  return %y : tensor<7x25xf32>
}

// The constant operand of a sum of squared distances is packed as well.
// CHECK-LABEL: func.func @distances
// CHECK: %[[POINTS:.*]] = te.constant {{.*}} : tensor<1x4x32xf32>
// CHECK: te.launch @[[SQUARE:.*]](%{{.*}}, %[[POINTS]])
func.func @distances(%x: tensor<7x4xf32>) -> tensor<7x25xf32> {
  %w = te.constant dense_resource<weights> : tensor<25x4xf32>
  %y = te.launch @square(%x, %w) : (tensor<7x4xf32>, tensor<25x4xf32>) -> tensor<7x25xf32>
  return %y : tensor<7x25xf32>
}

// CHECK: te.kernel @[[K]](%{{.*}}: tensor<7x5xf32>, %[[ARG:.*]]: tensor<1x5x32xf32>)
// CHECK: te.read %[[ARG]][0, d2, d1]
// CHECK: te.kernel @[[PLAIN]](%{{.*}}: tensor<7x5xf32>, %{{.*}}: tensor<5x20xf32>)
te.kernel @gemm(%x: tensor<7x5xf32>, %w: tensor<5x20xf32>) -> tensor<7x20xf32> {
  %y = te.compute @y (d0: 7, d1: 20) reduce (d2: 5) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<7x5xf32>
    %b = te.read %w[d2, d1] : tensor<5x20xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<7x20xf32>
  te.return %y : tensor<7x20xf32>
}

// CHECK: te.kernel @[[SQUARE]](
// CHECK: te.read {{.*}}[d0, d2] : tensor<7x4xf32>
// CHECK: te.read {{.*}}[0, d2, d1] : tensor<1x4x32xf32>
te.kernel @square(%x: tensor<7x4xf32>, %w: tensor<25x4xf32>) -> tensor<7x25xf32> {
  %y = te.compute @y (d0: 7, d1: 25) reduce (d2: 4) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<7x4xf32>
    %b = te.read %w[d1, d2] : tensor<25x4xf32>
    %d = arith.subf %a, %b : f32
    %p = arith.mulf %d, %d : f32
    te.yield %p : f32
  } combine arith.addf : tensor<7x25xf32>
  te.return %y : tensor<7x25xf32>
}

// CHECK: te.kernel @[[UNPACK]](
// CHECK: te.read {{.*}}[0, d2, d1] : tensor<1x16x32xi8>
// CHECK: te.read {{.*}}[0, d2 floordiv 4, d1] : tensor<1x4x32xf32>
te.kernel @unpack(%x: tensor<7x16xf32>, %w: tensor<25x16xi8>, %s: tensor<25x4xf32>) -> tensor<7x25xf32> {
  %y = te.compute @y (d0: 7, d1: 25) reduce (d2: 16) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<7x16xf32>
    %b = te.read %w[d1, d2] : tensor<25x16xi8>
    %c = te.read %s[d1, d2 floordiv 4] : tensor<25x4xf32>
    %e = arith.constant 8 : i8
    %n = arith.subi %b, %e : i8
    %f = arith.sitofp %n : i8 to f32
    %m = arith.mulf %f, %c : f32
    %p = arith.mulf %a, %m : f32
    te.yield %p : f32
  } combine arith.addf : tensor<7x25xf32>
  te.return %y : tensor<7x25xf32>
}

// A small constant is not packed.
// REMARK: [Missed] packed | {{.*}} | Elements=6, Reason="it is small"
func.func @small(%x: tensor<7x2xf32>) -> tensor<7x3xf32> {
  %w = te.constant dense<2.0> : tensor<2x3xf32>
  %y = te.launch @small_gemm(%x, %w) : (tensor<7x2xf32>, tensor<2x3xf32>) -> tensor<7x3xf32>
  return %y : tensor<7x3xf32>
}
te.kernel @small_gemm(%x: tensor<7x2xf32>, %w: tensor<2x3xf32>) -> tensor<7x3xf32> {
  %y = te.compute @y (d0: 7, d1: 3) reduce (d2: 2) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<7x2xf32>
    %b = te.read %w[d2, d1] : tensor<2x3xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<7x3xf32>
  te.return %y : tensor<7x3xf32>
}

// Loops of a schedule that is given decide as well: the constant is stored in blocks of 8 columns,
// and its reduction dims in the order of their loops.
// CHECK-LABEL: func.func @given
// CHECK: te.launch @scheduled(%{{.*}}, %{{.*}}) : (tensor<7x2x5xf32>, tensor<3x2x5x8xf32>)
func.func @given(%x: tensor<7x2x5xf32>) -> tensor<7x20xf32> {
  %w = te.constant dense_resource<long> : tensor<5x2x20xf32>
  %y = te.launch @scheduled(%x, %w) : (tensor<7x2x5xf32>, tensor<5x2x20xf32>) -> tensor<7x20xf32>
  return %y : tensor<7x20xf32>
}
te.kernel @scheduled(%x: tensor<7x2x5xf32>, %w: tensor<5x2x20xf32>) -> tensor<7x20xf32> {
  %y = te.compute @y (d0: 7, d1: 20) reduce (d2: 2, d3: 5) init (0.0 : f32) {
    %a = te.read %x[d0, d2, d3] : tensor<7x2x5xf32>
    %b = te.read %w[d3, d2, d1] : tensor<5x2x20xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<7x20xf32>
  te.return %y : tensor<7x20xf32>
} schedule {
  %0:4 = layout.loops @y : !layout.loop, !layout.loop, !layout.loop, !layout.loop
  %1:2 = layout.split %0#1 [*, 8]
  layout.reorder %0#0, %1#0, %0#2, %0#3, %1#1
  layout.vectorize %1#1
}

// CHECK: [[PACKED]]: "0x40000000000000000000803F

{-#
  dialect_resources: {
    builtin: {
      weights: "0x40000000000000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C0410000C8410000D0410000D8410000E0410000E8410000F0410000F84100000042000004420000084200000C4200001042000014420000184200001C4200002042000024420000284200002C4200003042000034420000384200003C4200004042000044420000484200004C4200005042000054420000584200005C4200006042000064420000684200006C4200007042000074420000784200007C42000080420000824200008442000086420000884200008A4200008C4200008E42000090420000924200009442000096420000984200009A4200009C4200009E420000A0420000A2420000A4420000A6420000A8420000AA420000AC420000AE420000B0420000B2420000B4420000B6420000B8420000BA420000BC420000BE420000C0420000C2420000C4420000C642",
      long: "0x04000000000000000000803F0000004000004040000080400000A0400000C0400000E0400000004100001041000020410000304100004041000050410000604100007041000080410000884100009041000098410000A0410000A8410000B0410000B8410000C0410000C8410000D0410000D8410000E0410000E8410000F0410000F84100000042000004420000084200000C4200001042000014420000184200001C4200002042000024420000284200002C4200003042000034420000384200003C4200004042000044420000484200004C4200005042000054420000584200005C4200006042000064420000684200006C4200007042000074420000784200007C42000080420000824200008442000086420000884200008A4200008C4200008E42000090420000924200009442000096420000984200009A4200009C4200009E420000A0420000A2420000A4420000A6420000A8420000AA420000AC420000AE420000B0420000B2420000B4420000B6420000B8420000BA420000BC420000BE420000C0420000C2420000C4420000C6420000C8420000CA420000CC420000CE420000D0420000D2420000D4420000D6420000D8420000DA420000DC420000DE420000E0420000E2420000E4420000E6420000E8420000EA420000EC420000EE420000F0420000F2420000F4420000F6420000F8420000FA420000FC420000FE420000004300000143000002430000034300000443000005430000064300000743000008430000094300000A4300000B4300000C4300000D4300000E4300000F430000104300001143000012430000134300001443000015430000164300001743000018430000194300001A4300001B4300001C4300001D4300001E4300001F430000204300002143000022430000234300002443000025430000264300002743000028430000294300002A4300002B4300002C4300002D4300002E4300002F430000304300003143000032430000334300003443000035430000364300003743000038430000394300003A4300003B4300003C4300003D4300003E4300003F430000404300004143000042430000434300004443000045430000464300004743"
    }
  }
#-}
