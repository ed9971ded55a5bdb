// RUN: tssa-opt %s -split-input-file -verify-diagnostics

te.kernel @split_C1(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expects factors of at least 1, got 0}}
  %o, %l = layout.split %i [*, 0]
}

// -----

te.kernel @bind_C1(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expects level parallel, block or lane, got 'cluster'}}
  layout.bind %i to cluster
}

// -----

te.kernel @cache_C1_operand(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expects the index of an operand, got -1}}
  layout.cache -1 at %i to shared
}

// -----

te.kernel @cache_C1_level(%x: tensor<8xf32>) -> tensor<8xf32> {
  te.return %x : tensor<8xf32>
} schedule {
  %i = layout.loops @y : !layout.loop
  // expected-error @below {{expects level shared, got 'registers'}}
  layout.cache 0 at %i to registers
}
