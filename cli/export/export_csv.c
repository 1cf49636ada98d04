/* SPDX-License-Identifier: Apache-2.0 */
/* A line per event; docs/export.md says what each column is. Columns are only ever added, at the end. */
#include "cli/export/export.h"
#include "cli/output/sheet_print.h"
#include "cli/report/data/report_choice.h"
#include "cli/report/data/report_data.h"

#include <inttypes.h>

static const char heading[] =
    "clock,process,pid,track,lane,kind,name,start_ns,duration_ns,correlation,device,context,stream,thread,"
    "call_start_ns,call_duration_ns,call_thread,grid,block,registers_per_thread,static_shared_bytes,"
    "dynamic_shared_bytes,size_bytes,copy_kind,source_memory,destination_memory,depth,result,unfinished,"
    "number,short_name\n";

/* An id that may be none. */
static void print_id(FILE *out, uint32_t id)
{
    if (id == NONE)
        putc(',', out);
    else
        fprintf(out, ",%" PRIu32, id);
}

static void print_where(const struct session *session, const struct export_event *event, FILE *out)
{
    const struct device_row *device = session_device(session, event->row->device);
    print_id(out, device ? device->ordinal : NONE);
    print_id(out, event->row->context);
    print_id(out, event->row->stream);
    print_id(out, event->row->thread);
}

static void print_call(const struct item *item, FILE *out)
{
    struct export_call call;
    if (export_call(item, &call))
        fprintf(out, ",%" PRId64 ",%" PRIu32 ",%" PRIu32, call.start_ns, call.duration_ns, call.thread);
    else
        fputs(",,,", out);
}

static void print_shape(const struct session *session, const struct item *item, FILE *out)
{
    const struct kernel_row *kernel =
        item->kind == ITEM_LAUNCH ? session_kernel(session, item->launch.kernel) : NULL;
    const struct shape_row *shape = kernel ? session_shape(session, kernel->shape) : NULL;
    if (!shape) {
        fputs(",,,,,", out);
        return;
    }
    fprintf(out, ",%" PRIu32 "x%" PRIu32 "x%" PRIu32 ",%ux%ux%u,%u,%" PRIu32 ",%" PRIu32, shape->grid[0],
            shape->grid[1], shape->grid[2], shape->block[0], shape->block[1], shape->block[2],
            shape->registers_per_thread, shape->static_shared_bytes, shape->dynamic_shared_bytes);
}

static void print_transfer(const struct item *item, FILE *out)
{
    if (item->kind == ITEM_COPY) {
        fprintf(out, ",%" PRIu64 ",%s,%s,%s", item->copy.size_bytes, copy_kind_id(item->a),
                memory_kind_text(item_copy_source(item)), memory_kind_text(item_copy_destination(item)));
    } else if (item->kind == ITEM_SET) {
        fprintf(out, ",%" PRIu64 ",,,%s", item->set.size_bytes, memory_kind_text(item->a));
    } else {
        fputs(",,,,", out);
    }
}

static void print_event(void *context, const struct export_event *event)
{
    const struct export *export = context;
    const struct session *session = export->session;
    const struct item *item = &event->item;
    const struct process_row *process = session_process(session, event->row->process);
    FILE *out = export->out;
    fprintf(out, "%s,%" PRIu32 ",%" PRId32 ",%" PRIu32 ",%" PRIu32 ",%s,",
            event->row->clock == CLOCK_MODEL ? "model" : "wall", event->row->process,
            process ? process->pid : 0, event->track, event->lane, item_kind_text(item->kind));
    csv_text(out, export_name(session, item));
    fprintf(out, ",%" PRId64 ",%" PRId64 ",%" PRIu32, event->start_ns, event->duration_ns, item->correlation);
    print_where(session, event, out);
    print_call(item, out);
    print_shape(session, item, out);
    print_transfer(item, out);
    print_id(out, item->kind == ITEM_RANGE ? item->range.depth : NONE);
    if (item->kind == ITEM_CALL)
        fprintf(out, ",%" PRId32, item->call.result);
    else
        putc(',', out);
    fprintf(out, ",%s,,", item->flags & ITEM_UNFINISHED ? "true" : "false");
    if (item->kind == ITEM_LAUNCH && session_kernel(session, item->launch.kernel)) {
        char name[2048];
        report_short_name(export->names, kernel_full_name(session, item->launch.kernel), SHORT_NAME_WHOLE,
                          name, sizeof name);
        csv_text(out, name);
    }
    putc('\n', out);
}

void export_csv(const struct export *export)
{
    struct export with = *export;
    fputs(heading, export->out);
    export_visit(export, print_event, &with);
    export_samples_csv(export);
}
