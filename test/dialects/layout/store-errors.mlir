// RUN: tssa-opt %s -layout-materialize-stores -split-input-file -verify-diagnostics

te.kernel @no_parameter(%x: tensor<4x6xf32>, %n: index) -> tensor<4x6xf32> {
  %y = te.compute @y (d0: 4, d1: 6) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    te.yield %a : f32
  } : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
} schedule {
  // expected-error @below {{parameter 7 of kernel 'no_parameter' is not a tensor or does not exist}}
  layout.store 7 as map<reorder(1, 0)>
}

// -----

te.kernel @index_parameter(%x: tensor<4x6xf32>, %n: index) -> tensor<4x6xf32> {
  %y = te.compute @y (d0: 4, d1: 6) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    te.yield %a : f32
  } : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
} schedule {
  // expected-error @below {{parameter 1 of kernel 'index_parameter' is not a tensor or does not exist}}
  layout.store 1 as map<reorder(1, 0)>
}

// -----

te.kernel @no_expression(%x: tensor<4x6xf32>, %n: index) -> tensor<4x6xf32> {
  %y = te.compute @y (d0: 4, d1: 6) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    te.yield %a : f32
  } : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
} schedule {
  // expected-error @below {{kernel 'no_expression' has no expression 'z'}}
  layout.store @z as map<reorder(1, 0)>
}

// -----

te.kernel @rank(%x: tensor<4x6xf32>, %n: index) -> tensor<4x6xf32> {
  %y = te.compute @y (d0: 4, d1: 6) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    te.yield %a : f32
  } : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
} schedule {
  // expected-error @below {{the map does not fit 'tensor<4x6xf32>': expected a tensor of 3 dims for the layout, got 2}}
  layout.store @y as map<reorder(1, 0, 2)>
}

// -----

te.kernel @factors(%x: tensor<4x6xf32>, %n: index) -> tensor<4x6xf32> {
  %y = te.compute @y (d0: 4, d1: 6) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    te.yield %a : f32
  } : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
} schedule {
  // expected-error @below {{the map does not fit 'tensor<4x6xf32>': split(1, [*, 4]): }}
  layout.store 0 as map<split(1, [*, 4])>
}

// -----

te.kernel @window(%x: tensor<10xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) reduce (d1: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d1] : tensor<10xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  // expected-error @below {{a read in windows of stride 1 through tiles of size 3 and stride 2: the last window of a tile ends at index 3}}
  layout.store 0 as map<unfold(0, 3, 2)>
}

// -----
te.kernel @padded_window(%x: tensor<8xf32>) -> tensor<8xf32> {
  %y = te.compute @y (d0: 8) reduce (d1: 3) init (0.0 : f32) {
    %a = te.read %x[d0 + d1 - 1] : tensor<8xf32> where (d0 + d1 - 1 >= 0, -d0 - d1 + 8 >= 0) else 0.0
    te.yield %a : f32
  } combine arith.addf : tensor<8xf32>
  te.return %y : tensor<8xf32>
} schedule {
  // expected-error @below {{the first window begins at index -1: pad the dim before it is unfolded}}
  layout.store 0 as map<unfold(0, 6, 4)>
}

// -----
te.kernel @no_window(%x: tensor<10xf32>) -> tensor<10xf32> {
  %y = te.compute @y (d0: 10) {
    %a = te.read %x[-d0 + 9] : tensor<10xf32>
    te.yield %a : f32
  } : tensor<10xf32>
  te.return %y : tensor<10xf32>
} schedule {
  // expected-error @below {{expected windows along one logical dim in the read of an unfolded dim}}
  layout.store 0 as map<unfold(0, 4, 2)>
}

// -----

te.kernel @dropped(%x: tensor<4x6xf32>, %n: index) -> tensor<4x6xf32> {
  %y = te.compute @y (d0: 4, d1: 6) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    te.yield %a : f32
  } : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
} schedule {
  // expected-error @below {{the map does not fit 'tensor<4x6xf32>': some elements are not stored}}
  layout.store @y as map<unpad(1, 1, 0)>
}

// -----

te.kernel @growth(%x: tensor<4x6xf32>, %n: index) -> tensor<4x6xf32> {
  %y = te.compute @y (d0: 4, d1: 6) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    te.yield %a : f32
  } : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
} schedule {
  // expected-error @below {{the map does not fit 'tensor<4x6xf32>': there are more than 64 cells per element}}
  layout.store @y as map<pad(1, 0, 1000)>
}

// -----

te.kernel @two_labels(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = te.compute @y (d0: 4) {
    %a = te.read %x[d0] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  %z = te.compute @y (d0: 4) {
    %a = te.read %x[d0] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %y, %z : tensor<4xf32>, tensor<4xf32>
} schedule {
  // expected-error @below {{kernel 'two_labels' has more than one expression 'y'}}
  layout.store @y as map<split(0, [*, 2])>
}

// -----

te.kernel @dynamic(%x: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index) -> tensor<?xf32> {
  %y = te.compute @y (d0: %n) {
    %a = te.read %x[d0] : tensor<?xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  te.return %y : tensor<?xf32>
} schedule {
  // expected-error @below {{the map does not fit 'tensor<?xf32>': dynamic sizes can be reordered, but nothing can be computed from them}}
  layout.store 0 as map<pad(0, to 4), split(0, [*, 4])>
}

// -----

te.kernel @scanned(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %y = te.scan @y %x axis 1 init 0.0 : f32 combine arith.addf : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
} schedule {
  // expected-error @below {{parameter 0 of kernel 'scanned' cannot be stored in another layout: not only te.read uses it}}
  layout.store 0 as map<reorder(1, 0)>
}

// -----

te.kernel @scan(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %y = te.scan @y %x axis 1 init 0.0 : f32 combine arith.addf : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
} schedule {
  // expected-error @below {{the results of te.scan 'y' cannot be stored in another layout}}
  layout.store @y as map<reorder(1, 0)>
}

// -----

te.kernel @scanned_result(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %y = te.compute @y (d0: 4, d1: 6) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    te.yield %a : f32
  } : tensor<4x6xf32>
  %z = te.scan @z %y axis 1 init 0.0 : f32 combine arith.addf : tensor<4x6xf32>
  te.return %z : tensor<4x6xf32>
} schedule {
  // expected-error @below {{expression 'y' cannot be stored in another layout: not only te.read uses its results}}
  layout.store @y as map<reorder(1, 0)>
}

// -----

te.kernel @opaque(%x: tensor<4x6xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) {
    %a = te.read %i[d0] : tensor<4xi64>
    %k = arith.index_cast %a : i64 to index
    %v = te.read %x[d0, s0](%k) : tensor<4x6xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  // expected-error @below {{a tensor that is read at indexes computed from data can only be split and reordered}}
  layout.store 0 as map<fuse(0, 1)>
}

// -----

te.kernel @divided(%x: tensor<4x6xi32>) -> tensor<4xi32> {
  %y = te.compute @y (d0: 4) reduce (d1: 6) init (0 : i32) {
    %a = te.read %x[d0, d1] : tensor<4x6xi32>
    %b = arith.divsi %a, %a : i32
    te.yield %b : i32
  } combine arith.addi : tensor<4xi32>
  te.return %y : tensor<4xi32>
} schedule {
  // expected-error @below {{padding is not supported for a reduction that computes arith.divsi}}
  layout.store @y as map<pad(0, to 3)>
}

// -----

te.kernel @remainder(%x: tensor<4x6xi32>) -> tensor<4xi32> {
  %y = te.compute @y (d0: 4) reduce (d1: 6) init (0 : i32) {
    %a = te.read %x[d0, d1] : tensor<4x6xi32>
    %b = arith.remui %a, %a : i32
    te.yield %b : i32
  } combine arith.addi : tensor<4xi32>
  te.return %y : tensor<4xi32>
} schedule {
  // expected-error @below {{padding is not supported for a reduction that computes arith.remui}}
  layout.store @y as map<pad(0, to 3)>
}

// -----

te.kernel @pieces(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %y = te.compute @y (d0: 4) reduce (d1: 6) init (0.0 : f32) where (d0 - 1 >= 0) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    te.yield %a : f32
  } where (-d0 >= 0) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    %b = arith.negf %a : f32
    te.yield %b : f32
  } combine arith.addf : tensor<4xf32>
  te.return %y : tensor<4xf32>
} schedule {
  // expected-error @below {{padding is not supported for a reduction with several pieces}}
  layout.store @y as map<pad(0, to 3)>
}

// -----

te.kernel @rows(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %s = te.compute @sum (d0: 4) reduce (d1: 6) init (0.0 : f32) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    te.yield %a : f32
  } combine arith.addf : tensor<4xf32>
  %y = te.compute @y (d0: 4, d1: 6) {
    %a = te.read %x[d0, d1] : tensor<4x6xf32>
    %b = te.read %s[d0] : tensor<4xf32>
    %c = arith.divf %a, %b : f32
    te.yield %c : f32
  } : tensor<4x6xf32>
  te.return %y : tensor<4x6xf32>
} schedule {
  // expected-error @below {{with the stores of kernel 'rows', 'sum' cannot be computed row by row}}
  layout.store @y as map<reorder(1, 0)>
}
