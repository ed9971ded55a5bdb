#include "tssa/Conversion/Passes.h"
#include "../Conversion/Passes.h"
