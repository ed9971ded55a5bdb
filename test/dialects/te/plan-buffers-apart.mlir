// RUN: tssa-opt %s --te-plan-buffers | FileCheck %s

// Three buffers of 16 bytes that never share memory: each takes 64 bytes and is followed by 64
// unused bytes, and there are 64 bytes after the last one.
module attributes {te.separate} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = te.launch @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = te.launch @k(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %c = te.launch @k(%b) : (tensor<4xf32>) -> tensor<4xf32>
    %d = te.launch @k(%c) : (tensor<4xf32>) -> tensor<4xf32>
    return %d : tensor<4xf32>
  }
  te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = te.compute @y (d0: 4) {
      %v = te.read %x[d0] : tensor<4xf32>
      te.yield %v : f32
    } : tensor<4xf32>
    te.return %y : tensor<4xf32>
  }
}
