/* The sampled and counted instructions of tests/unit. */
#include "tests/unit/made_lines.c"
