// RUN: tssa-opt %s --te-print-sharing --te-print-dependence --te-print-character | FileCheck %s --check-prefixes=SHARING,DEPENDENCE,CHARACTER

// The example of figure 2 of the paper on Souffle (ASPLOS 2024): five expressions, of which three
// are products. O0, here %0, is read by TE1 and, later, by TE3, which depends on TE1.
// SHARING-LABEL: function @main
// SHARING-NEXT:    %0: read by %1; temporal %3 at depth 2
// DEPENDENCE-LABEL: function @main
// DEPENDENCE-NEXT: %0 relies on many elements of %arg0: { [d0, d1] -> [d0, d2] : 0 <= d2 < 64 }
// DEPENDENCE-NEXT: %0 relies on many elements of %arg1: { [d0, d1] -> [d2, d1] : 0 <= d2 < 64 }
// DEPENDENCE-NEXT: %1 relies on one element of %0: { [d0, d1] -> [d0, d1] }
// DEPENDENCE-NEXT: %2 relies on many elements of %1: { [d0, d1] -> [d0, d2] : 0 <= d2 < 64 }
// DEPENDENCE-NEXT: %2 relies on many elements of %arg2: { [d0, d1] -> [d2, d1] : 0 <= d2 < 64 }
// DEPENDENCE-NEXT: %3 relies on one element of %0: { [d0, d1] -> [d0, d1] }
// DEPENDENCE-NEXT: %3 relies on one element of %2: { [d0, d1] -> [d0, d1] }
// DEPENDENCE-NEXT: %4 relies on many elements of %3: { [d0, d1] -> [d0, d2] : 0 <= d2 < 64 }
// DEPENDENCE-NEXT: %4 relies on many elements of %arg3: { [d0, d1] -> [d2, d1] : 0 <= d2 < 64 }
// CHARACTER-LABEL: function @main
// CHARACTER-NEXT:  %0: 262144 points, 524288 operations, 0 of them transcendental
// CHARACTER:         ratio 42.7, reuse 64: compute-intensive
// CHARACTER-NEXT:  %1: 4096 points, 16384 operations, 4096 of them transcendental
// CHARACTER:         ratio 2, reuse 1: memory-intensive
// CHARACTER-NEXT:  %2: 262144 points
// CHARACTER:         ratio 42.7, reuse 64: compute-intensive
// CHARACTER-NEXT:  %3: 4096 points, 4096 operations, 0 of them transcendental
// CHARACTER:         ratio 0.333, reuse 1: memory-intensive
// CHARACTER-NEXT:  %4: 1048576 points, 2097152 operations, 0 of them transcendental
// CHARACTER:         ratio 56.9, reuse 256: compute-intensive
func.func @main(%i0: tensor<64x64xf32>, %w0: tensor<64x64xf32>, %w2: tensor<64x64xf32>, %w4: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = te.compute (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %i0[d0, d2] : tensor<64x64xf32>
    %b = te.read %w0[d2, d1] : tensor<64x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  %1 = te.compute (d0: 64, d1: 64) {
    %v = te.read %0[d0, d1] : tensor<64x64xf32>
    %one = arith.constant 1.0 : f32
    %n = arith.negf %v : f32
    %e = math.exp %n : f32
    %s = arith.addf %e, %one : f32
    %q = arith.divf %one, %s : f32
    te.yield %q : f32
  } : tensor<64x64xf32>
  %2 = te.compute (d0: 64, d1: 64) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %1[d0, d2] : tensor<64x64xf32>
    %b = te.read %w2[d2, d1] : tensor<64x64xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x64xf32>
  %3 = te.compute (d0: 64, d1: 64) {
    %v = te.read %0[d0, d1] : tensor<64x64xf32>
    %u = te.read %2[d0, d1] : tensor<64x64xf32>
    %s = arith.addf %v, %u : f32
    te.yield %s : f32
  } : tensor<64x64xf32>
  %4 = te.compute (d0: 64, d1: 256) reduce (d2: 64) init (0.0 : f32) {
    %a = te.read %3[d0, d2] : tensor<64x64xf32>
    %b = te.read %w4[d2, d1] : tensor<64x256xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } combine arith.addf : tensor<64x256xf32>
  return %4 : tensor<64x256xf32>
}
