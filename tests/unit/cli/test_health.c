/* SPDX-License-Identifier: Apache-2.0 */
/* The sensors: NVML's answers as numbers and as a line, against a library that answers as NVML does. */
#include "cli/machine/health.h"
#include "cli/machine/nvml.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DOUBLE TEST_BUILD_DIR "/tests/nvml_double.so"

static const uint8_t first_board[16] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                                        0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
static const uint8_t by_index[16];

static struct device_health read_board(const uint8_t uuid[16], uint32_t index)
{
    struct nvml *nvml = NULL;
    struct error error = {0};
    struct device_health health;
    cr_assert_eq(nvml_open(&nvml, DOUBLE, &error), STATUS_OK, "%s", error.text);
    nvml_health(nvml, uuid, index, &health);
    nvml_close(nvml);
    return health;
}

static const char *line_of(const struct device_health *health)
{
    static char line[400];
    device_health_line(health, line, sizeof line);
    return line;
}

Test(health, memory_alone)
{
    struct nvml *nvml = NULL;
    struct error error = {0};
    uint64_t used_bytes = 0, total_bytes = 0;
    cr_assert_eq(nvml_open(&nvml, DOUBLE, &error), STATUS_OK, "%s", error.text);
    cr_assert(nvml_read_memory(nvml, 0, &used_bytes, &total_bytes));
    cr_assert(used_bytes == 12754820096 && total_bytes == 150754820096);
    cr_assert(nvml_read_memory(nvml, 1, &used_bytes, &total_bytes));
    cr_assert_not(nvml_read_memory(nvml, 2, &used_bytes, &total_bytes));
    nvml_close(nvml);
}

Test(health, numbers_are_what_the_library_says)
{
    struct device_health health = read_board(first_board, 7);
    cr_assert(health.available, "%s", health.why);
    const int64_t wanted[HEALTH_COUNT] = {
        [HEALTH_gpu_use_pct] = 43,
        [HEALTH_memory_use_pct] = 17,
        [HEALTH_core_clock_mhz] = 1755,
        [HEALTH_core_clock_max_mhz] = 1980,
        [HEALTH_memory_clock_mhz] = 3201,
        [HEALTH_power_mw] = 411600,
        [HEALTH_power_limit_mw] = 700000,
        [HEALTH_temperature_c] = 61,
        [HEALTH_ecc_corrected] = 3,
        [HEALTH_ecc_uncorrected] = 1,
        [HEALTH_performance_state] = 2,
        [HEALTH_fan_pct] = 30,
        [HEALTH_ecc_lifetime_corrected] = 99,
        [HEALTH_ecc_lifetime_uncorrected] = 7,
        [HEALTH_persistence_mode] = 1,
        [HEALTH_memory_used_bytes] = 12754820096,
        [HEALTH_memory_total_bytes] = 150754820096,
    };
    for (int i = 0; i < HEALTH_COUNT; i++)
        cr_assert_eq(health_number(&health, (enum health_number)i), wanted[i], "%s",
                     health_number_id((enum health_number)i));
    char text[40];
    health_number_text(&health, HEALTH_performance_state, text, sizeof text);
    cr_assert_str_eq(text, "P2");
    health_number_text(&health, HEALTH_persistence_mode, text, sizeof text);
    cr_assert_str_eq(text, "on");
    cr_assert_str_eq(health_word(&health, HEALTH_serial_number), "1652922011111");
    cr_assert_str_eq(health_word(&health, HEALTH_vbios_version), "96.00.A5.00.01");
    cr_assert_str_eq(health_word(&health, HEALTH_inforom_version), "G520.0200.00.05");
    cr_assert(health.processes_known);
    cr_assert_eq(health.process_count, 2);
    cr_assert_eq(health.processes[0].pid, 4711);
    cr_assert_eq(health.processes[0].memory_bytes, 512000000);
    cr_assert_str_eq(health.processes[0].name, "/usr/bin/train\x1b[31m"); /* made visible where it is shown */
    cr_assert_eq(health.processes[1].memory_bytes, HEALTH_UNKNOWN);
    cr_assert_str_eq(health.processes[1].name, "");
    cr_assert_str_eq(line_of(&health), "43 % used, 1,755 MHz, 412 of 700 W, 61 C, 12.8 of 151 GB, "
                                       "ECC errors: 3 corrected, 1 not, 2 processes");
    cr_assert_gt(health.cost_ns, 0);
}

Test(health, what_a_gpu_does_not_give_is_not_zero)
{
    struct device_health health = read_board(by_index, 1);
    char text[40];
    cr_assert(health.available);
    for (int i = 0; i < HEALTH_COUNT; i++) {
        bool memory = i == HEALTH_memory_used_bytes || i == HEALTH_memory_total_bytes;
        cr_assert_eq(health_number(&health, (enum health_number)i) == HEALTH_UNKNOWN, !memory, "%s",
                     health_number_id((enum health_number)i));
        health_number_text(&health, (enum health_number)i, text, sizeof text);
        cr_assert_eq(strcmp(text, "n/a") == 0, !memory);
    }
    for (int i = 0; i < HEALTH_WORD_COUNT; i++)
        cr_assert_str_eq(health_word(&health, (enum health_word)i), "n/a");
    cr_assert_not(health.processes_known);
    cr_assert_str_eq(line_of(&health), "12.8 of 151 GB");
}

Test(health, a_performance_state_that_nvml_does_not_know)
{
    setenv("NVML_DOUBLE_STATE", "32", 1);
    cr_assert_eq(read_board(first_board, 0).performance_state, HEALTH_UNKNOWN);
}

Test(health, more_processes_than_can_be_named_are_counted)
{
    setenv("NVML_DOUBLE_PROCESSES", "40", 1);
    struct device_health health = read_board(first_board, 0);
    cr_assert(health.processes_known);
    cr_assert_eq(health.process_count, 40);
    cr_assert_eq(health.processes[0].pid, 0);
}

Test(health, no_library_and_no_driver_are_said)
{
    struct nvml *nvml = NULL;
    struct error error = {0};
    cr_assert_eq(nvml_open(&nvml, "/nowhere/libnvidia-ml.so.1", &error), STATUS_NO_DEVICE);
    cr_assert(strstr(error.text, "/nowhere/libnvidia-ml.so.1") && strstr(error.text, "driver"), "%s",
              error.text);
    cr_assert_null(nvml);
    cr_assert_eq(nvml_open(&nvml, "libc.so.6", &error), STATUS_NO_DEVICE);
    cr_assert(strstr(error.text, "libc.so.6 has no nvmlInit_v2"), "%s", error.text);
    setenv("NVML_DOUBLE_INIT", "9", 1);
    cr_assert_eq(nvml_open(&nvml, DOUBLE, &error), STATUS_NO_DEVICE);
    cr_assert(strstr(error.text, "Driver Not Loaded"), "%s", error.text);
    unsetenv("NVML_DOUBLE_INIT");
    static const uint8_t stranger[16] = {1};
    struct device_health health = read_board(stranger, 0);
    cr_assert_not(health.available);
    cr_assert(strstr(line_of(&health), "does not know this GPU: Not Found"), "%s", line_of(&health));
}

/* Every line fits what it is given. */
Test(health, lines_are_cut_to_their_room)
{
    struct device_health health = read_board(first_board, 0);
    char whole[400], cut[400];
    device_health_line(&health, whole, sizeof whole);
    for (size_t size = 1; size < sizeof whole; size++) {
        memset(cut, '#', sizeof cut);
        device_health_line(&health, cut, size);
        cr_assert(memchr(cut, '\0', size), "size %zu", size);
        cr_assert_lt(strlen(cut), size);
        cr_assert_eq(cut[size], '#');
        if (size > strlen(whole))
            cr_assert_str_eq(cut, whole);
    }
}

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Asks until the number of readings is `wanted` or more. */
static struct device_health wait_for_reading(struct health *health, const uint8_t uuid[16], uint64_t wanted)
{
    struct device_health reading;
    int64_t until_ms = clock_ms() + 60000;
    while (health_ask(health, uuid, &reading) < wanted && clock_ms() < until_ms)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    cr_assert_geq(health_ask(health, uuid, &reading), wanted, "%s", reading.why);
    return reading;
}

Test(health, a_thread_reads_what_is_asked_for)
{
    struct health *health = health_create(DOUBLE);
    struct device_health reading;
    cr_assert_eq(health_ask(health, by_index, &reading), 0);
    cr_assert(!reading.available && strstr(reading.why, "first time"));
    reading = wait_for_reading(health, by_index, 1);
    cr_assert_eq(reading.power_mw, 411600);
    static const uint8_t second_board[16] = {0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
                                             0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11};
    int64_t quickest_ms =
        INT64_MAX; /* at once, not when the second is over; a busy machine may take its time */
    uint64_t readings = 1;
    for (int turn = 0; turn < 20 && quickest_ms >= HEALTH_PERIOD_MS; turn++) {
        int64_t start_ms = clock_ms();
        wait_for_reading(health, turn % 2 ? by_index : second_board, ++readings);
        quickest_ms = clock_ms() - start_ms < quickest_ms ? clock_ms() - start_ms : quickest_ms;
        readings = health_readings(health);
    }
    cr_assert_lt(quickest_ms, HEALTH_PERIOD_MS);
    wait_for_reading(health, second_board, readings);
    readings = health_readings(health);
    cr_assert_eq(wait_for_reading(health, second_board, readings + 1).power_mw, HEALTH_UNKNOWN);
    health_destroy(health);
}

Test(health, a_missing_library_is_said_once_and_for_good)
{
    struct health *health = health_create("/nowhere/libnvidia-ml.so.1");
    struct device_health reading = wait_for_reading(health, by_index, 1);
    cr_assert(!reading.available && strstr(reading.why, "/nowhere/libnvidia-ml.so.1"), "%s", reading.why);
    health_destroy(health);
    health_destroy(health_create(DOUBLE)); /* never asked */
    health_destroy(NULL);
}

/* A driver that takes minutes: asking never waits for it, and leaving waits for a second at most. */
Test(health, a_slow_driver_holds_nobody_up, .timeout = 280)
{
    setenv("NVML_DOUBLE_SLOW_MS", "200000", 1);
    struct health *health = health_create(DOUBLE);
    struct device_health reading;
    int64_t start_ms = clock_ms(), longest_ms = 0;
    while (clock_ms() - start_ms < 300) {
        int64_t before_ms = clock_ms();
        health_ask(health, by_index, &reading);
        longest_ms = clock_ms() - before_ms > longest_ms ? clock_ms() - before_ms : longest_ms;
    }
    cr_assert_lt(longest_ms, 50000, "asking took %lld ms", (long long)longest_ms);
    start_ms = clock_ms();
    health_destroy(health);
    cr_assert_lt(clock_ms() - start_ms, 50000);
}
