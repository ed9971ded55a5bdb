// RUN: tool %s | FileCheck %s
// CHECK: one
