#include "dialects/te/IR/TEOps.h"
#include "dialects/layout/IR/LayoutOps.h"
