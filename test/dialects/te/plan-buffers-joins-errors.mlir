// RUN: tssa-opt %s --te-plan-buffers --split-input-file --verify-diagnostics

func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects the windows of kernel 'twice' to be those of its operands and results, as te.joins have them}}
  %a = te.launch @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %b = te.launch @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %c = te.join %a, %b axis 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
te.kernel @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = te.compute @y (d0: 2) {
    %v = te.read %x[d0] : tensor<2xf32>
    %w = arith.addf %v, %v : f32
    te.yield %w : f32
  } : tensor<2xf32>
  te.return %y : tensor<2xf32>
}

// -----

func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @below {{has no memory: a part is no result of a launch of the same block}}
  %c = te.join %x, %x axis 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
