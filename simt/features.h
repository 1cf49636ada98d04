/* What of core/arch_feature.h a program uses, and whether a GPU has it. Pure; any thread. */
#ifndef SIMT_FEATURES_H
#define SIMT_FEATURES_H

#include "core/arch_feature.h"
#include "core/device_info.h"
#include "core/error.h"
#include "simt/program.h"

/* A bit per enum arch_feature. */
uint32_t features_used(const struct program *program);

/* UNSUPPORTED, with a sentence, where the program uses what this GPU does not have: the newest such. */
enum status features_check(const struct program *program, const struct device_info *gpu, struct error *error);

#endif
