// The number of threads of a run changes how iterations are shared out, and never a bit of a result: a kernel computes
// each iteration alone.

// RUN: rm -rf %t && mkdir -p %t
// RUN: tssa-compile %s -o %t/m.so
// RUN: tssa-run %t/m.so --random=1 --threads=1 --outputs=%t/1.npz
// RUN: tssa-run %t/m.so --random=1 --threads=2 --expect=%t/1.npz --rtol=0 --atol=0
// RUN: tssa-run %t/m.so --random=1 --threads=3 --expect=%t/1.npz --rtol=0 --atol=0
// RUN: tssa-run %t/m.so --random=1 --threads=7 --expect=%t/1.npz --rtol=0 --atol=0

func.func @main(%a: tensor<301x257xf32>, %b: tensor<257x283xf32>) -> (tensor<301x283xf32>, tensor<f32>) {
  %y = te.compute (d0: 301, d1: 283) reduce (d2: 257) init (0.0 : f32) {
    %x = te.read %a[d0, d2] : tensor<301x257xf32>
    %w = te.read %b[d2, d1] : tensor<257x283xf32>
    %p = arith.mulf %x, %w : f32
    te.yield %p : f32
  } combine arith.addf : tensor<301x283xf32>
  %s = te.compute () reduce (d0: 301, d1: 283) init (0.0 : f32) {
    %v = te.read %y[d0, d1] : tensor<301x283xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<f32>
  return %y, %s : tensor<301x283xf32>, tensor<f32>
}
