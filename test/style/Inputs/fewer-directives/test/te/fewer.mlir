// RUN: tool %s | FileCheck %s --check-prefixes=FIRST,SECOND
// RUN: tool %s -verify-diagnostics
// FIRST: one
// SECOND-NEXT: two
// THIRD: of no prefix
// expected-error @below {{wrong}}
