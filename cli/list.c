#include "cli/list.h"

#include "simt/gpu.h"
#include "workloads/workload.h"

/* The registry's texts are ours: plain ASCII without control bytes; quotes are all there is to escape. */
static void print_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void print_pair(FILE *out, const char *key, const char *text, bool last)
{
    fprintf(out, "\"%s\":", key);
    print_json_text(out, text);
    if (!last)
        fputc(',', out);
}

static void list_json(FILE *out)
{
    const struct workload *workload;

    fputs("{\"schema\":1,\"workloads\":[", out);
    for (size_t i = 0; (workload = workload_at(i)); i++) {
        fputs(i ? ",\n{" : "\n{", out);
        print_pair(out, "name", workload->name, false);
        print_pair(out, "chapter", workload->chapter, false);
        print_pair(out, "title", workload->title, false);
        print_pair(out, "meaning", workload->meaning, false);
        fprintf(out, "\"devices_needed\":%u,\"variants\":[", workload->devices_needed);
        for (size_t k = 0; k < workload->variant_count; k++) {
            fputs(k ? ",{" : "{", out);
            print_pair(out, "name", workload->variants[k].name, false);
            print_pair(out, "meaning", workload->variants[k].meaning, true);
            fputc('}', out);
        }
        fputs("],\"params\":[", out);
        for (size_t k = 0; k < workload->param_count; k++) {
            const struct workload_param *param = &workload->params[k];

            fputs(k ? ",{" : "{", out);
            print_pair(out, "name", param->name, false);
            print_pair(out, "meaning", param->meaning, false);
            print_pair(out, "unit", param->unit ? param->unit : "", false);
            fprintf(out, "\"minimum\":%lld,\"maximum\":%lld,\"default\":%lld}", (long long)param->minimum,
                    (long long)param->maximum, (long long)param->standard);
        }
        fputs("]}", out);
    }
    fputs("\n],\"models\":[", out);
    for (size_t i = 0; gpu_at(i); i++) {
        const struct device_info *info = &gpu_at(i)->info;

        fputs(i ? ",\n{" : "\n{", out);
        print_pair(out, "id", gpu_at(i)->id, false);
        print_pair(out, "name", info->name, false);
        fprintf(out, "\"compute_capability\":\"%u.%u\",\"multiprocessors\":%u}",
                info->compute_capability / 10, info->compute_capability % 10, info->multiprocessors);
    }
    fputs("\n]}\n", out);
}

/* What they run on: a GPU, and the models of GPUs. */
static void list_devices(FILE *out)
{
    fputs("\ndevices\n     cuda               an NVIDIA GPU: numbers are measured\n"
          "     simt               the device model on the CPU: numbers are modelled. --model takes\n",
          out);
    for (size_t i = 0; gpu_at(i); i++) {
        const struct device_info *info = &gpu_at(i)->info;

        fprintf(out, "       %-16s %s, compute capability %u.%u, %u multiprocessors%s\n", gpu_at(i)->id,
                info->name, info->compute_capability / 10, info->compute_capability % 10,
                info->multiprocessors, i == 0 ? " (the default)" : "");
    }
}

static void list_text(FILE *out)
{
    const struct workload *workload;

    for (size_t i = 0; (workload = workload_at(i)); i++) {
        fprintf(out, "%s%s  %s: %s\n", i ? "\n" : "", workload->chapter, workload->name, workload->meaning);
        for (size_t k = 0; k < workload->variant_count; k++)
            fprintf(out, "     :%-18s %s\n", workload->variants[k].name, workload->variants[k].meaning);
        for (size_t k = 0; k < workload->param_count; k++) {
            const struct workload_param *param = &workload->params[k];

            fprintf(out, "     ,%s=%lld..%lld%s%s  %s (%lld)\n", param->name, (long long)param->minimum,
                    (long long)param->maximum, param->unit && *param->unit ? " " : "",
                    param->unit ? param->unit : "", param->meaning, (long long)param->standard);
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
