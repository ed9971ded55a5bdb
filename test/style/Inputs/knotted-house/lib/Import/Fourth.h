#include "vector"
