/* The session made by hand of the unit tests, for the tests that run the screen alone in a pseudo-terminal.
 */
#include "tests/unit/fixture_session.c"
