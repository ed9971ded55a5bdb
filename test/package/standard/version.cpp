#include "tssa/tssa.hpp"

static_assert(__cplusplus >= 201703L, "TSSA::runtime asks for C++17");

int main() { return tssa_version() == 0; }
