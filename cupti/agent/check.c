/* One flag: `done` is set when a kernel has been compared, whatever the result. */
#include "cupti/agent/check.h"

#include "cupti/agent/agent.h"

static _Atomic bool done;

bool check_done(void)
{
    return atomic_load_explicit(&done, memory_order_relaxed);
}

enum status check_compare(const cupti_kernel_record *record, uint32_t name, const struct event *call,
                          const struct event *shape, const char *cupti_path, struct error *error)
{
    const struct {
        const char *what;
        int64_t record, launch;
    } fields[] = {
        {"grid x", record->gridX, shape->shape.grid[0]},
        {"grid y", record->gridY, shape->shape.grid[1]},
        {"grid z", record->gridZ, shape->shape.grid[2]},
        {"block x", record->blockX, shape->shape.block[0]},
        {"block y", record->blockY, shape->shape.block[1]},
        {"block z", record->blockZ, shape->shape.block[2]},
        {"name", name, shape->shape.name},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].record != fields[i].launch)
            return error_set(
                error, STATUS_CHECK,
                "The records of %s do not have the layout that lanescope expects: the first kernel's %s "
                "reads %lld where %lld was launched. Tracing is off. Use the CUPTI of CUDA 13.0 Update 1.",
                cupti_path, fields[i].what, (long long)fields[i].record, (long long)fields[i].launch);
    if (record->end < record->start || (int64_t)record->start < call->call.start_ns - 1000000000)
        return error_set(
            error, STATUS_CHECK,
            "The records of %s do not have the layout that lanescope expects: the first kernel's times are "
            "not after its launch. Tracing is off. Use the CUPTI of CUDA 13.0 Update 1.",
            cupti_path);
    return STATUS_OK;
}

void check_kernel(const cupti_kernel_record *record)
{
    struct event call, shape;
    if (!launches_find(agent.launches, record->correlationId, &call, &shape))
        return; /* a node of a graph, or launched before the agent was there */
    struct error error;
    atomic_store_explicit(&done, true, memory_order_relaxed);
    if (check_compare(record, wire_string(agent.wire, record->name), &call, &shape, agent.cupti.path,
                      &error) != STATUS_OK) {
        agent_notice_error(&error);
        atomic_store(&agent.distrusted, true); /* the agent's thread ends the trace */
    } else if (agent.cupti.version > CUPTI_OLDEST) {
        agent_notice(SEVERITY_INFO, STATUS_OK,
                     "%s is CUPTI %u; lanescope is tested with %u. The first kernel's record was checked and "
                     "is right.",
                     agent.cupti.path, agent.cupti.version, CUPTI_OLDEST);
    }
}
