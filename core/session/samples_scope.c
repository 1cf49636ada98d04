/* Which series and samples belong to a device or to a run. */
#include "core/session/samples.h"

#include <string.h>

static const struct device_info *info_of(const struct session *session, uint32_t device)
{
    const struct device_row *row = session_device(session, device);
    return row == NULL ? NULL : &row->info;
}

bool series_same_device(const struct session *session, const struct series_row *row, uint32_t device,
                        uint32_t process)
{
    static const uint8_t none[16];
    const struct device_info *x = info_of(session, row->device), *y = info_of(session, device);
    if (x == NULL || y == NULL || memcmp(x->uuid, none, sizeof none) == 0)
        return row->device == device && row->process == process;
    return memcmp(x->uuid, y->uuid, sizeof x->uuid) == 0;
}

bool series_is_of_run(const struct session *session, const struct series_row *row, uint32_t run)
{
    const struct run_row *of = session_run(session, run);
    uint32_t devices = session_device_count(session);
    bool known = false;
    if (of == NULL || row->clock != of->clock)
        return false;
    if (row->process == of->process)
        return true;
    if (row->clock == CLOCK_MODEL) /* nobody else looks at a model */
        return false;
    for (uint32_t i = 0; i < devices; i++) {
        if (session_device(session, i)->process != of->process)
            continue;
        known = true;
        if (series_same_device(session, row, i, of->process))
            return true;
    }
    return !known;
}
