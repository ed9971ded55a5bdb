#include "tssa/tssa.h"

int main(void) { return tssa_version() == 0; }
