/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FILE is compiled together with a main and with `runtime`, functions of CUDA's runtime that do nothing but write what was asked
 * for: what is not among them does not link, and the linker's sentence names it. The plan has a line each:
 *     call N | launch KERNEL GX GY GZ BX BY BZ SHARED COUNT SIZE:HEX... | set ADDRESS BYTE BYTES | copy TO FROM BYTES |
 *     alloc ADDRESS BYTES | free ADDRESS | refuse SENTENCE | end
 */
#include "cli/judge/judge.h"

#include "cli/own/compile.h"
#include "cli/own/own_kernel.h"
#include "cli/process/confined.h"
#include "cli/process/launch.h"
#include "core/base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLAN_BYTES_MAX (4u << 20)
#define PLAN_SECONDS 10.0

/* A string of C has at most 4,095 characters. */
static const char runtime[] =
    "#include <cuda_runtime_api.h>\n#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <pthread.h>\n#include <unistd.h>\n"
    "static FILE *plan; static pthread_t owner; static unsigned long next = 0x700000000000ul;\n"
    "static struct { const void *host; const char *name; } kernels[1024]; static int kernel_count; static const char *ptx;\n"
    "void judged(char **words); void judged_call(int call) { fprintf(plan, \"call %d\\n\", call); }\n"
    "static void refuse(const char *why) { if (plan) fprintf(plan, \"refuse %s\\n\", why); }\n"
    "static bool takes(cudaStream_t s) {\n"
    "  if (plan && !pthread_equal(owner, pthread_self())) { refuse(\"a thread of the host, not the caller of launch, gives work to the device\"); return false; }\n"
    "  if (s != (cudaStream_t)0x5151) { refuse(\"work is on another stream than the one that launch was given\"); return false; }\n"
    "  return plan; }\n"
    "static int sizes_of(const char *name, int *sizes) {\n"
    "  char key[4200]; int n = 0; snprintf(key, sizeof key, \".entry %s(\", name);\n"
    "  const char *at = ptx ? strstr(ptx, key) : 0, *end = at ? strchr(at, ')') : 0;\n"
    "  while (at && (at = strstr(at, \".param\")) && at < end && n < 64) {\n"
    "    const char *stop = at + strcspn(at, \",)\"), *open = (const char *)memchr(at, '[', stop - at); int bits = 8;\n"
    "    for (const char *t = at; t + 2 < stop; t++) if (*t == '.' && strchr(\"busf\", t[1]) && t[2] > '0' && t[2] <= '9') { bits = atoi(t + 2); break; }\n"
    "    sizes[n++] = bits / 8 * (open ? atoi(open + 1) : 1); at = stop; }\n"
    "  return end ? n : -1; }\n"
    "extern \"C\" {\n"
    "void **__cudaRegisterFatBinary(void *w) { static void *h; const unsigned *p = *(const unsigned **)((char *)w + 8);\n"
    "  unsigned long n = p[2] | (unsigned long)p[3] << 32; ptx = (const char *)memmem(p, n + 16, \".version\", 8); return &h; }\n"
    "void __cudaRegisterFatBinaryEnd(void **) {} void __cudaUnregisterFatBinary(void **) {} char __cudaInitModule(void **) { return 1; }\n"
    "void __cudaRegisterFunction(void **, const char *host, char *, const char *name, int, uint3 *, uint3 *, dim3 *, dim3 *, int *) {\n"
    "  if (kernel_count < 1024) { kernels[kernel_count].host = host; kernels[kernel_count++].name = name; } }\n"
    "void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int) {}\n"
    "static dim3 grid_, block_; static size_t shared_; static cudaStream_t stream_;\n"
    "unsigned __cudaPushCallConfiguration(dim3 g, dim3 b, size_t m, struct CUstream_st *s) { grid_ = g; block_ = b; shared_ = m; stream_ = s; return 0; }\n"
    "cudaError_t __cudaPopCallConfiguration(dim3 *g, dim3 *b, size_t *m, void *s) { *g = grid_; *b = block_; *m = shared_; *(cudaStream_t *)s = stream_; return cudaSuccess; }\n"
    "cudaError_t __cudaGetKernel(cudaKernel_t *k, const void *host) { *k = (cudaKernel_t)host; return cudaSuccess; }\n";
static const char runtime_calls[] =
    "cudaError_t cudaLaunchKernel(const void *f, dim3 g, dim3 b, void **args, size_t m, cudaStream_t s) {\n"
    "  int sizes[64], n = -1; const char *name = 0;\n"
    "  if (!takes(s)) return cudaSuccess;\n"
    "  for (int i = 0; i < kernel_count; i++) if (kernels[i].host == f) name = kernels[i].name;\n"
    "  if (name) n = sizes_of(name, sizes);\n"
    "  if (n < 0) { refuse(\"a kernel is launched that is not in the file\"); return cudaErrorInvalidDeviceFunction; }\n"
    "  fprintf(plan, \"launch %s %u %u %u %u %u %u %zu %d\", name, g.x, g.y, g.z, b.x, b.y, b.z, m, n);\n"
    "  for (int i = 0; i < n; i++) { fprintf(plan, \" %d:\", sizes[i]); for (int k = 0; k < sizes[i]; k++) fprintf(plan, \"%02x\", ((unsigned char *)args[i])[k]); }\n"
    "  fputc('\\n', plan); return cudaSuccess; }\n"
    "cudaError_t __cudaLaunchKernel(cudaKernel_t k, dim3 g, dim3 b, void **args, size_t m, cudaStream_t s) { return cudaLaunchKernel((const void *)k, g, b, args, m, s); }\n"
    "cudaError_t cudaMalloc(void **p, size_t n) { *p = (void *)next; if (plan) fprintf(plan, \"alloc %lu %zu\\n\", next, n); next += (n + 4095) / 4096 * 4096 + 4096; return cudaSuccess; }\n"
    "cudaError_t cudaFree(void *p) { if (plan && p) fprintf(plan, \"free %lu\\n\", (unsigned long)p); return cudaSuccess; }\n"
    "cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t s) { takes(s); return cudaMalloc(p, n); }\n"
    "cudaError_t cudaFreeAsync(void *p, cudaStream_t s) { takes(s); return cudaFree(p); }\n"
    "cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s) { if (takes(s)) fprintf(plan, \"set %lu %d %zu\\n\", (unsigned long)p, v & 255, n); return cudaSuccess; }\n"
    "cudaError_t cudaMemset(void *p, int v, size_t n) { return cudaMemsetAsync(p, v, n, 0); }\n"
    "cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind k, cudaStream_t s) {\n"
    "  if (k != cudaMemcpyDeviceToDevice) refuse(\"launch copies between host and device: results are the device's work\");\n"
    "  else if (takes(s)) fprintf(plan, \"copy %lu %lu %zu\\n\", (unsigned long)to, (unsigned long)from, n);\n"
    "  return cudaSuccess; }\n"
    "cudaError_t cudaMemcpy(void *to, const void *from, size_t n, enum cudaMemcpyKind k) { return cudaMemcpyAsync(to, from, n, k, 0); }\n"
    "cudaError_t cudaFuncSetAttribute(const void *, enum cudaFuncAttribute, int) { return cudaSuccess; }\n"
    "cudaError_t cudaGetLastError(void) { return cudaSuccess; } cudaError_t cudaPeekAtLastError(void) { return cudaSuccess; }\n"
    "const char *cudaGetErrorString(cudaError_t) { return \"no error\"; }\n"
    "cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; } cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }\n"
    "cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned) { *s = (cudaStream_t)0x5252; return cudaSuccess; }\n"
    "cudaError_t cudaStreamCreate(cudaStream_t *s) { return cudaStreamCreateWithFlags(s, 0); }\n"
    "cudaError_t cudaGetDevice(int *d) { *d = 0; return cudaSuccess; }\n"
    "cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t) { refuse(\"launch reads a clock\"); return cudaErrorNotSupported; }\n"
    "}\n"
    "int main(int argc, char **argv) {\n"
    "  FILE *file = fopen(argv[1], \"w\"), *code = fopen(argv[2], \"w\");\n"
    "  if (!file || !code || !ptx) return 1;\n"
    "  fputs(ptx, code); fclose(code); owner = pthread_self(); plan = file; judged(argv + 3);\n"
    "  fputs(\"end\\n\", plan); fflush(plan); _exit(0); }\n";

static FILE *create_file(const struct judge_folder *folder, const char *name, struct error *error)
{
    char path[PATH_BYTES + 32];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    FILE *out = fopen(path, "we");
    if (!out)
        error_set_errno(error, STATUS_IO, errno, "Cannot write %.300s", path);
    return out;
}

static enum status close_file(FILE *out, struct error *error)
{
    return fclose(out) == 0
               ? STATUS_OK
               : error_set(error, STATUS_IO, "A file for the compiler cannot be written: is the disk full?");
}

/* A copy that the compiler finds in its folder, and that no later change of the file reaches. */
static enum status copy_judged(const char *file, const struct judge_folder *folder, struct error *error)
{
    char *text;
    size_t size_bytes;
    enum status status = file_read(file, OWN_SOURCE_BYTES_MAX, &text, &size_bytes, error);
    if (status != STATUS_OK)
        return status;
    FILE *out = create_file(folder, folder->ptx ? "file.ptx" : "file.cu", error);
    status = STATUS_IO;
    if (out) {
        fwrite(text, 1, size_bytes, out);
        status = close_file(out, error);
    }
    free(text);
    return status;
}

static enum status write_runtime(const struct judge_folder *folder, struct error *error)
{
    FILE *out = create_file(folder, "runtime.cpp", error);
    if (!out)
        return STATUS_IO;
    fprintf(out, "%s%s", runtime, runtime_calls);
    return close_file(out, error);
}

static enum status write_main(const struct judge_reference *reference, const struct judge_folder *folder,
                              struct error *error)
{
    FILE *out = create_file(folder, "main.cu", error);
    if (!out)
        return STATUS_IO;
    fprintf(
        out,
        "#include <cuda_runtime.h>\n#include <cstdlib>\n#include \"file.cu\"\nvoid judged_call(int call);\nvoid judged(char **words) {\n"
        "  const int calls = atoi(*words++);\n"
        "  for (int call = 0; call < calls; call++) {\n    char **w = words + (call == calls - 1 ? %zu : 0);\n"
        "    judged_call(call);\n    launch((cudaStream_t)0x5151",
        reference->count);
    for (size_t i = 0; i < reference->count; i++) {
        const struct judge_argument *argument = &reference->arguments[i];
        if (*argument->length)
            fprintf(out, ", (%s *)strtoul(w[%zu], 0, 10)", argument->type, i);
        else if (argument->whole)
            fprintf(out, ", (%s)strtol(w[%zu], 0, 10)", argument->type, i);
        else
            fprintf(out, ", (%s)strtod(w[%zu], 0)", argument->type, i);
    }
    fputs(");\n  }\n}\n", out);
    return close_file(out, error);
}

static enum status write_reference(const struct judge_reference *reference, const char *reference_file,
                                   const struct judge_folder *folder, struct error *error)
{
    char whole[PATH_BYTES];
    if (!realpath(reference_file, whole))
        return error_set_errno(error, STATUS_USAGE, errno, "The reference %.300s cannot be read",
                               reference_file);
    FILE *out = create_file(folder, "reference.cpp", error);
    if (!out)
        return STATUS_IO;
    fprintf(out, "#include \"%s\"\nextern \"C\" void judge_reference(void **a) {\n  reference(", whole);
    for (size_t i = 0; i < reference->count; i++)
        fprintf(out, "%s%s(%s *)a[%zu]", i > 0 ? ", " : "", *reference->arguments[i].length ? "" : "*",
                reference->arguments[i].type, i);
    fputs(");\n}\n", out);
    return close_file(out, error);
}

/* What it said is in *said, freed by the caller. */
static enum status run_tool(const struct judge_folder *folder, char **argv, double seconds, char **said,
                            int *exit_status, struct error *error)
{
    const struct launch_variable variables[] = {{"LC_ALL", "C"}, {"TMPDIR", folder->path}, {NULL, NULL}};
    struct kept_output kept;
    struct launch *launch = NULL;
    enum status status = kept_output_open(&kept, error);
    *said = NULL;
    if (status != STATUS_OK)
        return status;
    const struct launch_options options = {.argv = argv,
                                           .variables = variables,
                                           .output = kept.fd,
                                           .errors = kept.fd,
                                           .time_limit_s = seconds,
                                           .file_bytes = PLAN_BYTES_MAX * 16ull,
                                           .ends_with_us = true};
    status = launch_start(&launch, &options, exit_status, error);
    if (status == STATUS_OK) {
        *exit_status = launch_wait(launch, NULL);
        launch_destroy(launch);
        *said = calloc(1, 1 << 16);
        if (*said && pread(kept.fd, *said, (1 << 16) - 1, 0) < 0)
            **said = '\0';
    }
    kept_output_close(&kept);
    return status == STATUS_OK && !*said ? error_no_memory(error, "for what a compiler says") : status;
}

/* The line that a user needs of what compiler or linker said. */
static void first_complaint(const char *said, char line[300])
{
    static const char *const signs[] = {"undefined reference to", "multiple definition of", "error", ""};
    const char *at = NULL;
    for (size_t i = 0; !at && i < sizeof signs / sizeof *signs; i++)
        at = strstr(said, signs[i]);
    while (at > said && at[-1] != '\n' && *signs[2] != *at)
        break;
    snprintf(line, 300, "%.*s", (int)strcspn(at, "\n"), at);
}

static enum status compile_reference(const struct judge_reference *reference, const char *reference_file,
                                     const struct judge_folder *folder, struct error *error)
{
    char source[PATH_BYTES + 32], library[PATH_BYTES + 32], line[300], *said = NULL;
    int exit_status = 0;
    snprintf(source, sizeof source, "%s/reference.cpp", folder->path);
    snprintf(library, sizeof library, "%s/reference.so", folder->path);
    char *host[] = {(char *)"c++",   (char *)"-x", (char *)"c++", (char *)"-O1", (char *)"-shared",
                    (char *)"-fPIC", (char *)"-o", library,       source,        NULL};
    enum status status = write_reference(reference, reference_file, folder, error);
    if (status == STATUS_OK)
        status = run_tool(folder, host, COMPILE_SECONDS, &said, &exit_status, error);
    if (status == STATUS_OK && exit_status != 0) {
        first_complaint(said, line);
        status = error_set(error, STATUS_USAGE, "The reference does not compile: %s.", line);
    }
    free(said);
    return status;
}

enum status judge_compile(const struct judge_reference *reference, const char *file,
                          const char *reference_file, const struct judge_folder *folder, struct error *error)
{
    char nvcc[PATH_BYTES], confiner[PATH_BYTES], main_file[PATH_BYTES + 32], runtime_file[PATH_BYTES + 32],
        plan[PATH_BYTES + 32], line[300], *said = NULL;
    bool nvrtc;
    int exit_status = 0;
    snprintf(main_file, sizeof main_file, "%s/main.cu", folder->path);
    snprintf(runtime_file, sizeof runtime_file, "%s/runtime.cpp", folder->path);
    snprintf(plan, sizeof plan, "%s/plan", folder->path);
    enum status status = copy_judged(file, folder, error);
    if (folder->ptx)
        return status == STATUS_OK ? compile_reference(reference, reference_file, folder, error) : status;
    if (status == STATUS_OK)
        status = compile_find(nvcc, &nvrtc, error);
    if (status == STATUS_OK && nvrtc)
        status = error_set(error, STATUS_UNSUPPORTED,
                           "lanescope judge runs host code, for which NVRTC is not enough: it needs nvcc.");
    if (status == STATUS_OK)
        status = write_main(reference, folder, error);
    if (status == STATUS_OK)
        status = write_runtime(folder, error);
    if (status == STATUS_OK)
        status = compile_reference(reference, reference_file, folder, error);
    char *device[24 + CONFINED_WORDS] = {nvcc,
                                         (char *)"-std=c++17",
                                         (char *)"-O2",
                                         (char *)"-gencode",
                                         (char *)"arch=compute_90,code=compute_90",
                                         (char *)"--no-compress",
                                         (char *)"-lineinfo",
                                         (char *)"-cudart",
                                         (char *)"none",
                                         (char *)"-o",
                                         plan,
                                         main_file,
                                         runtime_file,
                                         NULL};
    if (status == STATUS_OK)
        status = confined_prepend(device, nvcc, confiner, error);
    if (status == STATUS_OK)
        status = run_tool(folder, device, 2 * COMPILE_SECONDS, &said, &exit_status, error);
    if (status == STATUS_OK && exit_status != 0) {
        first_complaint(said, line);
        status = error_set(error, STATUS_CHECK,
                           "It does not compile, or calls what is no work for a device: %s.", line);
    }
    free(said);
    return status;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = file ? calloc(1, PLAN_BYTES_MAX + 1) : NULL;
    if (text && fread(text, 1, PLAN_BYTES_MAX, file) == 0) {
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

/* ---- the plan of PTX ---- */

#define LAUNCH_MARK "// launch:"

/* SIZE:HEX of an argument of R, as a kernel takes it. */
static bool write_argument(FILE *out, const struct judge_reference *reference, const struct judge_case *of,
                           const uint64_t *addresses, const char *name)
{
    size_t i = 0, size = 8;
    unsigned char bytes[8] = {0};
    while (i < reference->count && strcmp(reference->arguments[i].name, name) != 0)
        i++;
    if (i == reference->count)
        return false;
    const struct judge_argument *argument = &reference->arguments[i];
    if (*argument->length) {
        memcpy(bytes, &addresses[i], 8);
    } else {
        judge_put(argument, bytes, 0, of->values[i]);
        size = judge_element_bytes(argument);
    }
    fprintf(out, " %zu:", size);
    for (size_t k = 0; k < size; k++)
        fprintf(out, "%02x", bytes[k]);
    return true;
}

/* "X[,Y[,Z]]": expressions of whole arguments, as three words. */
static bool write_extent(FILE *out, const struct judge_reference *reference, const struct judge_case *of,
                         char *text)
{
    struct error error;
    for (int i = 0; i < 3; i++) {
        char *part = text ? strsep(&text, ",") : NULL;
        double value = 1;
        if (part &&
            judge_expression(reference, of->values, part + strspn(part, " "), &value, &error) != STATUS_OK)
            return false;
        fprintf(out, " %.0f", value);
    }
    return !text;
}

/* Does the kernel take so many parameters? The model reads as many as it has. Unknown kernels are the model's to refuse. */
static bool takes_parameters(const char *ptx, const char *kernel, size_t count)
{
    char entry[600];
    snprintf(entry, sizeof entry, ".entry %s", kernel);
    const size_t length = strlen(entry);
    const char *at = strstr(ptx, entry), *end;
    while (at && at[length] != '(' && at[length] != ' ' && at[length] != '\n')
        at = strstr(at + 1, entry);
    if (!at || !(end = strchr(at, ')')))
        return true;
    while ((at = strstr(at, ".param")) && at < end) {
        at += strlen(".param");
        count--;
    }
    return count == 0;
}

/* "KERNEL(A, B, ...) grid X[,Y[,Z]] block X[,Y[,Z]] [shared BYTES]" */
static bool write_launch(FILE *out, const char *ptx, const struct judge_reference *reference,
                         const struct judge_case *of, const uint64_t *addresses, char *line)
{
    char *open = strchr(line, '('), *grid = strstr(line, ") grid "),
         *block = grid ? strstr(grid, " block ") : NULL, *shared = block ? strstr(block, " shared ") : NULL,
         *list, *name;
    size_t count = 1;
    if (!open || !block || open > grid)
        return false;
    *open = *grid = *block = '\0';
    if (shared)
        *shared = '\0';
    fprintf(out, "launch %s", line);
    if (!write_extent(out, reference, of, grid + strlen(") grid ")) ||
        !write_extent(out, reference, of, block + strlen(" block ")))
        return false;
    for (const char *at = open + 1; *at; at++)
        count += *at == ',';
    if (!takes_parameters(ptx, line, count))
        return false;
    fprintf(out, " %lu %zu", shared ? strtoul(shared + strlen(" shared "), NULL, 10) : 0, count);
    list = open + 1;
    while ((name = strsep(&list, ",")))
        if (!write_argument(out, reference, of, addresses, name + strspn(name, " ")))
            return false;
    fputc('\n', out);
    return true;
}

static enum status plan_of_ptx(const struct judge_reference *reference, const struct judge_case *of,
                               const uint64_t *addresses, const struct judge_folder *folder, char **text,
                               char **ptx, struct error *error)
{
    char path[PATH_BYTES + 32];
    size_t size = 0, launches = 0;
    bool good = true;
    snprintf(path, sizeof path, "%s/file.ptx", folder->path);
    *text = NULL;
    *ptx = read_file(path);
    FILE *out = *ptx ? open_memstream(text, &size) : NULL;
    for (unsigned call = 0; out && good && call < of->calls; call++) {
        const uint64_t *places = addresses + (call == of->calls - 1 ? reference->count : 0);
        fprintf(out, "call %u\n", call);
        for (const char *at = *ptx; good && (at = strstr(at, LAUNCH_MARK));) {
            char line[512];
            at += strlen(LAUNCH_MARK) + strspn(at + strlen(LAUNCH_MARK), " ");
            snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\r\n"), at);
            good = write_launch(out, *ptx, reference, of, places, line);
            launches++;
        }
    }
    if (out) {
        fputs("end\n", out);
        good &= fclose(out) == 0;
    }
    if (out && good && launches > 0)
        return STATUS_OK;
    free(*text);
    free(*ptx);
    *text = *ptx = NULL;
    return error_set(
        error, STATUS_CHECK,
        launches > 0
            ? "A line \"// launch:\" is none: KERNEL(ARGUMENTS of the reference) grid X[,Y[,Z]] block X[,Y[,Z]] [shared BYTES]."
            : "It has no line \"// launch: KERNEL(ARGUMENTS) grid X block X\".");
}

enum status judge_plan(const struct judge_reference *reference, const struct judge_case *of,
                       const uint64_t *addresses, const struct judge_folder *folder, char **text, char **ptx,
                       struct error *error)
{
    char program[PATH_BYTES + 32], written[PATH_BYTES + 32], code[PATH_BYTES + 32], confiner[PATH_BYTES],
        nvcc[PATH_BYTES];
    char words[2 * JUDGE_ARGUMENTS_MAX][40], calls[16];
    char *argv[2 * JUDGE_ARGUMENTS_MAX + 8 + CONFINED_WORDS] = {program, written, code, calls}, *said = NULL;
    bool nvrtc;
    int exit_status = 0;
    if (folder->ptx)
        return plan_of_ptx(reference, of, addresses, folder, text, ptx, error);
    snprintf(program, sizeof program, "%s/plan", folder->path);
    snprintf(written, sizeof written, "%s/written", folder->path);
    snprintf(code, sizeof code, "%s/code.ptx", folder->path);
    snprintf(calls, sizeof calls, "%u", of->calls);
    unlink(written);
    unlink(code);
    for (size_t i = 0; i < 2 * reference->count; i++) {
        const struct judge_argument *argument = &reference->arguments[i % reference->count];
        if (*argument->length)
            snprintf(words[i], sizeof words[i], "%llu", (unsigned long long)addresses[i]);
        else
            snprintf(words[i], sizeof words[i], "%.17g", of->values[i % reference->count]);
        argv[4 + i] = words[i];
    }
    *text = *ptx = NULL;
    enum status status = compile_find(nvcc, &nvrtc, error);
    if (status == STATUS_OK)
        status = confined_prepend(argv, nvcc, confiner, error);
    if (status == STATUS_OK)
        status = run_tool(folder, argv, PLAN_SECONDS, &said, &exit_status, error);
    free(said);
    if (status != STATUS_OK)
        return status;
    *text = read_file(written);
    *ptx = read_file(code);
    const size_t length = *text ? strlen(*text) : 0;
    if (exit_status != 0 || !*ptx || length < 4 || strcmp(*text + length - 4, "end\n") != 0) {
        const bool limit = exit_status == 124;
        free(*text);
        free(*ptx);
        *text = *ptx = NULL;
        return error_set(
            error, STATUS_CHECK,
            limit ? "launch() does not return."
                  : "launch() ends the process (status %d), or reads memory of the device on the host.",
            exit_status);
    }
    return STATUS_OK;
}
