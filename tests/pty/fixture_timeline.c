/* The same for the timeline. */
#include "tests/unit/fixture_timeline.c"
