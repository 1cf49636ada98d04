/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agent's capture of call paths in a native program: tests/doubles/stacks.c, loaded as the agent is. Its
 * use inside Python is tests/unit/cupti/stacks.py.
 */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#ifndef TEST_AGENT
#include "tests/no_agent.h"
#else

static uint32_t (*capture)(void);
static const char *(*text_of)(uint32_t id);
static uint32_t (*announced)(void);
static void (*refuse)(uint32_t announcements);

static void find(void *library, const char *name, void *function)
{
    void *symbol = library ? dlsym(library, name) : NULL;
    cr_assert(symbol != NULL, "%s", dlerror());
    memcpy(function, &symbol, sizeof symbol);
}

static void enter(void)
{
    void *library = dlopen(TEST_BUILD_DIR "/tests/stacks_double.so", RTLD_NOW | RTLD_LOCAL);
    find(library, "stacks_double_capture", &capture);
    find(library, "stacks_double_text", &text_of);
    find(library, "stacks_double_announced", &announced);
    find(library, "stacks_double_refuse", &refuse);
}

TestSuite(stacks, .init = enter);

/* What follows the call keeps the frame: a call at the end would be a jump. */
#define KEEP_FRAME __asm__ volatile("" ::: "memory")

__attribute__((noinline)) static uint32_t call_inner(void)
{
    uint32_t id = capture();
    KEEP_FRAME;
    return id;
}

__attribute__((noinline)) static uint32_t call_outer(int depth)
{
    uint32_t id = depth == 0 ? call_inner() : call_outer(depth - 1);
    KEEP_FRAME;
    return id;
}

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Neither function is exported: their names come from the program's symbol table. */
Test(stacks, names_static_functions_innermost_first)
{
    const char *text = text_of(call_outer(0));
    const char *inner = strstr(text, "test_stacks:0 call_inner\n"), *outer = strstr(text, ":0 call_outer\n");
    cr_assert(inner != NULL && outer != NULL && inner < outer, "%s", text);
    cr_assert(strncmp(text, "/", 1) == 0, "an object is named by its path: %s", text);
    cr_assert(strstr(text, "stacks_double") == NULL, "%s", text);
}

Test(stacks, announces_a_path_once)
{
    uint32_t first = 0, more = 0;
    for (int i = 0; i < 100; i++) {
        uint32_t id = call_outer(1);
        more = i == 0 ? announced() : more;
        first = i == 0 ? id : first;
        cr_assert(id == first && announced() == more);
    }
    cr_assert(first != 0 && call_outer(2) != first);
}

Test(stacks, keeps_the_innermost_frames_of_a_deep_path)
{
    const char *text = text_of(call_outer(10000));
    /* 64 frames without those of the library, and a sentence. */
    cr_assert(lines_of(text) > 50 && lines_of(text) <= 64, "%s", text);
    cr_assert(strstr(text, "call_inner") != NULL && strstr(text, "\n:0 (further callers)\n") != NULL);
}

Test(stacks, tries_again_when_the_ring_was_full)
{
    uint32_t ids[3];
    refuse(1);
    for (int i = 0; i < 3; i++)
        ids[i] = call_outer(3);
    cr_assert(ids[0] == 0 && ids[1] != 0 && ids[1] == ids[2]);
}

static void *capture_often(void *ids)
{
    for (uint32_t i = 0; i < 2000; i++)
        ((uint32_t *)ids)[i % 40] = call_outer((int)(i % 40));
    return ids;
}

Test(stacks, threads_agree_on_ids)
{
    pthread_t threads[4];
    static uint32_t ids[4][40];
    for (int i = 0; i < 4; i++)
        cr_assert(pthread_create(&threads[i], NULL, capture_often, ids[i]) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 1; i < 4; i++)
        cr_assert(memcmp(ids[i], ids[0], sizeof ids[0]) == 0 && ids[i][0] != 0);
}
#endif
