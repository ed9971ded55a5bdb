//===- RoundingPasses.td - passes that round values ---------*- tablegen -*-===//
//
// Part of TSSA, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DIALECTS_TE_TRANSFORMS_ROUNDINGPASSES
#define DIALECTS_TE_TRANSFORMS_ROUNDINGPASSES

include "mlir/Pass/PassBase.td"

def TERoundContractions : Pass<"te-round-contractions", "::mlir::func::FuncOp"> {
  let summary = "round the factors of matrix products and convolutions";
  let description = [{
    A contraction is a sum of products of two f32 elements: a matrix product, a convolution, the
    products of attention and of recurrent cells. Both factors are rounded; products, sums and what
    follows stay f32. With `to=f16` or `bf16` (to nearest, ties to even), a tensor of the shorter
    type holds the rounded factor, and the body extends its elements. With `to=tf32` (10 bits of
    mantissa, to nearest, ties away from zero; NaNs stay), it stays a tensor of f32, and the products
    have the attribute `te.tf32`, so that a device may compute them by instructions that take factors
    of tf32. Each tensor is rounded once, for all its readers, and constants are rounded by the pass.
    te-merge computes a rounding where its tensor is made, and never for each product. Remarks count
    what was rounded, and say why other sums of products were not. The machine has no influence.

    - **Needs**: to run before te-merge, which moves other operations into the factors.
    - **Keeps**: inputs, results, and all values but the factors; code for any machine gives the
      same numbers, up to the order of sums.
    - **Gives up**: factors that the body computes, types other than f32, products of elements by
      themselves, as in sums of squares, and sums with less than 2^15 products in all, as if open
      sizes are 64.

    ```mlir
    // Before
    func.func @f(%x: tensor<64x32xf32>, %w: tensor<32x16xf32>) -> tensor<64x16xf32> {
      %y = te.compute (d0: 64, d1: 16) reduce (d2: 32) init (0.0 : f32) {
        %a = te.read %x[d0, d2] : tensor<64x32xf32>
        %b = te.read %w[d2, d1] : tensor<32x16xf32>
        %p = arith.mulf %a, %b : f32
        te.yield %p : f32
      } combine arith.addf : tensor<64x16xf32>
      return %y : tensor<64x16xf32>
    }

    // After
    ...
    %0 = te.compute (d0: 64, d1: 32) {
      %3 = te.read %arg0[d0, d1] : tensor<64x32xf32>
      %4 = arith.truncf %3 : f32 to bf16
      te.yield %4 : bf16
    } : tensor<64x32xbf16>
    ...
    %2 = te.compute (d0: 64, d1: 16) reduce (d2: 32) init (0.000000e+00 : f32) {
      %3 = te.read %0[d0, d2] : tensor<64x32xbf16>
      %4 = arith.extf %3 : bf16 to f32
      %5 = te.read %1[d2, d1] : tensor<32x16xbf16>
      %6 = arith.extf %5 : bf16 to f32
      %7 = arith.mulf %4, %6 : f32
      te.yield %7 : f32
    } combine arith.addf : tensor<64x16xf32>
    ...
    ```
  }];
  let options = [Option<"to", "to", "::tssa::Precision", "::tssa::Precision::BF16",
                        "what factors are rounded to", "::tssa::getRoundedPrecisions()">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tssa::te::TEDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numRounded", "rounded", "contractions with rounded factors">,
    Statistic<"numTensors", "tensors", "tensors that expressions round">,
    Statistic<"numConstants", "constants", "constants that were rounded">];
}

#endif // DIALECTS_TE_TRANSFORMS_ROUNDINGPASSES
