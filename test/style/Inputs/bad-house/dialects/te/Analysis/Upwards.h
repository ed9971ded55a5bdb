#include "dialects/te/Transforms/Passes.h"
