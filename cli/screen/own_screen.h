/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's own kernels behind the screen: the file in the user's folder, watched; the editor; what became
 * of each saved version. And the own images of the session, for sources and lane maps. One thread, the
 * screen's; compiling and running are the live session's (cli/run/live.h).
 */
#ifndef CLI_SCREEN_OWN_SCREEN_H
#define CLI_SCREEN_OWN_SCREEN_H

#include "cli/model/model_counts.h"
#include "cli/run/live.h"
#include "tui/frame/host.h"

struct own_screen;

/* The live session and *full_size must outlive it; set the live session before anything else is called. */
enum status own_screen_create(struct own_screen **own, const bool *full_size, struct error *error);
void own_screen_destroy(struct own_screen *own);
void own_screen_set_live(struct own_screen *own, struct live *live);

/* Looks at the file. True: it has changed, or something became of it. */
bool own_screen_work(struct own_screen *own);
bool own_screen_watches(const struct own_screen *own, uint64_t *saves);

/* As in struct tui_own_host. */
enum status own_screen_open(struct own_screen *own, const char *workload, const char *exercise,
                            struct error *error);
enum status own_screen_edit(struct own_screen *own, struct error *error);
bool own_screen_saved(const struct own_screen *own);
enum status own_screen_run(struct own_screen *own, const char *spec, struct error *error);
void own_screen_state(const struct own_screen *own, struct tui_own *state);
/* A goal's figure after that run; NAN: the run is not of the newest version, or its result is wrong. */
double own_screen_share(struct own_screen *own, const struct session *session, uint32_t run, size_t goal);
const char *own_screen_hint(struct own_screen *own, const struct session *session, uint32_t run);

/* The user's kernels of a label, to run a case on the model; NULL: "" is the label of none. STATUS_STATE:
 * they are not of this session. Valid as long as the screen. */
enum status own_screen_case(struct own_screen *own, const char *label, const struct model_own **found,
                            struct error *error);

#endif
