func.func @main(%x: tensor<4xf32> {te.port = #te.port<name = "x">}) -> (tensor<4xf32> {te.port = #te.port<name = "y">}) {
  return %x : tensor<4xf32>
}
