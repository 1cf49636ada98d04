/* What the fixture of the unit tests is made with. */
#include "tests/unit/fixture_accesses.c"
