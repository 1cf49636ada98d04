/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The properties of a device are printed as text, or as sheets, of which the JSON is made. Health comes from NVML, and is left out
 * where NVML is not installed.
 */
#include "cli/machine/device_command.h"

#include "cli/machine/device_choice.h"
#include "cli/machine/nvml.h"
#include "cli/output/memory.h"
#include "cli/output/sheet_print.h"

#include "core/hardware/device_sheet.h"
#include "tui/terminal/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct sheet_column device_columns[] = {
    {"ordinal", "GPU", "CUDA's number of the device, from 0", SHEET_COUNT, SHEET_NEITHER, 3, 0, false},
    {"is_model", "model", "is it the device model", SHEET_YES, SHEET_NEITHER, 5, 0, false},
    {"model", NULL, "as --model takes it; null: a GPU", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"has_health", NULL, "are its sensors known", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"why", NULL, "why they are not", SHEET_SENTENCE, SHEET_NEITHER, 0, 0, false},
    {"process_count", "processes", "processes on it; null: not known", SHEET_COUNT, SHEET_NEITHER, 9, 0, false},
    {"name", "device", "the device's name", SHEET_TEXT, SHEET_NEITHER, 24, 0, false}};
static const struct sheet_column process_columns[] = {
    {"ordinal", "GPU", "number of the device, from 0", SHEET_COUNT, SHEET_NEITHER, 3, 1, false},
    {"pid", "pid", "the process", SHEET_NUMBER, SHEET_NEITHER, 8, 0, false},
    {"memory_bytes", "memory", "the device's memory that it has; null: not known", SHEET_BYTES, SHEET_LESS, 8, 0, false},
    {"name", "process", "its name", SHEET_TEXT, SHEET_NEITHER, 24, 0, false}};
static const struct sheet_column property_columns[] = {
    {"ordinal", "GPU", "number of the device, from 0", SHEET_COUNT, SHEET_NEITHER, 3, 1, false},
    {"device", NULL, "the device's name", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"group", NULL, "group of properties", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"id", NULL, "id of the property", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"label", "property", "what it is", SHEET_TEXT, SHEET_NEITHER, 39, 0, false},
    {"value", "value", "its value; null: not known", SHEET_NUMBER, SHEET_NEITHER, 33, 0, true},
    {"unit", NULL, "its unit", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"derived", NULL, "is it computed from others", SHEET_YES, SHEET_NEITHER, 0, 0, false},
    {"why", NULL, "why it is not known", SHEET_SENTENCE, SHEET_NEITHER, 0, 0, false},
    {"from", "how it is known", "its source or formula", SHEET_SENTENCE, SHEET_NEITHER, 20, 0, false}};
static const struct sheet_column health_columns[] = {
    {"ordinal", "GPU", "number of the device, from 0", SHEET_COUNT, SHEET_NEITHER, 3, 1, false},
    {"device", NULL, "the device's name", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"id", NULL, "id of the sensor", SHEET_TEXT, SHEET_NEITHER, 0, 0, false},
    {"label", "sensor", "what it is", SHEET_TEXT, SHEET_NEITHER, 39, 0, false},
    {"value", "value", "its value in its unit; null: not known; some are words", SHEET_NUMBER, SHEET_NEITHER, 24, 0, false}};
/* clang-format on */

/* For readers: what a value is if it is not the device's own (measured, or modelled of a model). */
static void note_of(const struct sheet_row *row, enum provenance own, char *note, size_t size_bytes)
{
    const struct value *value = &row->value;
    *note = '\0';
    if (!value->available)
        snprintf(note, size_bytes, "%s", value->why);
    else if (value->derived)
        snprintf(note, size_bytes, "%s, derived: %s", provenance_text(value->provenance), row->from);
    else if (value->provenance != own)
        snprintf(note, size_bytes, "%s, by %s", provenance_text(value->provenance), row->from);
}

static void make_device_properties(const struct looked_device *looked, struct sheet_sink *to)
{
    const enum provenance own = looked->model_id ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    char note[160];
    struct sheet_row rows[SHEET_ROWS_MAX];
    size_t count = device_sheet_make(&looked->device, rows);
    for (size_t i = 0; i < count; i++) {
        const struct sheet_row *row = &rows[i];
        if (i == 0 || row->group != rows[i - 1].group)
            sheet_group(to, sheet_group_text(row->group));
        const struct value *value = &row->value;
        note_of(row, own, note, sizeof note);
        const struct sheet_cell cells[] = {
            {.number = looked->ordinal},
            {.text = looked->device.info.name},
            {.text = sheet_group_text(row->group)},
            {.text = row->id},
            {.text = row->label},
            {.number = value->available && !row->is_text ? value->number : (double)NAN,
             .text = row->text,
             .id = value->available && row->is_text ? row->text : NULL,
             .provenance = (int)value->provenance},
            {.text = row->unit},
            {.number = value->derived},
            {.text = value->available ? NULL : value->why},
            {.text = note, .id = row->from}};
        sheet_row(to, cells);
    }
}

static enum status make_devices(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct looked_devices *devices = from;
    (void)error;
    for (size_t i = 0; i < devices->count; i++) {
        const struct looked_device *looked = &devices->items[i];
        const struct device_health *health = &looked->health;
        sheet_row(to, (const struct sheet_cell[]){
                          {.number = looked->ordinal},
                          {.number = looked->model_id != NULL},
                          {.text = looked->model_id},
                          {.number = health->available},
                          {.text = health->available ? NULL : health->why},
                          {.number = health->processes_known ? health->process_count : (double)NAN},
                          {.text = looked->device.info.name}});
    }
    return STATUS_OK;
}

static enum status make_processes(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct looked_devices *devices = from;
    (void)error;
    for (size_t i = 0; i < devices->count; i++) {
        const struct device_health *health = &devices->items[i].health;
        for (uint32_t k = 0; k < health->process_count && k < HEALTH_PROCESSES_MAX; k++) {
            const struct health_process *process = &health->processes[k];
            const bool known = process->memory_bytes != HEALTH_UNKNOWN;
            if (process->pid != 0)
                sheet_row(to, (const struct sheet_cell[]){
                                  {.number = devices->items[i].ordinal},
                                  {.number = process->pid},
                                  {.number = known ? (double)process->memory_bytes : (double)NAN},
                                  {.text = process->name[0] ? process->name : "name not known",
                                   .id = process->name}});
        }
    }
    return STATUS_OK;
}

static enum status make_properties(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct looked_devices *devices = from;
    (void)error;
    for (size_t i = 0; i < devices->count; i++)
        make_device_properties(&devices->items[i], to);
    return STATUS_OK;
}

static void make_device_health(const struct looked_device *looked, struct sheet_sink *to)
{
    const struct device_health *health = &looked->health;
    char text[400];
    if (!health->available)
        sheet_note(to, health->why);
    for (int i = 0; health->available && i < HEALTH_COUNT; i++) {
        int64_t number = health_number(health, (enum health_number)i);
        health_number_text(health, (enum health_number)i, text, sizeof text);
        const struct sheet_cell cells[] = {
            {.number = looked->ordinal},
            {.text = looked->device.info.name},
            {.text = health_number_id((enum health_number)i)},
            {.text = health_number_label((enum health_number)i)},
            {.number = number == HEALTH_UNKNOWN ? (double)NAN : (double)number, .text = text}};
        sheet_row(to, cells);
    }
    for (int i = 0; health->available && i < HEALTH_WORD_COUNT; i++) {
        const char *word = health_word(health, (enum health_word)i);
        const struct sheet_cell cells[] = {
            {.number = looked->ordinal},
            {.text = looked->device.info.name},
            {.text = health_word_id((enum health_word)i)},
            {.text = health_word_label((enum health_word)i)},
            {.number = NAN, .text = word, .id = strcmp(word, "n/a") == 0 ? NULL : word}};
        sheet_row(to, cells);
    }
}

static enum status make_health(const void *from, struct sheet_sink *to, struct error *error)
{
    const struct looked_devices *devices = from;
    (void)error;
    for (size_t i = 0; i < devices->count; i++)
        make_device_health(&devices->items[i], to);
    return STATUS_OK;
}

static const struct sheet sheets[] = {{.id = "devices",
                                       .title = "The devices that were looked at",
                                       SHEET_COLUMNS(device_columns),
                                       .none = "devices: none",
                                       .rows = make_devices},
                                      {.id = "processes",
                                       .title = "Processes on the GPUs",
                                       SHEET_COLUMNS(process_columns),
                                       .none = "processes: none is known",
                                       .rows = make_processes},
                                      {.id = "properties",
                                       .title = "Properties and limits of the device",
                                       SHEET_COLUMNS(property_columns),
                                       .none = "properties: none is known",
                                       .rows = make_properties},
                                      {.id = "health",
                                       .title = "Its sensors",
                                       SHEET_COLUMNS(health_columns),
                                       .none = "health: not known",
                                       .rows = make_health}};

static const struct sheet *device_sheet_at(size_t index)
{
    return index < sizeof sheets / sizeof *sheets ? &sheets[index] : NULL;
}

const struct sheet_document device_document = {
    .title = "lanescope device --json",
    .description =
        "One object for each table of `lanescope device --table NAME`; `ordinal` is the device's. null "
        "means: not known or not there, never 0.",
    .version = 2,
    .list = device_sheet_at};

/* ---- as text ---- */
void device_print(FILE *out, const struct device_description *device, uint32_t ordinal, const char *model_id,
                  const struct device_health *health)
{
    struct looked_device item = {
        .device = *device, .ordinal = ordinal, .model_id = model_id, .health = *health};
    const struct looked_devices looked = {&item, 1, 1};
    const struct sheet_look look = {.fields = "label,value,from"}, sensors = {.fields = "label,value"},
                            processes = {.fields = "pid,memory_bytes,name"};
    struct error error;
    char text[400], heading[440];

    if (model_id)
        fprintf(out, "MODELLED: device model of %s (--model %s); no number here comes from a GPU\n",
                device->info.name, model_id);
    else
        fprintf(out, "GPU %u: %s, as its driver describes it\n", ordinal, device->info.name);
    device_health_line(health, text, sizeof text);
    snprintf(heading, sizeof heading, "\nhealth\n%s\n", text);
    sheet_print_part("\n", &sheets[2], &looked, &look, true, out, &error);
    sheet_print_part(heading, &sheets[3], &looked, &sensors, health->available, out, &error);
    if (!health->available)
        fputs(heading, out);
    sheet_print_part("\n", &sheets[1], &looked, &processes, false, out, &error);
}

/* ---- which devices ---- */
struct printing {
    FILE *out;
    bool as_sheets;
    size_t printed;
    struct looked_devices looked; /* of sheets */
};

static void print_device(struct printing *printing, const struct device_description *device, uint32_t ordinal,
                         const char *model_id, const struct device_health *health)
{
    if (printing->as_sheets) {
        memory_grow(printing->looked.items, printing->looked.room, printing->looked.count, 1);
        printing->looked.items[printing->looked.count++] = (struct looked_device){
            .device = *device, .ordinal = ordinal, .model_id = model_id, .health = *health};
    } else {
        if (printing->printed > 0)
            fputs("\n\n", printing->out);
        device_print(printing->out, device, ordinal, model_id, health);
    }
    printing->printed++;
}

/* All GPUs, or the one given by --gpu. */
static enum status print_gpus(struct printing *printing, const struct options *options,
                              const struct device_description *gpus, uint32_t count, struct error *error)
{
    struct nvml *nvml = NULL;
    struct error no_sensors = {0};

    if (options->gpu_option && options->gpu >= count)
        return error_set(error, STATUS_NO_DEVICE,
                         "There is no GPU %u: the CUDA driver sees %u, numbered from 0.", options->gpu,
                         count);
    nvml_open(&nvml, NVML_LIBRARY, &no_sensors);
    for (uint32_t i = 0; i < count && i < GPU_LOOK_MAX; i++) {
        struct device_health health;

        if (options->gpu_option && i != options->gpu)
            continue;
        if (nvml)
            nvml_health(nvml, gpus[i].info.uuid, i, &health);
        else
            device_health_none(&health, no_sensors.text);
        print_device(printing, &gpus[i], i, NULL, &health);
    }
    nvml_close(nvml);
    return STATUS_OK;
}

static enum status print_model(struct printing *printing, const struct options *options, struct error *error)
{
    const struct gpu *gpu = device_model(options->model, error);
    struct device_health health;

    if (!gpu)
        return STATUS_USAGE;
    device_health_modelled(&health, &gpu->info);
    print_device(printing, &(struct device_description){.info = gpu->info}, 0, gpu->id, &health);
    return STATUS_OK;
}

enum status device_command(const struct options *options, FILE *out, struct error *error)
{
    struct printing printing = {.out = out, .as_sheets = options->table || options->format == REPORT_JSON};
    struct device_description gpus[GPU_LOOK_MAX];
    bool both = strcmp(options->device, "both") == 0, any = strcmp(options->device, "auto") == 0;
    bool wants_gpu = both || strcmp(options->device, "cuda") == 0 || (any && !options->model_option);
    char why[480] = "";
    uint32_t count = wants_gpu ? gpu_look(gpus, GPU_LOOK_MAX, why, sizeof why) : 0;
    enum status status = STATUS_OK;

    if (device_check(options, wants_gpu, !wants_gpu || both || any, error) != STATUS_OK)
        return STATUS_USAGE;
    if (wants_gpu && count == 0 && (!any || options->gpu_option))
        return error_set(error, STATUS_NO_DEVICE, "%s", why);
    if (count > 0)
        status = print_gpus(&printing, options, gpus, count, error);
    if (status == STATUS_OK && (both || count == 0)) {
        if (any && wants_gpu && !printing.as_sheets)
            fprintf(out, "%s\n\n", why);
        status = print_model(&printing, options, error);
    }
    if (status == STATUS_OK && options->table)
        status = sheet_option_print(device_sheet_at, &printing.looked, options, out, error);
    else if (status == STATUS_OK && printing.as_sheets)
        status =
            sheet_document_print(&device_document, &printing.looked, &(struct sheet_look){0}, out, error);
    free(printing.looked.items);
    return status;
}
