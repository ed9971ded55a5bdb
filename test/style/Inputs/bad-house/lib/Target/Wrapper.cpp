// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct HandWritten : PassWrapper<HandWritten, OperationPass<ModuleOp>> {};
