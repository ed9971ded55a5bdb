// A kernel of one number, which has one order of loops.
func.func @main(%x: tensor<f32> {te.port = #te.port<name = "x", dims = []>}) -> (tensor<f32> {te.port = #te.port<name = "y", dims = []>}) {
  %y = te.compute () {
    %a = te.read %x[] : tensor<f32>
    %p = math.tanh %a : f32
    te.yield %p : f32
  } : tensor<f32>
  return %y : tensor<f32>
}
