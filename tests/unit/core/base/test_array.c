/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays grow to what is asked for and no size wraps around; texts are cut, never overrun; clocks are ns. */
#include "core/base/append.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/free_memory.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Test(array, keeps_what_it_holds_when_it_grows)
{
    uint64_t *numbers = NULL;
    size_t room = 0;
    for (size_t count = 0; count < 1000; count++) {
        cr_assert(array_grow(numbers, room, count, 1));
        cr_assert_gt(room, count);
        numbers[count] = count * count;
    }
    for (size_t i = 0; i < 1000; i++)
        cr_assert_eq(numbers[i], i * i);
    free(numbers);
}

/* Of 64 MB nothing but the ends of arrays is memory of the process. */
Test(array, lies_in_files_where_it_may)
{
    uint64_t *numbers = NULL, count = 8u << 20, *made;
    size_t room = 0;
    array_use_folder(".");
    uint64_t before = own_memory_bytes();
    for (size_t i = 0; i < count; i++) {
        cr_assert(array_grow(numbers, room, i, 1));
        numbers[i] = i * i;
    }
    made = array_make(count, sizeof *made);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(numbers[i], i * i);
        cr_assert_eq(made[i], 0);
        made[i] = i;
    }
    uint64_t held = own_memory_bytes(), most = before + ((uint64_t)8 << 20);
#ifdef SANITIZES_ADDRESSES
    most += (uint64_t)64 << 20; /* its shadow, and what it keeps of freed memory */
#endif
    cr_assert_gt(before, 0);
    cr_expect_lt(held, most, "%lu, before %lu", (unsigned long)held, (unsigned long)before);
    array_use_folder("/nonexistent"); /* then it stays in memory */
    cr_assert(array_grow(numbers, room, room, 1));
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(numbers[i], i * i);
    free(numbers);
    free(made);
    array_use_folder(NULL);
}

Test(array, makes_room_for_many_at_once)
{
    char *bytes = NULL;
    uint32_t room = 0;
    cr_assert(array_grow(bytes, room, 0, 100000));
    cr_assert_geq(room, 100000u);
    memset(bytes, 1, 100000);
    char *const before = bytes;
    cr_assert(array_grow(bytes, room, 99999, 1));
    cr_assert_eq(bytes, before);
    free(bytes);
}

Test(array, refuses_sizes_that_wrap_around)
{
    struct {
        char bytes[64];
    } *rows = NULL;
    size_t room = 0;
    uint32_t room_32 = 0;
    cr_assert_not(array_grow(rows, room, 0, SIZE_MAX / 64 + 1));
    cr_assert_not(array_grow(rows, room, SIZE_MAX, 1));
    cr_assert_not(array_grow(rows, room, 1, SIZE_MAX));
    cr_assert_not(array_grow(rows, room_32, UINT32_MAX, 1));
    cr_assert_null(rows);
    cr_assert_eq(room, 0);
    cr_assert_eq(room_32, 0);
}

Test(append, appends_and_cuts)
{
    char text[8] = "";
    size_t used = 0;
    cr_assert(append_text(text, sizeof text, &used, "%s%d", "ab", 12));
    cr_assert_eq(used, 4);
    cr_assert(append_text(text, sizeof text, &used, "cde"));
    cr_assert_str_eq(text, "ab12cde");
    cr_assert_not(append_text(text, sizeof text, &used, "f"));
    cr_assert_str_eq(text, "ab12cde");
    cr_assert_eq(used, 7);
    used = 5;
    cr_assert_not(append_text(text, sizeof text, &used, "%s", "long text"));
    cr_assert_str_eq(text, "ab12clo");
    cr_assert_eq(used, 7);
}

Test(clock, converts_and_goes_on)
{
    struct timespec time = timespec_of(12 * (int64_t)NS_PER_S + 34);
    cr_assert_eq(time.tv_sec, 12);
    cr_assert_eq(time.tv_nsec, 34);
    cr_assert_eq(timespec_ns(time), 12000000034);
    int64_t before_ns = clock_monotonic_ns();
    clock_pause(1000000);
    cr_assert_geq(clock_monotonic_ns() - before_ns, 1000000);
    cr_assert_gt(clock_real_ns(), (int64_t)1700000000 * NS_PER_S);
}

/* A folder that a killed program left goes when the next one is made; not a new one, nor one in use, nor another's. */
Test(folder, removes_what_is_left)
{
    char base[] = "/tmp/lanescope-folder-XXXXXX", left[300], file[400], made[300], other[300];
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    cr_assert(mkdtemp(base) && setenv("TMPDIR", base, 1) == 0);
    snprintf(left, sizeof left, "%s/some-left", base);
    snprintf(file, sizeof file, "%s/file", left);
    snprintf(other, sizeof other, "%s/somebody-left", base);
    cr_assert(mkdir(left, 0700) == 0 && mkdir(other, 0700) == 0);
    cr_assert_eq(close(open(file, O_CREAT | O_WRONLY, 0600)), 0);
    int first = folder_make("some", made, sizeof made);
    cr_assert_geq(first, 0);
    cr_expect_eq(access(file, F_OK), 0, "it is new");
    cr_assert(utimensat(AT_FDCWD, left, old, 0) == 0 && utimensat(AT_FDCWD, made, old, 0) == 0 &&
              utimensat(AT_FDCWD, other, old, 0) == 0);
    close(folder_make("some", file, sizeof file));
    cr_expect_neq(access(left, F_OK), 0);
    cr_expect_eq(access(made, F_OK), 0, "it is in use");
    cr_expect_eq(access(other, F_OK), 0, "its name is another one");
    close(first);
    folder_remove(base);
    cr_expect_neq(access(base, F_OK), 0);
}
