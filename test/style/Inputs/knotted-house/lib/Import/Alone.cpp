#include "tssa/Import/First.h"
