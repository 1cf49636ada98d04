/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The accesses of a program's kernel as the device model recorded them: of each memory instruction the
 * execution that cost most in the kernel's first launch. Reads the session; the tui's thread.
 */
#ifndef TUI_VIEWS_LANE_RECORDED_H
#define TUI_VIEWS_LANE_RECORDED_H

#include "core/base/error.h"
#include "core/session/session.h"

#include "tui/frame/host.h"

bool lane_recorded_any(const struct session *session, uint32_t kernel);
/* `rules` count what an access costs where that follows from its addresses alone. The sums over all
 * executions are those of the model, and left out if `rules` are not its own. The caller frees
 * accesses->items. STATUS_STATE: nothing was recorded of this kernel. */
enum status lane_recorded_make(const struct session *session, uint32_t kernel, const struct arch *rules,
                               struct tui_accesses *accesses, struct error *error);

#endif
