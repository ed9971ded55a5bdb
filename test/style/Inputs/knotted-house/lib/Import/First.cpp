#include "tssa/Import/First.h"
#include "Second.h"
