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
  // expected-error @below {{expects to be in a body of te.compute or te.update}}
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
    // expected-error @below {{expects 'where' to have the dims and symbols of the index expressions}}
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
  // expected-error @below {{expects results with the sizes of the parallel dims, got 'tensor<5xf32>'}}
  %y = te.compute (d0: 4) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<5xf32>
  return
}

// -----

func.func @compute_results() {
  // expected-error @below {{expects at least one result}}
  "te.compute"() <{num_parallel = 1 : i64, operandSegmentSizes = array<i32: 0, 0>, static_sizes = array<i64: 4>}> ({}, {}, {
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
  %y = "te.compute"() <{num_parallel = 1 : i64, operandSegmentSizes = array<i32: 0, 0>, static_sizes = array<i64: -9223372036854775808>}> ({}, {}, {
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
  %y = "te.compute"() <{num_parallel = 1 : i64, operandSegmentSizes = array<i32: 0, 0>, static_sizes = array<i64: 4>}> ({}, {}, {
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
  // expected-error @below {{expected the set of a piece to use the parallel dims and the symbols only}}
  where (s0 - d0 >= 0) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @compute_C2_set_symbols(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expects piece 0 to be a set over the parallel dims and the symbols}}
  %y = "te.compute"(%n) <{num_parallel = 1 : i64, operandSegmentSizes = array<i32: 0, 1>, static_sizes = array<i64: 4>, where = [affine_set<(d0) : (d0 >= 0)>]}> ({}, {}, {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  }) : (index) -> tensor<4xf32>
  return
}

// -----

func.func @compute_C2_no_sets(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expects no symbols, since it has no 'where' sets}}
  %y = te.compute (d0: 4) symbols (%n) {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @compute_C2_dims(%x: tensor<4xf32>) {
  // expected-error @below {{expects piece 0 to be a set over the parallel dims and the symbols}}
  %y = "te.compute"() <{num_parallel = 1 : i64, operandSegmentSizes = array<i32: 0, 0>, static_sizes = array<i64: 4>, where = [affine_set<(d0, d1) : (d1 >= 0)>]}> ({}, {}, {
    %v = te.read %x[d0] : tensor<4xf32>
    te.yield %v : f32
  }) : () -> tensor<4xf32>
  return
}

// -----

func.func @compute_C3_combiner(%x: tensor<4xf32>) {
  // expected-error @below {{expects no combiner, init or epilogue, since it has no reduction dims}}
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
  // expected-error @below {{expects a combiner and init values, since it has reduction dims}}
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
  // expected-error @below {{expects results of the accumulator types, since it has no epilogue}}
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

func.func @update_C5(%base: tensor<4x8xf32>) {
  // expected-error @below {{is marked as injective, but 8 points along d1 write the same element}}
  %r = te.update (d0: 4, d1: 8) into %base[d0, 0] injective {
    %c = arith.constant 0.0 : f32
    te.yield %c : f32
  } : tensor<4x8xf32>
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

func.func @extern_C3_axis(%x: tensor<4xf32>, %k: tensor<1xi64>) {
  // expected-error @below {{expects 'axis' to be a dim of the first input}}
  te.extern @topk(%x, %k) sizes () [] {axis = -1 : i64} : (tensor<4xf32>, tensor<1xi64>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @extern_C3_topk(%x: tensor<4xf32>, %k: tensor<1xi64>) {
  // expected-error @below {{expects 'axis' to be a dim of the first input}}
  te.extern @topk(%x, %k) sizes () [] : (tensor<4xf32>, tensor<1xi64>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @extern_C4(%x: tensor<4xi1>) {
  // expected-error @below {{has no attribute 'axes'}}
  te.extern @nonzero(%x) sizes () [-1] {axes = 1 : i64} : (tensor<4xi1>) -> tensor<1x?xi64>
  return
}

// -----

func.func @extern_sorted(%x: tensor<4xi64>) {
  // expected-error @below {{attribute 'sorted' failed to satisfy constraint: bool attribute}}
  te.extern @nonzero(%x) sizes () [-1] {sorted = 1 : i64} : (tensor<4xi64>) -> tensor<1x?xi64>
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

// expected-error @below {{expects 'te.finite' of parameter 0 to be a unit attribute of a tensor of floats}}
te.kernel @kernel_C3(%x: tensor<4xi32> {te.finite}) {
  te.return
}

// -----

// expected-error @below {{expects 'te.window' of parameter 0 to be a #te.window with an entry for each dim of a tensor}}
te.kernel @kernel_C4(%x: tensor<4xf32> {te.window = #te.window<sizes = [8, 8], at = [0, 0]>}) {
  te.return
}

// -----

// expected-error @below {{expects 'te.window' of result 0 to be a #te.window with an entry for each dim of a tensor}}
te.kernel @kernel_C4_result(%x: tensor<4xf32>) -> (tensor<4xf32> {te.window}) {
  te.return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expects 'te.window' of parameter 0 to have room for dim 0 of 'tensor<4xf32>'}}
te.kernel @kernel_C4_room(%x: tensor<4xf32> {te.window = #te.window<sizes = [8], at = [5]>}) {
  te.return
}

// -----

// expected-error @below {{expects 'te.window' of parameter 0 to have room for dim 0 of 'tensor<?xf32>'}}
te.kernel @kernel_C4_dynamic(%x: tensor<?xf32> {te.sizes = array<i64: 1>, te.window = #te.window<sizes = [8], at = [0]>}, %n: index) {
  te.return
}

// -----

// expected-error @below {{expected a window to have a size and an index of at least 0 for each dim}}
te.kernel @window_C1(%x: tensor<4xf32> {te.window = #te.window<sizes = [8], at = [-1]>}) {
  te.return
}

// -----

// expected-error @below {{expected a window of size -1 not to begin at 2}}
te.kernel @window_C2(%x: tensor<4xf32> {te.window = #te.window<sizes = [-1], at = [2]>}) {
  te.return
}

// -----

// expected-error @below {{expects 'te.finite' of parameter 0 to be a unit attribute of a tensor of floats}}
te.kernel @kernel_C3_value(%x: tensor<4xf32> {te.finite = 1 : i32}) {
  te.return
}

// -----

func.func @launch_C1_missing(%x: tensor<4xf32>) {
  // expected-error @below {{expects a kernel named 'missing'}}
  te.launch @missing(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

te.kernel @k(%x: tensor<?xf32> {te.sizes = array<i64: 1>}, %n: index) {
  te.return
}
func.func @launch_C1_open(%x: tensor<4xf32>, %n: index) {
  // expected-error @below {{expects operands and results of kernel 'k', '(tensor<?xf32>, index) -> ()'}}
  te.launch @k(%x, %n) : (tensor<4xf32>, index) -> ()
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

// -----

func.func @piece_without_end() {
  // expected-error @below {{expects a piece to end with te.yield}}
  %y = "te.compute"() ({}, {}, {
  ^bb0:
  }) {static_sizes = array<i64: 4>, num_parallel = 1 : i64} : () -> tensor<4xf32>
  return
}

// -----

func.func @compute_C2_no_sets() {
  // expected-error @below {{expects one 'where' set for each of 1 pieces, got 0}}
  %y = "te.compute"() ({}, {}, {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }) {static_sizes = array<i64: 4>, num_parallel = 1 : i64, where = []} : () -> tensor<4xf32>
  return
}

// -----

func.func @compute_label() {
  // expected-error @below {{expects a label that is not empty}}
  %y = "te.compute"() ({}, {}, {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  }) {static_sizes = array<i64: 4>, num_parallel = 1 : i64, label = ""} : () -> tensor<4xf32>
  return
}

// -----

func.func @compute_dims() {
  // expected-error @below {{expects at most 64 dims, got 65}}
  %y = te.compute () reduce (
      d0: 1, d1: 1, d2: 1, d3: 1, d4: 1, d5: 1, d6: 1, d7: 1, d8: 1, d9: 1, d10: 1, d11: 1, d12: 1,
      d13: 1, d14: 1, d15: 1, d16: 1, d17: 1, d18: 1, d19: 1, d20: 1, d21: 1, d22: 1, d23: 1,
      d24: 1, d25: 1, d26: 1, d27: 1, d28: 1, d29: 1, d30: 1, d31: 1, d32: 1, d33: 1, d34: 1,
      d35: 1, d36: 1, d37: 1, d38: 1, d39: 1, d40: 1, d41: 1, d42: 1, d43: 1, d44: 1, d45: 1,
      d46: 1, d47: 1, d48: 1, d49: 1, d50: 1, d51: 1, d52: 1, d53: 1, d54: 1, d55: 1, d56: 1,
      d57: 1, d58: 1, d59: 1, d60: 1, d61: 1, d62: 1, d63: 1, d64: 1) init (0.0 : f32) {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  } combine arith.addf : tensor<f32>
  return
}

// -----

func.func @index_constant() {
  %y = te.compute (d0: 4) {
    // expected-error @below {{expects the constants of index expressions to be above -2^63}}
    %i = te.index -9223372036854775807 - 1
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @inside_constant() {
  %y = te.compute (d0: 4) {
    // expected-error @below {{expects the constants of index expressions to be above -2^63}}
    %i = te.inside (d0 - 9223372036854775807 - 1 >= 0)
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @update_map(%x: tensor<4xf32>) {
  // expected-error @below {{expected index expressions over 1 dims}}
  %y = te.update (d0: 4) into %x[d5] {
    %one = arith.constant 1.0 : f32
    te.yield %one : f32
  } : tensor<4xf32>
  return
}

// -----

func.func @update_without_body(%x: tensor<4xf32>) {
  // expected-error @below {{expected an operation on two accumulators}}
  %y = te.update (d0: 4) into %x[d0] {} combine arith.addf : tensor<4xf32>
  return
}

// -----

// expected-error @below {{expects attributes for each of 2 parameters, got 1}}
"te.kernel"() ({
^bb0(%x: tensor<?xf32>, %n: index):
  te.return
}, {}) {sym_name = "k", function_type = (tensor<?xf32>, index) -> (), arg_attrs = [{}]} : () -> ()

// -----

// expected-error @below {{expects attributes for each of 1 results, got 0}}
"te.kernel"() ({
^bb0(%x: tensor<4xf32>):
  te.return %x : tensor<4xf32>
}, {}) {sym_name = "k", function_type = (tensor<4xf32>) -> (tensor<4xf32>), res_attrs = []} : () -> ()

// -----

// expected-error @below {{expects a name that is not empty}}
"te.kernel"() ({
  te.return
}, {}) {sym_name = "", function_type = () -> ()} : () -> ()

// -----

// expected-error @below {{expects the schedule to take (), got ('!layout.loop')}}
"te.kernel"() ({
  te.return
}, {
^bb0(%loop: !layout.loop):
  layout.vectorize %loop
}) {sym_name = "k", function_type = () -> ()} : () -> ()

// -----

// expected-error @below {{expects 'te.sizes' of parameter 0 to name a parameter of type index for dim 0}}
te.kernel @static_size(%x: tensor<4xf32> {te.sizes = array<i64: 7>}) {
  te.return
}

// -----

// expected-error @below {{expects 'te.sizes' with an entry per dim on parameter 0}}
te.kernel @sizes_of_scalar(%n: index {te.sizes = array<i64: 0>}) {
  te.return
}

// -----

func.func @join_C1(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{expects two parts or more}}
  %c = te.join %x axis 0 : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// -----

func.func @join_C1_type(%x: tensor<2xf32>, %y: tensor<2xi32>) -> tensor<4xf32> {
  // expected-error @below {{expects parts of 'tensor<4xf32>', got 'tensor<2xi32>'}}
  %c = te.join %x, %y axis 0 : (tensor<2xf32>, tensor<2xi32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

func.func @join_C1_sizes(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<4x3xf32> {
  // expected-error @below {{expects parts of 'tensor<4x3xf32>', got 'tensor<2x4xf32>'}}
  %c = te.join %x, %y axis 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return %c : tensor<4x3xf32>
}

// -----

func.func @join_C2(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<?xf32> {
  // expected-error @below {{expects 'axis' to be a dim of constant size of 'tensor<?xf32>'}}
  %c = te.join %x, %y axis 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<?xf32>
  return %c : tensor<?xf32>
}

// -----

func.func @join_C2_sum(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<5xf32> {
  // expected-error @below {{expects parts that fill 'tensor<5xf32>', 1 are missing}}
  %c = te.join %x, %y axis 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<5xf32>
  return %c : tensor<5xf32>
}
