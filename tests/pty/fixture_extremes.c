/* The fixture of the extremes, for the screen's tests in a terminal. */
#include "tests/unit/fixture_extremes.c"
