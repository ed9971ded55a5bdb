func.func @"com.acme::Reverse"(%x: tensor<?x?xf32>, %by: f32 {te.port = #te.port<name = "by">}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = te.extern @reverse(%x, %by) sizes (%rows, %columns) [0, 1] : (tensor<?x?xf32>, f32) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// The labels that are kept, and twice as many numbers.
func.func @"com.acme::Collapse"(%labels: tensor<?xi64>, %blank: i64 {te.port = #te.port<name = "blank">})
    -> (tensor<?xi64>, tensor<?xi64>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %kept = te.extern @collapse(%labels, %blank) sizes () [-1] : (tensor<?xi64>, i64) -> tensor<?xi64>
  %count = tensor.dim %kept, %c0 : tensor<?xi64>
  %twice = arith.muli %count, %c2 : index
  %numbers = te.compute (d0: %twice) {
    %i = te.index d0
    %n = arith.index_cast %i : index to i64
    te.yield %n : i64
  } : tensor<?xi64>
  return %kept, %numbers : tensor<?xi64>, tensor<?xi64>
}
