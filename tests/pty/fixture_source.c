/* The source of the fixture of tests/unit. */
#include "tests/unit/fixture_source.c"
