#include "dialects/layout/IR/LayoutOps.h"
