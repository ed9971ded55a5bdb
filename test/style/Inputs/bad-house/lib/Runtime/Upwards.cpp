#include "dialects/te/IR/TEOps.h"
