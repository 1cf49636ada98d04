/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that reads the sensors, and the one that asks: for one GPU and another, while it reads, and
 * leaving it while it hangs in the driver. Exit status 0: what came was a reading of a GPU that was asked
 * for, and all memory was given back.
 */
#include "cli/machine/health.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DOUBLE TEST_BUILD_DIR "/tests/nvml_double.so"

static const uint8_t boards[2][16] = {
    {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff},
    {0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11}};

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

/* One has sensors, the other only memory: a mixture would show. */
static unsigned whole(const struct device_health *reading)
{
    bool sensors = reading->power_mw == 411600 && reading->temperature_c == 61 && reading->process_count == 2;
    bool none = reading->power_mw == HEALTH_UNKNOWN && reading->temperature_c == HEALTH_UNKNOWN;
    return reading->available && !sensors && !none;
}

static unsigned ask_often(int questions)
{
    struct health *health = health_create(DOUBLE);
    struct device_health reading;
    uint64_t before = 0;
    unsigned wrong = 0;
    for (int i = 0; i < questions || (before < 3 && i < 60000); i++) {
        uint64_t readings = health_ask(health, boards[i / 7 % 2], &reading);
        wrong += whole(&reading) + (readings < before) + (health_readings(health) < readings);
        before = readings;
        pause_ms(1);
    }
    wrong += before < 3;
    health_destroy(health);
    return wrong;
}

int main(void)
{
    struct device_health reading;
    unsigned wrong = ask_often(300);
    setenv("NVML_DOUBLE_SLOW_MS", "5", 1);
    wrong += ask_often(300);
    setenv("NVML_DOUBLE_SLOW_MS", "1300", 1);
    struct health *hanging = health_create(DOUBLE);
    health_ask(hanging, boards[0], &reading);
    pause_ms(50);
    health_destroy(hanging); /* gives up after a second; the thread ends later, by itself */
    pause_ms(800);
    printf("%u wrong\n", wrong);
    return wrong > 0;
}
