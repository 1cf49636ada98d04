/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a GPU at one instant, as its sensors and its driver report it (NVML, read by
 * cli/machine/nvml.c), and a line of text that shows it. Plain data; the functions are pure, any thread.
 *
 * A number that the device does not give is HEALTH_UNKNOWN, never 0; a word that it does not give is empty.
 * ECC errors count from when the driver started, or since the device was made (`lifetime`).
 */
#ifndef CORE_HARDWARE_DEVICE_HEALTH_H
#define CORE_HARDWARE_DEVICE_HEALTH_H

#include "core/hardware/device_info.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEALTH_UNKNOWN INT64_MIN
#define HEALTH_PROCESSES_MAX 16

struct health_process {
    uint32_t pid;
    int64_t memory_bytes; /* on the device */
    char name[64];        /* terminated; empty: the driver does not give it */
};

/* id, label, unit: the values, in the order of the sheet. */
#define HEALTH_LIST(X)                                                           \
    X(gpu_use_pct, "in use", "%")                                                \
    X(memory_use_pct, "memory controller in use", "%")                           \
    X(performance_state, "performance state, P0 is the fastest", HEALTH_P_STATE) \
    X(core_clock_mhz, "core clock now", "MHz")                                   \
    X(core_clock_max_mhz, "core clock at most", "MHz")                           \
    X(memory_clock_mhz, "memory clock now", "MHz")                               \
    X(power_mw, "power drawn", "mW")                                             \
    X(power_limit_mw, "power limit", "mW")                                       \
    X(temperature_c, "temperature", "C")                                         \
    X(fan_pct, "fan speed", "%")                                                 \
    X(ecc_corrected, "ECC errors corrected", "errors")                           \
    X(ecc_uncorrected, "ECC errors not corrected", "errors")                     \
    X(ecc_lifetime_corrected, "... in its lifetime, corrected", "errors")        \
    X(ecc_lifetime_uncorrected, "... in its lifetime, not corrected", "errors")  \
    X(memory_used_bytes, "memory in use", "B")                                   \
    X(memory_total_bytes, "memory there is", "B")                                \
    X(persistence_mode, "persistence mode", HEALTH_ON_OFF)

/* "units" of numbers that are shown as words: P0, on */
#define HEALTH_P_STATE "P"
#define HEALTH_ON_OFF "on/off"

/* id, label: texts, which follow the numbers in the sheet. */
#define HEALTH_WORD_LIST(X)           \
    X(serial_number, "serial number") \
    X(vbios_version, "VBIOS version") \
    X(inforom_version, "inforom version")
#define HEALTH_WORD_BYTES 40

struct device_health {
    bool available;
    char why[240]; /* why the value is not available, a sentence */
#define HEALTH_MEMBER(id, label, unit) int64_t id;
    HEALTH_LIST(HEALTH_MEMBER)
#undef HEALTH_MEMBER
#define HEALTH_WORD_MEMBER(id, label) char id[HEALTH_WORD_BYTES]; /* terminated */
    HEALTH_WORD_LIST(HEALTH_WORD_MEMBER)
#undef HEALTH_WORD_MEMBER
    struct health_process processes[HEALTH_PROCESSES_MAX];
    uint32_t process_count; /* number of all processes; at most HEALTH_PROCESSES_MAX are listed */
    bool processes_known;
    int64_t cost_ns; /* time that reading took */
};

#define HEALTH_ENUM(id, label, unit) HEALTH_##id,
enum health_number { HEALTH_LIST(HEALTH_ENUM) HEALTH_COUNT };
#undef HEALTH_ENUM
#define HEALTH_WORD_ENUM(id, label) HEALTH_##id,
enum health_word { HEALTH_WORD_LIST(HEALTH_WORD_ENUM) HEALTH_WORD_COUNT };
#undef HEALTH_WORD_ENUM

/* Nothing is known, for this reason. */
void device_health_none(struct device_health *health, const char *why);
/* For a modelled device: its fixed clocks and its memory size; nothing is measured. */
void device_health_modelled(struct device_health *health, const struct device_info *info);

const char *health_number_id(enum health_number which);
const char *health_number_label(enum health_number which);
int64_t health_number(const struct device_health *health, enum health_number which);
/* "43 %", "412 W", "12.3 GB", "n/a". ASCII. */
void health_number_text(const struct device_health *health, enum health_number which, char *text,
                        size_t size_bytes);

const char *health_word_id(enum health_word which);
const char *health_word_label(enum health_word which);
/* "n/a" if it is not known. Bytes of the driver: what prints them makes control characters visible. */
const char *health_word(const struct device_health *health, enum health_word which);

/* "43 % used, 1,980 MHz, 412 of 700 W, 61 C, 12.3 of 151 GB, no ECC errors, 2 processes": the known numbers,
 * or the reason why none is known. ASCII except for `why`. */
void device_health_line(const struct device_health *health, char *text, size_t size_bytes);

#endif
