// RUN: tssa-opt %s -cuda-outline-kernels -split-input-file -verify-diagnostics
// RUN: %python -c "print('func.func @wide(' + ''.join(chr(37) + f'a{i}: memref<?xf32>, ' for i in range(4095)) + chr(37) + 'e: memref<?xi32>) attributes {te.block = #te.block<threads = 32, shared_bytes = 0>} { return }')" > %t.mlir
// RUN: not tssa-opt %t.mlir -cuda-outline-kernels 2>&1 | FileCheck %s
// CHECK: error: has 32768 bytes of parameters, more than the 32764 that a kernel for CUDA can have

func.func @size(%x: memref<?xf32>, %out: memref<?xindex>, %errors: memref<?xi32>) attributes {te.block = #te.block<threads = 32, shared_bytes = 0>} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{a device function cannot read the size of its parameter}}
  %n = memref.dim %x, %c0 : memref<?xf32>
  memref.store %n, %out[%c0] : memref<?xindex>
  return
}

// -----

// expected-error @+1 {{expected memrefs of one dim as parameters of a device function, got 'memref<?x?xf32>'}}
func.func @rank(%x: memref<?x?xf32>, %errors: memref<?xi32>) attributes {te.block = #te.block<threads = 32, shared_bytes = 0>} {
  return
}

// -----

// expected-error @+1 {{expected a device function with a body and no results}}
func.func @result(%n: index) -> index attributes {te.block = #te.block<threads = 32, shared_bytes = 0>} {
  return %n : index
}
