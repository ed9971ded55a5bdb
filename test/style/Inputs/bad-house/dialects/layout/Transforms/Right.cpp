#include "dialects/te/IR/TEOps.h"
#include "tssa/Support/Errors.h"
#include "mlir/IR/Builders.h"
