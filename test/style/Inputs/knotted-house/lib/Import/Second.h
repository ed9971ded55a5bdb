#include "lib/Import/Third.h"
