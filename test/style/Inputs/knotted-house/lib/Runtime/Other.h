#include "memory"
