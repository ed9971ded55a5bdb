#include "Other.h"
