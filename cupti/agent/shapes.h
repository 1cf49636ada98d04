/*
 * The kernel shapes a process has announced: the same shape gets the same id. Any thread; one lock, held for
 * a table look-up.
 */
#ifndef CUPTI_AGENT_SHAPES_H
#define CUPTI_AGENT_SHAPES_H

#include "core/base/event.h"

#include <stdbool.h>
#include <stdint.h>

struct shapes;

/* Called once for each new shape, with its id set; false: it could not be announced, and the next caller
 * tries again. */
typedef bool shapes_announce(void *context, const struct event *shape);

struct shapes *shapes_create(shapes_announce *announce, void *context); /* NULL: no memory */
void shapes_destroy(struct shapes *shapes);

/* shape: an EVENT_SHAPE whose id is 0. Returns the id (from 1), or 0 if it could not be announced. */
uint32_t shapes_id(struct shapes *shapes, const struct event *shape);

#endif
