/* SPDX-License-Identifier: Apache-2.0 */
/* Aborts with a sentence if what was loaded from a hostile file does not hold together. */
#ifndef SESSION_CHECK_H
#define SESSION_CHECK_H

#include "core/session/samples.h"
#include "core/session/session.h"

void session_check_loaded(const struct session *session, enum status status, const struct error *error);

#endif
