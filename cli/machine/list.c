/* The registry of workloads and the table of modelled GPUs, written out as they are. */
#include "cli/machine/list.h"

#include "cli/output/json.h"
#include "simt/timing/gpu.h"
#include "tui/frame/glossary.h"
#include "workloads/frame/texts.h"
#include "workloads/frame/workload.h"

#include <string.h>

#define SCHEMA 1
#define LINES_DEPTH 2 /* most lines: one for each workload and each model */

static void print_variants(struct json *json, const struct workload *workload)
{
    json_open(json, "variants", '[');
    for (size_t i = 0; i < workload->variant_count; i++) {
        json_open(json, NULL, '{');
        json_string(json, "name", workload->variants[i].name);
        json_string(json, "meaning", workload->variants[i].meaning);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void print_params(struct json *json, const struct workload *workload)
{
    json_open(json, "params", '[');
    for (size_t i = 0; i < workload->param_count; i++) {
        const struct workload_param *param = &workload->params[i];

        json_open(json, NULL, '{');
        json_string(json, "name", param->name);
        json_string(json, "meaning", param->meaning);
        json_string(json, "unit", param->unit ? param->unit : "");
        json_integer(json, "minimum", param->minimum);
        json_integer(json, "maximum", param->maximum);
        json_integer(json, "default", param->standard);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void print_models(struct json *json)
{
    json_open(json, "models", '[');
    for (size_t i = 0; gpu_at(i); i++) {
        const struct device_info *info = &gpu_at(i)->info;

        json_open(json, NULL, '{');
        json_string(json, "id", gpu_at(i)->id);
        json_string(json, "name", info->name);
        json_string(json, "compute_capability", capability_text(info->compute_capability).text);
        json_integer(json, "multiprocessors", info->multiprocessors);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void list_json(FILE *out)
{
    const struct workload *workload;
    struct json json;

    json_init(&json, out, LINES_DEPTH);
    json_open(&json, NULL, '{');
    json_integer(&json, "schema", SCHEMA);
    json_open(&json, "workloads", '[');
    for (size_t i = 0; (workload = workload_at(i)); i++) {
        json_open(&json, NULL, '{');
        json_string(&json, "name", workload->name);
        json_string(&json, "chapter", chapter_letter(workload->chapter));
        json_string(&json, "chapter_name", chapter_name(workload->chapter));
        json_string(&json, "title", workload->title);
        json_string(&json, "meaning", workload->meaning);
        json_integer(&json, "reading", (int64_t)i + 1);
        json_integer(&json, "lesson_minutes", text_lesson_minutes(workload->name));
        json_integer(&json, "devices_needed", workload->devices_needed);
        print_variants(&json, workload);
        print_params(&json, workload);
        json_close(&json, '}');
    }
    json_close(&json, ']');
    print_models(&json);
    json_close(&json, '}');
}

/* The devices that they run on: a GPU, and the models of GPUs. */
static void list_devices(FILE *out)
{
    fputs("\ndevices\n     cuda               an NVIDIA GPU: numbers are measured\n"
          "     simt               the device model on the CPU: numbers are modelled. --model takes\n",
          out);
    for (size_t i = 0; gpu_at(i); i++) {
        const struct device_info *info = &gpu_at(i)->info;

        fprintf(out, "       %-16s %s, compute capability %s, %u multiprocessors%s\n", gpu_at(i)->id,
                info->name, capability_text(info->compute_capability).text, info->multiprocessors,
                i == 0 ? " (the default)" : "");
    }
}

static void list_text(FILE *out)
{
    const struct workload *workload;

    fputs("The lessons are listed in the order in which to read them; e shows one on the screen.\n\n", out);
    for (size_t i = 0; (workload = workload_at(i)); i++) {
        if (i == 0 || workload->chapter != workload_at(i - 1)->chapter)
            fprintf(out, "%s%s  %s\n", i ? "\n" : "", chapter_letter(workload->chapter),
                    chapter_name(workload->chapter));
        fprintf(out, "\n   %s: %s\n     %s\n", workload->name, workload->title, workload->meaning);
        fprintf(out, "     lesson %zu, %u minutes\n", i + 1, text_lesson_minutes(workload->name));
        for (size_t k = 0; k < workload->variant_count; k++)
            fprintf(out, "     :%-18s %s\n", workload->variants[k].name, workload->variants[k].meaning);
        for (size_t k = 0; k < workload->param_count; k++) {
            const struct workload_param *param = &workload->params[k];

            char standard[24] = "auto";

            if (!workload_param_is_size(param))
                snprintf(standard, sizeof standard, "%lld", (long long)param->standard);
            fprintf(out, "     ,%s=%lld..%lld%s%s  %s (%s)\n", param->name, (long long)param->minimum,
                    (long long)param->maximum, param->unit && *param->unit ? " " : "",
                    param->unit ? param->unit : "", param->meaning, standard);
        }
    }
    list_devices(out);
    fputs("\nRun one:  lanescope copy-stride,stride=1..32      A list of values: lanescope "
          "'copy-stride,stride=1|2|32'\n",
          out);
}

void list_workloads(FILE *out, bool json)
{
    if (json)
        list_json(out);
    else
        list_text(out);
}

enum status list_terms(FILE *out, const char *word, struct error *error)
{
    const char *text = text_glossary();
    struct glossary_term term;
    bool found = false;

    for (uint32_t i = 0; glossary_at(text, i, &term); i++) {
        if (!strcasestr(term.term, word) && !strcasestr(term.meaning, word))
            continue;
        fprintf(out, "%s\n    %s\n", term.term, term.meaning);
        found = true;
    }
    return found ? STATUS_OK
                 : error_set(error, STATUS_USAGE,
                             "The glossary has no \"%.80s\": lanescope glossary prints all terms.", word);
}
