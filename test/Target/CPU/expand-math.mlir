// RUN: tssa-opt %s -cpu-expand-math | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: tssa-opt %s -cpu-expand-math=avx512 | FileCheck %s --check-prefixes=CHECK,SCALE

// AVX-512 multiplies by a power of two in one instruction; other machines need two factors.
// CHECK-LABEL: func.func @exp16
// PLAIN-NOT: llvm.call_intrinsic
// PLAIN: arith.subi
// PLAIN: %[[ONCE:.*]] = arith.mulf
// PLAIN: arith.mulf %[[ONCE]]
// SCALE-NOT: arith.mulf
// SCALE: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.512"
// SCALE-NOT: arith.mulf
// CHECK: return
func.func @exp16(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: func.func @exp8
// SCALE: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.256"
func.func @exp8(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.exp %x : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func.func @exp4
// SCALE: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ps.128"
func.func @exp4(%x: vector<4xf32>) -> vector<4xf32> {
  %y = math.exp %x : vector<4xf32>
  return %y : vector<4xf32>
}

// CHECK-LABEL: func.func @exp1
// SCALE: llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.ss"
// SCALE: llvm.extractelement
func.func @exp1(%x: f32) -> f32 {
  %y = math.exp %x : f32
  return %y : f32
}

// Vectors that do not fill a register are scaled by two factors.
// CHECK-LABEL: func.func @exp5
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
func.func @exp5(%x: vector<5xf32>) -> vector<5xf32> {
  %y = math.exp %x : vector<5xf32>
  return %y : vector<5xf32>
}

// x * (1 / d) becomes x / d.
// CHECK-LABEL: func.func @quotient
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>, %[[D:.*]]: vector<16xf32>)
// CHECK: %[[Y:.*]] = arith.divf %[[X]], %[[D]]
// CHECK-NEXT: return %[[Y]]
func.func @quotient(%x: vector<16xf32>, %d: vector<16xf32>) -> vector<16xf32> {
  %one = arith.constant dense<1.0> : vector<16xf32>
  %r = arith.divf %one, %d : vector<16xf32>
  %y = arith.mulf %r, %x : vector<16xf32>
  return %y : vector<16xf32>
}

// A reciprocal that all iterations share stays outside of the loop.
// CHECK-LABEL: func.func @reciprocal
// CHECK: arith.divf
// CHECK: scf.for
// CHECK-NOT: arith.divf
// CHECK: return
func.func @reciprocal(%m: memref<8xf32>, %d: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %r = arith.divf %one, %d : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %x = memref.load %m[%i] : memref<8xf32>
    %y = arith.mulf %x, %r : f32
    memref.store %y, %m[%i] : memref<8xf32>
  }
  return
}

// A reciprocal that is used twice stays, too.
// CHECK-LABEL: func.func @shared
// CHECK: arith.divf
// CHECK-NOT: arith.divf
// CHECK: return
func.func @shared(%x: f32, %d: f32) -> (f32, f32) {
  %one = arith.constant 1.0 : f32
  %r = arith.divf %one, %d : f32
  %y = arith.mulf %x, %r : f32
  return %y, %r : f32, f32
}

// The instruction returns its second operand, the accumulator, if either operand is NaN. So only
// the other operand is tested.
// The instruction gives what is joined so far where either is NaN: only the other is tested.
// CHECK-LABEL: func.func @maximum16
// CHECK-SAME: (%[[SO_FAR:.*]]: vector<16xf32>, %[[NEXT:.*]]: vector<16xf32>)
// PLAIN: arith.maximumf
// SCALE: %[[M:.*]] = llvm.call_intrinsic "llvm.x86.avx512.max.ps.512"(%[[NEXT]], %[[SO_FAR]], %{{.*}})
// SCALE: %[[N:.*]] = arith.cmpf uno, %[[NEXT]], %[[NEXT]]
// SCALE: arith.select %[[N]], %[[NEXT]], %[[M]]
func.func @maximum16(%so_far: vector<16xf32>, %next: vector<16xf32>) -> vector<16xf32> {
  %y = arith.maximumf %so_far, %next : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: func.func @minimum8
// CHECK: llvm.call_intrinsic "llvm.x86.avx.min.ps.256"
func.func @minimum8(%so_far: vector<8xf32>, %next: vector<8xf32>) -> vector<8xf32> {
  %y = arith.minimumf %so_far, %next : vector<8xf32>
  return %y : vector<8xf32>
}

// A constant that is not NaN is not tested.
// CHECK-LABEL: func.func @limit
// CHECK-SAME: (%[[X:.*]]: vector<4xf32>)
// CHECK: %[[SIX:.*]] = arith.constant
// CHECK: %[[Y:.*]] = llvm.call_intrinsic "llvm.x86.sse.min.ps"(%[[SIX]], %[[X]])
// CHECK-NEXT: return %[[Y]]
func.func @limit(%x: vector<4xf32>) -> vector<4xf32> {
  %six = arith.constant dense<6.0> : vector<4xf32>
  %y = arith.minimumf %x, %six : vector<4xf32>
  return %y : vector<4xf32>
}

// The tail of a loop gets the same arithmetic as its vectors.
// CHECK-LABEL: func.func @sinh16
// CHECK-NOT: llvm.call
// CHECK: arith.truncf %{{.*}} : vector<16xf64> to vector<16xf32>
// CHECK-NOT: math.sinh
func.func @sinh16(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.sinh %x : vector<16xf32>
  return %y : vector<16xf32>
}

// CHECK-LABEL: func.func @sinh1
// CHECK-NOT: llvm.call
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK-NOT: math.sinh
func.func @sinh1(%x: f32) -> f32 {
  %y = math.sinh %x : f32
  return %y : f32
}

// A large angle is reduced with more digits, also without the host.
// CHECK-LABEL: func.func @tan16
// CHECK: scf.if
// CHECK-NOT: llvm.call
// CHECK: arith.muli %{{.*}} : vector<16xi64>
// CHECK: return
func.func @tan16(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.tan %x : vector<16xf32>
  return %y : vector<16xf32>
}

// A remainder is a division, unless a quotient is large.
// CHECK-LABEL: func.func @remainder16
// CHECK: %[[Q:.*]] = arith.divf
// CHECK: %[[LARGE:.*]] = arith.cmpf ogt, %[[Q]], %{{.*}} : vector<16xf32>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[LARGE]]
// CHECK: scf.if %[[ANY]]
// CHECK: llvm.call
// CHECK: else
// CHECK-NOT: llvm.call
// CHECK: math.fma %{{.*}} : vector<16xf32>
// CHECK: return
func.func @remainder16(%x: vector<16xf32>, %y: vector<16xf32>) -> vector<16xf32> {
  %r = arith.remf %x, %y : vector<16xf32>
  return %r : vector<16xf32>
}

// Functions on f64 are expanded, except for a few.
// CHECK-LABEL: func.func @log8
// CHECK-NOT: llvm.call
// CHECK: math.fma %{{.*}} : vector<8xf64>
// CHECK: return
func.func @log8(%x: vector<8xf64>) -> vector<8xf64> {
  %y = math.log %x : vector<8xf64>
  return %y : vector<8xf64>
}

// A power divides once, to take a logarithm.
// CHECK-LABEL: func.func @pow8
// CHECK-NOT: llvm.call
// CHECK-COUNT-1: arith.divf %{{.*}} : vector<8xf64>
// CHECK-NOT: llvm.call
// CHECK-NOT: arith.divf
// CHECK: return
func.func @pow8(%x: vector<8xf64>, %e: vector<8xf64>) -> vector<8xf64> {
  %y = math.powf %x, %e : vector<8xf64>
  return %y : vector<8xf64>
}

// Only if a lane has a large angle, lane after lane calls the host.
// CHECK-LABEL: func.func @sin8
// CHECK: scf.if
// CHECK-COUNT-8: llvm.call
// CHECK: } else {
// CHECK-NOT: llvm.call
// CHECK: math.fma %{{.*}} : vector<8xf64>
// CHECK: return
func.func @sin8(%x: vector<8xf64>) -> vector<8xf64> {
  %y = math.sin %x : vector<8xf64>
  return %y : vector<8xf64>
}

// A cosine is one polynomial, whose sign is that of an odd number of half turns.
// CHECK-LABEL: func.func @cos8
// CHECK: } else {
// CHECK-NOT: arith.select
// CHECK: %[[FLIP:.*]] = arith.shli %{{.*}} : vector<8xi64>
// CHECK: arith.addi %{{.*}}, %[[FLIP]] : vector<8xi64>
// CHECK-NOT: arith.select
// CHECK: return
func.func @cos8(%x: vector<8xf64>) -> vector<8xf64> {
  %y = math.cos %x : vector<8xf64>
  return %y : vector<8xf64>
}

// A tangent divides once.
// CHECK-LABEL: func.func @tan1
// CHECK: } else {
// CHECK-NOT: llvm.call
// CHECK-COUNT-1: arith.divf
// CHECK-NOT: arith.divf
// CHECK: return
func.func @tan1(%x: f64) -> f64 {
  %y = math.tan %x : f64
  return %y : f64
}
