/*
 * Classifies an API call by its plain name (core/base/event.h). Pure functions, any thread.
 */
#ifndef CUPTI_AGENT_CALLS_H
#define CUPTI_AGENT_CALLS_H

#include "core/base/event.h"

/* The category of a plain name; CALL_OTHER calls are not recorded. */
enum call_category calls_category(const char *plain);

#endif
