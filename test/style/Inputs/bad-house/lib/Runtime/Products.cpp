// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
int64_t count = tensor.shape[0] * tensor.shape[1];
int64_t bytes = type.getNumElements() * 4;
// in range: both are below 64
int64_t lanes = shape[0] * 2;
