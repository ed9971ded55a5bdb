// A product with a vector, and a product with few tiles and many steps, of f16.
func.func @main(%x: tensor<1x1024xf16> {te.port = #te.port<name = "x">}, %w: tensor<1024x512xf16> {te.port = #te.port<name = "w">},
                %a: tensor<32x8192xf16> {te.port = #te.port<name = "a">}, %b: tensor<8192x64xf16> {te.port = #te.port<name = "b">})
    -> (tensor<1x512xf16> {te.port = #te.port<name = "y">}, tensor<32x64xf16> {te.port = #te.port<name = "z">}) {
  %y = te.compute (d0: 1, d1: 512) reduce (d2: 1024) init (0.0 : f32) {
    %u = te.read %x[d0, d2] : tensor<1x1024xf16>
    %v = te.read %w[d2, d1] : tensor<1024x512xf16>
    %f = arith.extf %u : f16 to f32
    %g = arith.extf %v : f16 to f32
    %p = arith.mulf %f, %g : f32
    te.yield %p : f32
  } combine arith.addf then (%s: f32) {
    %t = arith.truncf %s : f32 to f16
    te.yield %t : f16
  } : tensor<1x512xf16>
  %z = te.compute (d0: 32, d1: 64) reduce (d2: 8192) init (0.0 : f32) {
    %u = te.read %a[d0, d2] : tensor<32x8192xf16>
    %v = te.read %b[d2, d1] : tensor<8192x64xf16>
    %f = arith.extf %u : f16 to f32
    %g = arith.extf %v : f16 to f32
    %p = arith.mulf %f, %g : f32
    te.yield %p : f32
  } combine arith.addf then (%s: f32) {
    %t = arith.truncf %s : f32 to f16
    te.yield %t : f16
  } : tensor<32x64xf16>
  return %y, %z : tensor<1x512xf16>, tensor<32x64xf16>
}
