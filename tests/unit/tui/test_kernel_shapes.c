/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of one run with one name: told apart by their launch, and only then. */
#include "tui/widgets/short_names.h"

#include <criterion/criterion.h>
#include <string.h>

static struct session *session;
static struct error error;

static uint32_t add_kernel(uint32_t run, const char *name, uint32_t grid, uint16_t block,
                           uint32_t dynamic_bytes)
{
    struct shape_row shape = {.name = session_add_string(session, name, strlen(name)),
                              .grid = {grid, grid > 100 ? 2 : 1, 1},
                              .block = {block, 1, 1},
                              .dynamic_shared_bytes = dynamic_bytes};
    uint32_t kernel = session_add_kernel(session, run, session_add_shape(session, &shape), 0);
    cr_assert_neq(kernel, NONE);
    return kernel;
}

static uint32_t add_run(void)
{
    return session_add_run(session, &(struct run_row){.process = NONE, .group = session_run_count(session)});
}

static void name_is(struct short_names *names, uint32_t kernel, int cells, const char *wanted)
{
    char text[200];
    cr_assert(short_names_print_kernel(names, session, kernel, cells, text, sizeof text));
    cr_assert_str_eq(text, wanted);
}

Test(kernel_shapes, launches_tell_kernels_of_one_name_apart)
{
    cr_assert_eq(session_create(&session, 0, &error), STATUS_OK);
    uint32_t first = add_run(), second = add_run();
    uint32_t scale = add_kernel(first, "scale", 64, 128, 0);
    uint32_t add = add_kernel(first, "add", 64, 128, 0), other = add_kernel(second, "add", 32, 128, 0);
    uint32_t seen = 0;
    struct short_names *names = short_names_create();
    cr_assert(short_names_add_session(names, session, &seen));
    name_is(names, scale, SHORT_NAME_WHOLE, "scale");
    name_is(names, add, SHORT_NAME_WHOLE, "add"); /* the other run's has another launch */
    name_is(names, other, SHORT_NAME_WHOLE, "add");

    /* They come while the session grows. */
    uint32_t wide = add_kernel(first, "scale", 512, 64, 0),
             shared = add_kernel(first, "scale", 64, 128, 4096);
    name_is(names, scale, SHORT_NAME_WHOLE, "scale <<<64,128>>>");
    name_is(names, wide, SHORT_NAME_WHOLE, "scale <<<512x2,64>>>");
    name_is(names, shared, SHORT_NAME_WHOLE, "scale <<<64,128,4096>>>");
    name_is(names, scale, 20, "scale <<<64,128>>>");
    name_is(names, wide, 17, "scale grid 512x2"); /* what no other launch has */
    name_is(names, shared, 18, "scale");          /* neither grid nor block tells it apart */
    name_is(names, scale, 12, "scale");           /* no room for both */
    uint32_t block = add_kernel(first, "scale", 64, 32, 0);
    name_is(names, block, 15, "scale block 32");
    name_is(names, add, SHORT_NAME_WHOLE, "add");
    short_names_destroy(names);
    session_destroy(session);
}
