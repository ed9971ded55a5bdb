// RUN: tssa-opt %s --te-print-partition | FileCheck %s
// RUN: tssa-opt %s --te-print-partition=boxes=never | FileCheck %s --check-prefix=NEVER
// RUN: tssa-opt %s --te-print-partition=boxes=always | FileCheck %s --check-prefix=ALWAYS
// RUN: tssa-opt %s --te-print-partition=graph | FileCheck %s --check-prefix=GRAPH
// RUN: tssa-opt %s --te-merge --te-form-kernels=group-rows | FileCheck %s --check-prefix=FORMED
// RUN: tssa-opt %s --te-merge --te-form-kernels=group-rows --remarks-filter=te-form-kernels --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// What the partition computes in boxes is formed after merging, for the same cost. As launches, the
// groups cost what is printed without boxes. The exponentials are computed once.
// CHECK-LABEL: function @attention
// CHECK-NEXT:  group 1: %5: [[IN_BOXES:6[0-9]+]] cycles
// CHECK-NEXT:    %0 in a box, 12582912 points
// CHECK-NEXT:    %1 in a box, 12288 points
// CHECK-NEXT:    %2 in a box, 12582912 points
// CHECK-NEXT:    %3 in a box, 12288 points
// CHECK-NEXT:    %4 in a box, 12582912 points
// CHECK-NEXT:    in boxes of 31 rows and 254200 bytes: 201424896 bytes stay in caches, 201529542 are read again; as launches 81513338 cycles
// CHECK-NEXT:    computes for {{[0-9]+}} cycles, moves for {{[0-9]+}}: 9437184 bytes read, 3145728 written
// CHECK-NEXT:  1 launches of 1 groups: [[IN_BOXES]] cycles
// NEVER-LABEL: function @attention
// NEVER-NOT:   box
// NEVER:       3 launches of 3 groups: 81513338 cycles
// GRAPH-LABEL: digraph partition {
// GRAPH:      g0 [label="1. %5\n+ %0\n+ %1\n+ %2\n+ %3\n+ %4\n{{[0-9]+}} cycles", style=bold];
// FORMED-LABEL: func.func @attention
// FORMED-COUNT-1: te.launch
// FORMED-NOT: te.launch
// REMARK: [Passed] boxes | {{.*}} | BoxBytes=254200, Cycles=60036561, CyclesAsLaunches=81513337, Remark="computed in boxes of rows with what it sums over"
func.func @attention(%q: tensor<12x1024x64xf32>, %k: tensor<12x1024x64xf32>, %v: tensor<12x1024x64xf32>) -> tensor<12x1024x64xf32> {
  %s = te.compute (d0: 12, d1: 1024, d2: 1024) reduce (d3: 64) init (0.0 : f32) {
    %a = te.read %q[d0, d1, d3] : tensor<12x1024x64xf32>
    %b = te.read %k[d0, d2, d3] : tensor<12x1024x64xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf then (%s: f32) {
    %f = arith.constant 0.125 : f32
    %g = arith.mulf %s, %f : f32
    te.yield %g : f32
  } : tensor<12x1024x1024xf32>
  %m = te.compute (d0: 12, d1: 1024) reduce (d2: 1024) init (0xFF800000 : f32) {
    %a = te.read %s[d0, d1, d2] : tensor<12x1024x1024xf32>
    te.yield %a : f32
  } combine arith.maximumf : tensor<12x1024xf32>
  %e = te.compute (d0: 12, d1: 1024, d2: 1024) {
    %a = te.read %s[d0, d1, d2] : tensor<12x1024x1024xf32>
    %b = te.read %m[d0, d1] : tensor<12x1024xf32>
    %c = arith.subf %a, %b : f32
    %e = math.exp %c : f32
    te.yield %e : f32
  } : tensor<12x1024x1024xf32>
  %l = te.compute (d0: 12, d1: 1024) reduce (d2: 1024) init (0.0 : f32) {
    %x = te.read %e[d0, d1, d2] : tensor<12x1024x1024xf32>
    te.yield %x : f32
  } combine arith.addf : tensor<12x1024xf32>
  %p = te.compute (d0: 12, d1: 1024, d2: 1024) {
    %x = te.read %e[d0, d1, d2] : tensor<12x1024x1024xf32>
    %f = te.read %l[d0, d1] : tensor<12x1024xf32>
    %g = arith.divf %x, %f : f32
    te.yield %g : f32
  } : tensor<12x1024x1024xf32>
  %o = te.compute (d0: 12, d1: 1024, d2: 64) reduce (d3: 1024) init (0.0 : f32) {
    %a = te.read %p[d0, d1, d3] : tensor<12x1024x1024xf32>
    %b = te.read %v[d0, d3, d2] : tensor<12x1024x64xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<12x1024x64xf32>
  return %o : tensor<12x1024x64xf32>
}

// Each box would read all weights again. An option overrules the cost.
// CHECK-LABEL: function @wide
// CHECK-NOT:   box
// CHECK:       2 launches of 2 groups
// ALWAYS-LABEL: function @wide
// ALWAYS:        in boxes of 8 rows and 98304 bytes: {{[0-9]+}} bytes stay in caches, {{[0-9]+}} are read again
// ALWAYS:      1 launches of 1 groups
// FORMED-LABEL: func.func @wide
// FORMED-COUNT-2: te.launch
// REMARK: [Missed] boxes | {{.*}} | BoxBytes=98304, {{.*}}, Reason="it saves too little"
func.func @wide(%x: tensor<128x768xf32>, %w: tensor<768x3072xf32>, %u: tensor<3072x768xf32>) -> tensor<128x768xf32> {
  %s = te.compute (d0: 128, d1: 3072) reduce (d2: 768) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<128x768xf32>
    %b = te.read %w[d2, d1] : tensor<768x3072xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<128x3072xf32>
  %o = te.compute (d0: 128, d1: 768) reduce (d2: 3072) init (0.0 : f32) {
    %a = te.read %s[d0, d2] : tensor<128x3072xf32>
    %b = te.read %u[d2, d1] : tensor<3072x768xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<128x768xf32>
  return %o : tensor<128x768xf32>
}

// Weights of 1 KiB are read again for nearly nothing, and rows of 32 elements stay in the cache.
// CHECK-LABEL: function @narrow
// CHECK:         %0 in a box
// CHECK-NEXT:    in boxes of 32 rows and 4096 bytes: 1048576 bytes stay in caches
// CHECK:       1 launches of 1 groups
// FORMED-LABEL: func.func @narrow
// FORMED-COUNT-1: te.launch
// FORMED-NOT: te.launch
// REMARK: [Passed] boxes | {{.*}} | BoxBytes=4096
func.func @narrow(%x: tensor<4096x8xf32>, %w: tensor<8x32xf32>, %u: tensor<32x8xf32>) -> tensor<4096x8xf32> {
  %s = te.compute (d0: 4096, d1: 32) reduce (d2: 8) init (0.0 : f32) {
    %a = te.read %x[d0, d2] : tensor<4096x8xf32>
    %b = te.read %w[d2, d1] : tensor<8x32xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<4096x32xf32>
  %o = te.compute (d0: 4096, d1: 8) reduce (d2: 32) init (0.0 : f32) {
    %a = te.read %s[d0, d2] : tensor<4096x32xf32>
    %b = te.read %u[d2, d1] : tensor<32x8xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } combine arith.addf : tensor<4096x8xf32>
  return %o : tensor<4096x8xf32>
}

// Boxes of the last product compute both others, too. If the second product has to be in boxes of
// its own, it is not in those of the last one.
// CHECK-LABEL: function @chain
// CHECK-NEXT:  group 1: %2: {{[0-9]+}} cycles
// CHECK-NEXT:    %0 in a box, 16384 points
// CHECK-NEXT:    %1 in a box, 32768 points
// CHECK:       1 launches of 1 groups
// FORMED-LABEL: func.func @chain
// FORMED-COUNT-1: te.launch
// FORMED-NOT: te.launch
// REMARK: [Missed] boxes | {{.*}}, Reason="it saves too little"
// REMARK: [Passed] boxes
// ALWAYS-LABEL: function @chain
// ALWAYS-NEXT:  group 1: %1: {{[0-9]+}} cycles
// ALWAYS-NEXT:    %0 in a box, 16384 points
// ALWAYS:       group 2: %2: {{[0-9]+}} cycles
// ALWAYS-NEXT:    computes for
// ALWAYS-NEXT:  2 launches of 2 groups
func.func @chain(%x: tensor<512x8xf32>, %w: tensor<8x32xf32>, %u: tensor<32x64xf32>, %t: tensor<64x8xf32>) -> tensor<512x8xf32> {
  %a = te.compute (d0: 512, d1: 32) reduce (d2: 8) init (0.0 : f32) {
    %l = te.read %x[d0, d2] : tensor<512x8xf32>
    %r = te.read %w[d2, d1] : tensor<8x32xf32>
    %p = arith.mulf %l, %r : f32
    te.yield %p : f32
  } combine arith.addf : tensor<512x32xf32>
  %b = te.compute (d0: 512, d1: 64) reduce (d2: 32) init (0.0 : f32) {
    %l = te.read %a[d0, d2] : tensor<512x32xf32>
    %r = te.read %u[d2, d1] : tensor<32x64xf32>
    %p = arith.mulf %l, %r : f32
    te.yield %p : f32
  } combine arith.addf : tensor<512x64xf32>
  %c = te.compute (d0: 512, d1: 8) reduce (d2: 64) init (0.0 : f32) {
    %l = te.read %b[d0, d2] : tensor<512x64xf32>
    %r = te.read %t[d2, d1] : tensor<64x8xf32>
    %p = arith.mulf %l, %r : f32
    te.yield %p : f32
  } combine arith.addf : tensor<512x8xf32>
  return %c : tensor<512x8xf32>
}
