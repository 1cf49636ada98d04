/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiler that reads a stranger's text: it finds the system's programs and libraries, its toolkit and the
 * folder of its job, and nothing else of the machine, so that nothing else can be included and no answer
 * depends on what else is there. In a mount namespace other files do not exist. Under Landlock they cannot be
 * read, and __has_include sees that one is there.
 *
 * The confined process is lanescope, executed again with --confined, which becomes the compiler. Any thread.
 */
#ifndef CLI_PROCESS_CONFINED_H
#define CLI_PROCESS_CONFINED_H

#include "core/base/error.h"

#define CONFINED_OPTION "--confined"
/* HOW:FOLDER, set for a lanescope whose compilers are to be confined to this folder. */
#define CONFINED_VARIABLE "LANESCOPE_CONFINED_TO"
/* namespace, landlock or none: the user's choice in place of the best that works. */
#define CONFINEMENT_VARIABLE "LANESCOPE_CONFINEMENT"

/* Best first. */
#define CONFINEMENT_LIST(X)                                                                                 \
    X(NAMESPACE, "namespace",                                                                               \
      "confined in a mount namespace: it finds the toolkit, /usr and the hand-in alone")                    \
    X(LANDLOCK, "landlock",                                                                                 \
      "confined by Landlock: it reads the toolkit, /usr and the hand-in alone, but __has_include can tell " \
      "which "                                                                                              \
      "other files there are")                                                                              \
    X(NONE, "none", "not confined: a hand-in can include every file that you may read")
#define CONFINEMENT_ENUM(name, id, text) CONFINED_##name,
enum confinement { CONFINEMENT_LIST(CONFINEMENT_ENUM) CONFINEMENT_COUNT };
#undef CONFINEMENT_ENUM
const char *confinement_id(enum confinement how);
const char *confinement_text(enum confinement how);

/* The best from `from` on that this system allows; a process tries each. */
enum confinement confinement_find(enum confinement from);
/* What the user's variable says, else confinement_find of all. STATUS_USAGE: it names none, or one that does
 * not work here. */
enum status confinement_choose(enum confinement *how, struct error *error);

/* The words before a compiler's command line: `argv` has room for CONFINED_WORDS more than it has words, and
 * gets them in front, if $LANESCOPE_CONFINED_TO is set. tool: the compiler or its library, in its toolkit.
 * program: room of PATH_BYTES for the path of lanescope. */
#define CONFINED_WORDS 4
enum status confined_prepend(char **argv, const char *tool, char *program, struct error *error);

/* The words after CONFINED_OPTION: HOW:FOLDER TOOL PROGRAM ARGS... Returns only if that failed. */
int confined_main(int argc, char **argv, struct error *error);

#endif
