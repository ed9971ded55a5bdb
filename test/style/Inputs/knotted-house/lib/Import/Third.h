#include "lib/Import/Fourth.h"
