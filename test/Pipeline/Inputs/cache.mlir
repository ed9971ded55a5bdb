func.func @main(%cache: !tssa.ref<?x4xf32> {te.port = #te.port<name = "cache", dims = ["N", 4]>},
                %new: tensor<?x4xf32> {te.port = #te.port<name = "new", dims = ["N", 4]>})
    -> (tensor<?x4xf32> {te.port = #te.port<name = "out">}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %new, %c0 : tensor<?x4xf32>
  %zero = te.compute (d0: %n, d1: 4) {
    %z = arith.constant 0.0 : f32
    te.yield %z : f32
  } : tensor<?x4xf32>
  %out = tssa.alloc %zero : !tssa.ref<?x4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %row = tssa.access %new [select(0, ?)](%i) : tensor<?x4xf32> -> tensor<4xf32>
    %v = tssa.view %cache [select(0, ?)](%i) : !tssa.ref<?x4xf32> -> !tssa.ref<4xf32>
    tssa.write %row, %v : !tssa.ref<4xf32>
    %all = tssa.read %cache : !tssa.ref<?x4xf32>
    %sum = te.compute (d0: 4) reduce (d1: %n) init (0.0 : f32) {
      %e = te.read %all[d1, d0] : tensor<?x4xf32>
      te.yield %e : f32
    } combine arith.addf : tensor<4xf32>
    %o = tssa.view %out [select(0, ?)](%i) : !tssa.ref<?x4xf32> -> !tssa.ref<4xf32>
    tssa.write %sum, %o : !tssa.ref<4xf32>
  }
  %r = tssa.read %out : !tssa.ref<?x4xf32>
  return %r : tensor<?x4xf32>
}
