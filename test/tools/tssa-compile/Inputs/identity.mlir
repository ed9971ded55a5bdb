func.func @main(%x: tensor<4xf32> {tssa.name = "x"}) -> (tensor<4xf32> {tssa.name = "y"}) {
  return %x : tensor<4xf32>
}
