/* SPDX-License-Identifier: Apache-2.0 */
/* ELF files: this test's own program, files that are none, and damaged ones. */
#include "core/base/elf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) void function_of_this_test(void);
void function_of_this_test(void)
{
    __asm__ volatile("");
}

static bool find_own(void *owner, const struct elf_function *function)
{
    *(uint64_t *)owner += strcmp(function->name, "function_of_this_test") == 0 && function->size_bytes > 0;
    return true;
}

static bool count_until_third(void *owner, const struct elf_function *function)
{
    (void)function;
    return ++*(int *)owner < 3;
}

Test(elf, this_program)
{
    struct elf elf;
    struct error error;
    uint64_t found = 0;
    int visited = 0;

    function_of_this_test();
    cr_assert_eq(elf_map(&elf, "/proc/self/exe", &error), STATUS_OK, "%s", error.text);
    cr_assert(elf_visit_functions(&elf, find_own, &found));
    cr_assert_eq(found, 1);
    cr_assert(elf_visit_functions(&elf, count_until_third, &visited));
    cr_assert_eq(visited, 3);
    cr_assert(elf_has_section(&elf, ".text") && !elf_has_section(&elf, ".nv_fatbin"));
    cr_assert(elf_needed(&elf, "libcriterion.so") && !elf_needed(&elf, "libcudart.so"));
    elf_unmap(&elf);
}

Test(elf, no_program)
{
    struct elf elf;
    struct error error;

    cr_assert_eq(elf_map(&elf, "/no/such/file", &error), STATUS_IO);
    cr_assert_eq(elf_map(&elf, "/dev/null", &error), STATUS_FORMAT);
    cr_assert_eq(elf_map(&elf, "/", &error), STATUS_FORMAT);
    cr_assert_eq(elf_map(&elf, TEST_SOURCE_DIR "/README.md", &error), STATUS_FORMAT);
    cr_assert(strstr(error.text, "README.md is not"), "%s", error.text);
}

/* Cut and damaged anywhere, also where it says how much there is: an answer, within bounds (the sanitizer's
 * to say). */
Test(elf, of_any_bytes)
{
    struct elf elf;
    enum { ROUNDS = 3000, HEADS = 64 };

    cr_assert_eq(elf_map(&elf, "/proc/self/exe", NULL), STATUS_OK);
    uint8_t *bytes = malloc(elf.size_bytes);
    uint64_t sections;
    memcpy(&sections, elf.bytes + 0x28, sizeof sections);
    memcpy(bytes, elf.bytes, elf.size_bytes);
    srand(7);
    for (int round = 0; round < ROUNDS; round++) {
        bool head = rand() % 2;
        size_t begin = head ? 0 : sections, most = head ? HEADS : elf.size_bytes - sections;
        size_t at = begin + (size_t)rand() % most, size = elf.size_bytes - at < 8 ? elf.size_bytes - at : 8;
        uint64_t value = rand() % 3 ? (uint64_t)rand() : UINT64_MAX - (uint64_t)(rand() % 64), found = 0;
        const struct elf part = {bytes, rand() % 4 ? elf.size_bytes : (size_t)rand() % elf.size_bytes};

        memcpy(bytes + at, &value, size);
        elf_visit_functions(&part, find_own, &found);
        elf_has_section(&part, ".nv_fatbin");
        elf_needed(&part, "libcudart.so");
        cr_assert_leq(found, 1);
        memcpy(bytes + at, elf.bytes + at, size);
    }
    free(bytes);
    elf_unmap(&elf);
}
