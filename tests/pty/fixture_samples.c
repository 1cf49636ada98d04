/* The same for samples. */
#include "tests/unit/fixture_samples.c"
