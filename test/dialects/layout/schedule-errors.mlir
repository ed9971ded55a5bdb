// RUN: tssa-opt %s -layout-schedule-default -split-input-file -verify-diagnostics
// RUN: tssa-opt %s -layout-schedule-simt -split-input-file -verify-diagnostics

te.kernel @nameless(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'te.compute' op expects a label that is unique in its kernel, for the schedule}}
  %y = te.compute (d0: 4) {
    %a = te.read %x[d0] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
}

// -----

te.kernel @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = te.compute @a (d0: 4) {
    %a = te.read %x[d0] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  // expected-error @+1 {{expects a label that is unique in its kernel}}
  %z = te.compute @a (d0: 4) {
    %a = te.read %x[d0] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %y, %z : tensor<4xf32>, tensor<4xf32>
}
