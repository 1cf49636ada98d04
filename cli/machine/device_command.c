/*
 * The sheet of a device is made once and printed as text or as JSON. Health comes from NVML, and is left out
 * where NVML is not installed.
 */
#include "cli/machine/device_command.h"

#include "cli/machine/device_choice.h"
#include "cli/machine/nvml.h"
#include "cli/output/json.h"

#include "core/hardware/device_sheet.h"
#include "tui/terminal/text.h"

#include <string.h>

#define SCHEMA 1
#define LINES_DEPTH 4 /* one line per property */

/* ---- as text ---- */
static void print_row(FILE *out, const struct sheet_row *row, enum provenance own)
{
    const struct value *value = &row->value;

    char note[160] = "";

    if (!value->available)
        snprintf(note, sizeof note, "%s", value->why);
    else if (value->derived)
        snprintf(note, sizeof note, "%s, derived: %s", provenance_text(value->provenance), row->from);
    else if (value->provenance != own)
        snprintf(note, sizeof note, "%s, by %s", provenance_text(value->provenance), row->from);
    if (note[0])
        fprintf(out, "  %-39s %-33s %s\n", row->label, row->text, note);
    else
        fprintf(out, "  %-39s %s\n", row->label, row->text);
}

static void print_processes(FILE *out, const struct device_health *health)
{
    if (!health->processes_known)
        return;
    for (uint32_t i = 0; i < health->process_count && i < HEALTH_PROCESSES_MAX; i++) {
        const struct health_process *process = &health->processes[i];
        char memory[32] = "memory n/a";

        if (process->pid == 0)
            break; /* there are more than could be named */
        if (process->memory_bytes != HEALTH_UNKNOWN)
            snprintf(memory, sizeof memory, "%.0f MB", (double)process->memory_bytes / 1e6);
        fprintf(out, "  process %-31u %-33s ", process->pid, memory);
        text_print(process->name[0] ? process->name : "name not known", out);
        putc('\n', out);
    }
}

static void print_health(FILE *out, const struct device_health *health)
{
    char text[400];

    device_health_line(health, text, sizeof text);
    fprintf(out, "\nhealth\n  %s\n", text);
    for (int i = 0; health->available && i < HEALTH_COUNT; i++) {
        health_number_text(health, (enum health_number)i, text, sizeof text);
        fprintf(out, "  %-39s %s\n", health_number_label((enum health_number)i), text);
    }
    for (int i = 0; health->available && i < HEALTH_WORD_COUNT; i++) {
        fprintf(out, "  %-39s ", health_word_label((enum health_word)i));
        text_print(health_word(health, (enum health_word)i), out);
        putc('\n', out);
    }
    print_processes(out, health);
}

void device_print(FILE *out, const struct device_description *device, uint32_t ordinal, const char *model_id,
                  const struct device_health *health)
{
    struct sheet_row rows[SHEET_ROWS_MAX];
    size_t count = device_sheet_make(device, rows);
    enum provenance own = model_id ? PROVENANCE_MODELLED : PROVENANCE_MEASURED;
    enum sheet_group group = SHEET_GROUP_COUNT;

    if (model_id)
        fprintf(out, "MODELLED: device model of %s (--model %s); no number here comes from a GPU\n",
                device->info.name, model_id);
    else
        fprintf(out, "GPU %u: %s, as its driver describes it\n", ordinal, device->info.name);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].group != group)
            fprintf(out, "\n%s\n", sheet_group_text(rows[i].group));
        group = rows[i].group;
        print_row(out, &rows[i], own);
    }
    print_health(out, health);
}

/* ---- as JSON ---- */
static void print_property(struct json *json, const struct sheet_row *row)
{
    json_open(json, NULL, '{');
    json_string(json, "group", sheet_group_text(row->group));
    json_string(json, "id", row->id);
    json_string(json, "label", row->label);
    if (!row->value.available)
        json_null(json, "value");
    else if (row->is_text)
        json_string(json, "value", row->text);
    else
        json_number(json, "value", row->value.number);
    json_string(json, "unit", row->unit);
    json_string(json, "provenance", provenance_text(row->value.provenance));
    json_bool(json, "derived", row->value.derived);
    json_string(json, "from", row->from);
    if (row->value.available)
        json_null(json, "why");
    else
        json_string(json, "why", row->value.why);
    json_close(json, '}');
}

static void print_known(struct json *json, const char *key, int64_t number)
{
    if (number == HEALTH_UNKNOWN)
        json_null(json, key);
    else
        json_integer(json, key, number);
}

static void print_json_health(struct json *json, const struct device_health *health)
{
    json_open(json, "health", '{');
    json_bool(json, "available", health->available);
    if (health->available)
        json_null(json, "why");
    else
        json_string(json, "why", health->why);
    for (int i = 0; i < HEALTH_COUNT; i++)
        print_known(json, health_number_id((enum health_number)i),
                    health_number(health, (enum health_number)i));
    for (int i = 0; i < HEALTH_WORD_COUNT; i++) {
        const char *word = health_word(health, (enum health_word)i);

        if (strcmp(word, "n/a") == 0)
            json_null(json, health_word_id((enum health_word)i));
        else
            json_string(json, health_word_id((enum health_word)i), word);
    }
    if (health->processes_known)
        json_integer(json, "process_count", health->process_count);
    else
        json_null(json, "process_count");
    json_open(json, "processes", '[');
    for (uint32_t i = 0; i < health->process_count && i < HEALTH_PROCESSES_MAX; i++) {
        const struct health_process *process = &health->processes[i];

        if (process->pid == 0)
            break;
        json_open(json, NULL, '{');
        json_integer(json, "pid", process->pid);
        json_string(json, "name", process->name);
        print_known(json, "memory_bytes", process->memory_bytes);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

void device_print_json(struct json *json, const struct device_description *device, uint32_t ordinal,
                       const char *model_id, const struct device_health *health)
{
    struct sheet_row rows[SHEET_ROWS_MAX];
    size_t count = device_sheet_make(device, rows);

    json_open(json, NULL, '{');
    json_string(json, "name", device->info.name);
    json_bool(json, "is_model", model_id != NULL);
    if (model_id)
        json_string(json, "model", model_id);
    else
        json_null(json, "model");
    json_integer(json, "ordinal", ordinal);
    json_open(json, "properties", '[');
    for (size_t i = 0; i < count; i++)
        print_property(json, &rows[i]);
    json_close(json, ']');
    print_json_health(json, health);
    json_close(json, '}');
}

/* ---- which devices ---- */
struct printing {
    FILE *out;
    struct json json;
    bool as_json;
    size_t printed;
};

static void print_device(struct printing *printing, const struct device_description *device, uint32_t ordinal,
                         const char *model_id, const struct device_health *health)
{
    if (printing->as_json) {
        device_print_json(&printing->json, device, ordinal, model_id, health);
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
    struct printing printing = {.out = out, .as_json = options->format == REPORT_JSON};
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
    if (printing.as_json) {
        json_init(&printing.json, out, LINES_DEPTH);
        json_open(&printing.json, NULL, '{');
        json_integer(&printing.json, "schema", SCHEMA);
        json_open(&printing.json, "devices", '[');
    }
    if (count > 0)
        status = print_gpus(&printing, options, gpus, count, error);
    if (status == STATUS_OK && (both || count == 0)) {
        if (any && wants_gpu && !printing.as_json)
            fprintf(out, "%s\n\n", why);
        status = print_model(&printing, options, error);
    }
    if (printing.as_json) {
        json_close(&printing.json, ']');
        json_close(&printing.json, '}');
        putc('\n', out);
    }
    return status;
}
