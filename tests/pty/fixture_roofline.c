/* The fixture of the roofline, for the screen's tests in a terminal. */
#include "tests/unit/fixture_roofline.c"
