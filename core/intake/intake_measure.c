/* Measurements: a MEASUREMENT says how many VALUEs follow; when all are there, one row and its values are
 * added at once. */
#include "core/intake/intake_internal.h"

#include <stdlib.h>

/* Adds pending measurement i with the values that have arrived, and holds its event for the replay track
 * until its time comes. */
static void measurement_settle(struct intake *intake, uint32_t i)
{
    struct pending_measurement pending = intake->pending[i];
    intake->pending[i] = intake->pending[--intake->pending_count];
    const struct event *event = &pending.event;
    uint32_t shape = intake_shape(intake, event->measurement.shape);
    struct measurement_row row = {.kernel = intake_kernel(intake, event->measurement.start_ns, shape,
                                                          intake_device(intake, event->device)),
                                  .correlation = event->measurement.correlation,
                                  .context = event->measurement.context,
                                  .stream = event->measurement.stream,
                                  .passes = event->measurement.passes,
                                  .values = pending.count,
                                  .start_ns = event->measurement.start_ns,
                                  .end_ns = event->measurement.end_ns};
    uint32_t measurement = session_add_measurement(intake->session, &row, pending.values);
    free(pending.values);
    /* Counting takes the model no time that could be drawn. */
    if (measurement != NONE && intake->clock != CLOCK_MODEL) {
        pending.event.measurement.id = measurement;
        intake_hold(intake, row.end_ns, &pending.event);
    }
}

void intake_measurement(struct intake *intake, const struct event *event)
{
    struct event own = *event;
    if (!intake_times(intake, &own.measurement.start_ns, &own.measurement.end_ns) ||
        event->measurement.values > INTAKE_VALUES_MAX ||
        intake_shape(intake, event->measurement.shape) == NONE) {
        intake->stats.malformed++;
        return;
    }
    if (intake->pending_count == INTAKE_PENDING_MAX) {
        intake->stats.malformed++;
        measurement_settle(intake, 0);
    }
    struct value_row *values = NULL;
    if (own.measurement.values > 0) {
        values = malloc(own.measurement.values * sizeof *values);
        if (values == NULL) {
            intake->stats.malformed++;
            return;
        }
    }
    intake->pending[intake->pending_count++] = (struct pending_measurement){.event = own, .values = values};
    if (own.measurement.values == 0)
        measurement_settle(intake, intake->pending_count - 1);
}

void intake_value(struct intake *intake, const struct event *event)
{
    uint32_t counter = intake_string(intake, event->value.counter);
    for (uint32_t i = intake->pending_count; i-- > 0;) {
        struct pending_measurement *pending = &intake->pending[i];
        if (pending->event.measurement.id == event->value.measurement && counter != 0) {
            pending->values[pending->count++] =
                (struct value_row){.counter = counter, .number = event->value.number};
            if (pending->count == pending->event.measurement.values)
                measurement_settle(intake, i);
            return;
        }
    }
    intake->stats.malformed++;
}

void intake_settle_measurements(struct intake *intake)
{
    while (intake->pending_count > 0) {
        intake->stats.malformed++;
        measurement_settle(intake, intake->pending_count - 1);
    }
}
