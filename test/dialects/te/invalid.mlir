// RUN: tssa-opt %s --split-input-file --verify-diagnostics

func.func @read_C1_rank(%x: tensor<4x4xf32>) {
  %y = te.compute (d0: 4) {
    // expected-error @below {{expects one index expression for each of 2 dims of the source, got 1}}
    %v = "te.read"(%x) {map = affine_map<(d0) -> (d0)>} : (tensor<4x4xf32>) -> f32
    te.yield %v : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @read_C1_dims(%x: tensor<4xf32>) {
  %y = te.compute (d0: 4) {
    // expected-error @below {{expects index expressions over 1 dims, got 2}}
    %v = "te.read"(%x) {map = affine_map<(d0, d1) -> (d1)>} : (tensor<4xf32>) -> f32
    te.yield %v : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @read_C1_symbols(%x: tensor<4xf32>) {
  %y = te.compute (d0: 4) {
    // expected-error @below {{expects one operand for each of 1 symbols, got 0}}
    %v = "te.read"(%x) {map = affine_map<(d0)[s0] -> (s0)>} : (tensor<4xf32>) -> f32
    te.yield %v : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @read_outside(%x: tensor<4xf32>) {
  // expected-error @below {{expects to stand in a body of te.compute or te.update}}
  %v = te.read %x[0] : tensor<4xf32>
  return
}

// -----

func.func @read_type(%x: tensor<4xf32>) {
  %y = te.compute (d0: 4) {
    // expected-error @below {{expects a result of the element type 'f32'}}
    %v = "te.read"(%x) {map = affine_map<(d0) -> (d0)>} : (tensor<4xf32>) -> f64
    te.yield %v : f64
  } : tensor<4xf64>
  return
}

// -----

func.func @read_C2(%x: tensor<4xf32>) {
  %y = te.compute (d0: 4) {
    // expected-error @below {{expects 'where' and 'else' together}}
    %v = "te.read"(%x) {map = affine_map<(d0) -> (d0)>, pad = 0.0 : f32} : (tensor<4xf32>) -> f32
    te.yield %v : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @read_C2_dims(%x: tensor<4xf32>) {
  %y = te.compute (d0: 4) {
    // expected-error @below {{expects 'where' over the dims and symbols of the index expressions}}
    %v = "te.read"(%x) {map = affine_map<(d0) -> (d0)>, guard = affine_set<(d0, d1) : (d1 >= 0)>, pad = 0.0 : f32} : (tensor<4xf32>) -> f32
    te.yield %v : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @read_C2_type(%x: tensor<4xf32>) {
  %y = te.compute (d0: 4) {
    // expected-error @below {{expects 'else' of the element type 'f32'}}
    %v = "te.read"(%x) {map = affine_map<(d0) -> (d0)>, guard = affine_set<(d0) : (d0 >= 0)>, pad = 0 : i32} : (tensor<4xf32>) -> f32
    te.yield %v : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @index_C1() {
  %y = te.compute (d0: 4) {
    // expected-error @below {{expects one index expression, got 2}}
    %v = "te.index"() {map = affine_map<(d0) -> (d0, d0)>} : () -> index
    %c = arith.index_cast %v : index to i64
    te.yield %c : i64
  } : tensor<4xi64>
  return
}

// -----

func.func @inside_C1() {
  %y = te.compute (d0: 4) {
    // expected-error @below {{expects one operand for each of 1 symbols, got 0}}
    %v = "te.inside"() {set = affine_set<(d0)[s0] : (s0 >= 0)>} : () -> i1
    te.yield %v : i1
  } : tensor<4xi1>
  return
}

// -----

func.func @compute_C1(%x: tensor<4xf32>) {
  // expected-error @below {{expects results of the sizes of the parallel dims, got 'tensor<5xf32>'}}
  %y = te.compute (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<5xf32>
  return
}

// -----

func.func @compute_results() {
  // expected-error @below {{expects at least one result}}
  "te.compute"() <{num_parallel = 1 : i64, static_sizes = array<i64: 4>}> ({}, {}, {
    te.yield
  }) : () -> ()
  return
}

// -----

func.func @compute_parallel(%x: tensor<4xf32>) {
  // expected-error @below {{expects at most 1 parallel dims}}
  %y = "te.compute"() <{num_parallel = 2 : i64, static_sizes = array<i64: 4>}> ({}, {}, {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  }) : () -> tensor<4xf32>
  return
}

// -----

func.func @compute_sizes(%x: tensor<4xf32>) {
  // expected-error @below {{expects one operand per dynamic size, got 0}}
  %y = "te.compute"() <{num_parallel = 1 : i64, static_sizes = array<i64: -9223372036854775808>}> ({}, {}, {
    %c = arith.constant 0.0 : f32
    te.yield %c : f32
  }) : () -> tensor<?xf32>
  return
}

// -----

func.func @compute_negative() {
  // expected-error @below {{expects sizes of at least 0, got -4}}
  %y = te.compute (d0: -4) {
    %c = arith.constant 0.0 : f32
    te.yield %c : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @compute_C2(%x: tensor<4xf32>) {
  // expected-error @below {{expects one 'where' set for each of 2 pieces, got 0}}
  %y = "te.compute"() <{num_parallel = 1 : i64, static_sizes = array<i64: 4>}> ({}, {}, {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  }, {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  }) : () -> tensor<4xf32>
  return
}

// -----

func.func @compute_C2_symbols(%x: tensor<4xf32>, %n: index) {
  %y = te.compute (d0: 4)
  // expected-error @below {{a piece is a set over the parallel dims}}
  where (s0 - d0 >= 0) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @compute_C2_dims(%x: tensor<4xf32>) {
  // expected-error @below {{expects piece 0 to be a set over the parallel dims}}
  %y = "te.compute"() <{num_parallel = 1 : i64, static_sizes = array<i64: 4>, where = [affine_set<(d0, d1) : (d1 >= 0)>]}> ({}, {}, {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  }) : () -> tensor<4xf32>
  return
}

// -----

func.func @compute_C3_combiner(%x: tensor<4xf32>) {
  // expected-error @below {{expects no combiner, init or epilogue without reduction dims}}
  %y = te.compute (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } combine (%a: f32, %b: f32) {
    te.yield %a : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @compute_C3_none(%x: tensor<4xf32>) {
  // expected-error @below {{expects a combiner and init values with reduction dims}}
  %y = te.compute () reduce (d0: 4) init (0.0 : f32) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<f32>
  return
}

// -----

func.func @compute_C4(%x: tensor<4xf32>) {
  // expected-error @below {{expects a piece to yield ('i32'), got ('f32')}}
  %y = te.compute (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xi32>
  return
}

// -----

func.func @compute_C5(%x: tensor<4xf32>) {
  // expected-error @below {{expects the combiner to take ('f32', 'f32'), got ('f32')}}
  %y = te.compute () reduce (d0: 4) init (0.0 : f32) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } combine (%a: f32) {
    te.yield %a : f32
  } : tensor<f32>
  return
}

// -----

func.func @compute_C6_types(%x: tensor<4xf32>) {
  // expected-error @below {{expects results of the accumulator types without an epilogue}}
  %y = te.compute () reduce (d0: 4) init (0.0 : f32) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } combine arith.addf : tensor<f16>
  return
}

// -----

func.func @compute_C6_epilogue(%x: tensor<4xf32>) {
  // expected-error @below {{expects the epilogue to yield ('f16'), got ('f32')}}
  %y = te.compute () reduce (d0: 4) init (0.0 : f32) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } combine arith.addf then (%a: f32) {
    te.yield %a : f32
  } : tensor<f16>
  return
}

// -----

func.func @epilogue_dims(%x: tensor<4xf32>) {
  %y = te.compute () reduce (d0: 4) init (0.0 : f32) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } combine arith.addf then (%a: f32) {
    // expected-error @below {{expects index expressions over 0 dims, got 1}}
    %v = te.read %x[d0] : tensor<4xf32>
    %r = arith.addf %a, %v : f32
    te.yield %r : f32
  } : tensor<f32>
  return
}

// -----

func.func @domain_order(%x: tensor<4xf32>) {
  // expected-error @below {{expected dim 'd0', got 'd1'}}
  %y = te.compute (d1: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @constraint_form(%x: tensor<4xf32>) {
  %y = te.compute (d0: 4) {
    // expected-error @below {{expected a comparison with 0}}
    %v = te.inside (d0 >= 1)
    te.yield %v : i1
  } : tensor<4xi1>
  return
}

// -----

func.func @combiner_name(%x: tensor<4xf32>) {
  %y = te.compute () reduce (d0: 4) init (0.0 : f32) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  // expected-error @below {{expected an operation on two accumulators}}
  } combine arith.nothing : tensor<f32>
  return
}

// -----

func.func @update_C1_type(%base: tensor<4xf32>) {
  // expected-error @below {{expects a result of the type of the base, 'tensor<4xf32>'}}
  %r = "te.update"(%base) <{static_sizes = array<i64: 2>, map = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 0, 0>}> ({
    %c = arith.constant 0.0 : f32
    te.yield %c : f32
  }, {}) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @update_C1_map(%base: tensor<4x4xf32>) {
  // expected-error @below {{expects one index expression over 1 dims for each of 2 dims of the base}}
  %r = te.update (d0: 2) into %base[d0] {
    %c = arith.constant 0.0 : f32
    te.yield %c : f32
  } : tensor<4x4xf32>
  return
}

// -----

func.func @update_C2(%base: tensor<4xf32>) {
  // expected-error @below {{expects the body to yield ('f32', 'index'), got ('f32')}}
  %r = te.update (d0: 2) into %base[s0] {
    %c = arith.constant 0.0 : f32
    te.yield %c : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @update_C3(%base: tensor<4xf32>) {
  // expected-error @below {{expects the combiner to take ('f32', 'f32'), got ('f32')}}
  %r = te.update (d0: 2) into %base[d0] {
    %c = arith.constant 0.0 : f32
    te.yield %c : f32
  } combine (%a: f32) {
    te.yield %a : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @update_C4(%base: tensor<4xf32>) {
  // expected-error @below {{expects 'where' over the dims and symbol operands}}
  %r = te.update (d0: 2) into %base[s0] where (s0 >= 0) {
    %c = arith.constant 0.0 : f32
    %i = arith.constant 0 : index
    te.yield %c, %i : f32, index
  } : tensor<4xf32>
  return
}

// -----

func.func @scan_C1_axis(%x: tensor<4xf32>) {
  // expected-error @below {{expects 'axis' below the rank 1, got 1}}
  %y = te.scan %x axis 1 init 0.0 : f32 combine arith.addf : tensor<4xf32>
  return
}

// -----

func.func @scan_C1_type(%x: tensor<4xf32>) {
  // expected-error @below {{expects a result of the type of the source, 'tensor<4xf32>'}}
  %y = "te.scan"(%x) <{axis = 0 : i64, init = 0.0 : f32}> ({
  ^bb0(%a: f32, %b: f32):
    te.yield %a : f32
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @scan_C2(%x: tensor<4xf32>) {
  // expected-error @below {{expects 'init' of the element type 'f32'}}
  %y = te.scan %x axis 0 init 0 : i32 combine arith.addi : tensor<4xf32>
  return
}

// -----

func.func @extern_C1_count(%x: tensor<4xf32>) {
  // expected-error @below {{expects one size index for each of 1 dynamic dims, got 0}}
  %y = te.extern @nonzero(%x) sizes () [] : (tensor<4xf32>) -> tensor<1x?xi64>
  return
}

// -----

func.func @extern_C1_range(%x: tensor<4xf32>) {
  // expected-error @below {{expects size indexes below 0, got 0}}
  %y = te.extern @nonzero(%x) sizes () [0] : (tensor<4xf32>) -> tensor<1x?xi64>
  return
}

// -----

// expected-error @below {{expects te.return of ('tensor<4xf32>')}}
te.kernel @kernel_C1(%x: tensor<4xf32>) -> tensor<4xf32> {
  te.return
}

// -----

// expected-error @below {{expects 'te.sizes' with an entry per dim on parameter 0}}
te.kernel @kernel_C2(%x: tensor<?xf32>) {
  te.return
}

// -----

// expected-error @below {{expects 'te.sizes' of parameter 0 to name a parameter of type index for dim 0}}
te.kernel @kernel_C2_index(%x: tensor<?xf32> {te.sizes = array<i64: 0>}) {
  te.return
}

// -----

func.func @launch_C1_missing(%x: tensor<4xf32>) {
  // expected-error @below {{expects a kernel named 'missing'}}
  te.launch @missing(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

te.kernel @k(%x: tensor<4xf32>) {
  te.return
}
func.func @launch_C1(%x: tensor<5xf32>) {
  // expected-error @below {{expects operands and results of kernel 'k', '(tensor<4xf32>) -> ()'}}
  te.launch @k(%x) : (tensor<5xf32>) -> ()
  return
}

// -----

te.kernel @k(%x: tensor<4xf32>) -> tensor<4xf32> {
  te.return %x : tensor<4xf32>
}
func.func @launch_C2(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expects one size for each of 0 dynamic dims, got 1}}
  %y = te.launch @k(%x) sizes (%n) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @compute_too_large() {
  // expected-error @below {{has a tensor with too many elements: 'tensor<4611686018427387904x8xf32>'}}
  %y = te.compute (d0: 4611686018427387904, d1: 8) {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  } : tensor<4611686018427387904x8xf32>
  return
}

// -----

// expected-error @below {{has a tensor with too many elements}}
te.kernel @too_large(%x: tensor<4611686018427387904x8xf32>) {
  te.return
}
