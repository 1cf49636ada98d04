/* SPDX-License-Identifier: Apache-2.0 */
/* The features of core/hardware/arch.h that a program uses, and whether a GPU has them. Pure; any
 * thread. */
#ifndef SIMT_PROGRAM_FEATURES_H
#define SIMT_PROGRAM_FEATURES_H

#include "core/base/error.h"
#include "core/hardware/arch.h"
#include "core/hardware/device_info.h"
#include "simt/lanes/program.h"

/* One bit per enum arch_feature. */
uint32_t features_used(const struct program *program);

/* STATUS_UNSUPPORTED, with a sentence, if the program uses a feature that this GPU lacks; the sentence names
 * the newest such feature. */
enum status features_check(const struct program *program, const struct device_info *gpu, struct error *error);

#endif
