/* SPDX-License-Identifier: Apache-2.0 */
/* What old GPUs cannot do: found in a program by what its instructions do, and refused with a sentence. */
#include "simt/program/features.h"
#include "tests/shared/made/model_log.h"
#include "tests/shared/made/run_model.h"
#include "workloads/frame/workload.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BIT(feature) (UINT32_C(1) << ARCH_FEATURE_##feature)

static uint32_t used;

static void take_features(const struct program *program, const struct counter *counter)
{
    (void)counter;
    used = features_used(program);
}

Test(simt_features, of_instructions, .init = model_open, .fini = model_close)
{
    static const struct {
        const char *instruction;
        uint32_t used;
    } cases[] = {
        {"add.s32 %r1, %r2, %r3;", 0},
        {"prmt.b32 %r1, %r2, %r3, 0x3210;", 0},
        {"bfe.u32 %r1, %r2, 3, 4;", 0},
        {"ld.global.nc.u32 %r1, [%rd1];", 0},
        {"bar.sync 0;", 0},
        {"bar.warp.sync -1;", 0},
        {"selp.f64 %fd1, %fd2, %fd3, %p1;", 0},
        {"mul.rn.f64 %fd1, %fd2, 0d3BF921FB54442D19;", 0}, /* sinf's own */
        {"mul.rn.f64 %fd1, %fd2, %fd3;", BIT(DOUBLE)},
        {"atom.global.add.u32 %r1, [%rd1], 1;", BIT(GLOBAL_ATOMICS)},
        {"red.global.add.f32 [%rd1], 0f3F800000;", BIT(GLOBAL_ATOMICS) | BIT(FLOAT_ATOMICS)},
        {"red.global.add.f64 [%rd1], 0d3FF0000000000000;", BIT(GLOBAL_ATOMICS) | BIT(DOUBLE_ATOMICS)},
        {"atom.global.add.u64 %rd2, [%rd1], 1;", BIT(GLOBAL_ATOMICS) | BIT(ATOMICS_64)},
        {"atom.global.max.u64 %rd2, [%rd1], 1;",
         BIT(GLOBAL_ATOMICS) | BIT(ATOMICS_64) | BIT(ATOMICS_64_LOGIC)},
        {"red.shared.add.u32 [words], 1;", BIT(SHARED_ATOMICS)},
        {"vote.sync.any.pred %p2, %p1, -1;", BIT(VOTE)},
        {"vote.sync.ballot.b32 %r1, %p1, -1;", BIT(BALLOT)},
        {"activemask.b32 %r1;", BIT(BALLOT)},
        {"bar.red.popc.u32 %r1, 0, %p1;", BIT(BARRIER_REDUCTION)},
        {"prefetch.global.L2 [%rd1];", BIT(PREFETCH)},
        {"shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", BIT(SHUFFLE)},
        {"match.any.sync.b32 %r1, %r2, -1;", BIT(MATCH)},
        {"redux.sync.add.u32 %r1, %r2, -1;", BIT(WARP_REDUCTION)},
        {"cp.async.ca.shared.global [words], [%rd1], 4;", BIT(ASYNC_COPY)},
        {"dp4a.u32.u32 %r1, %r2, %r3, %r1;", BIT(BYTE_PRODUCTS)},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        uint64_t address = model_allocate(256, NULL);
        snprintf(
            text, sizeof text,
            ".version 8.0\n.target sm_90\n.address_size 64\n"
            ".visible .entry one(.param .u64 p)\n{\n"
            ".reg .b32 %%r<8>;\n.reg .b64 %%rd<8>;\n.reg .f64 %%fd<8>;\n.reg .pred %%p<4>;\n"
            ".shared .align 8 .b8 words[64];\n"
            "ld.param.u64 %%rd1, [p];\nst.global.u64 [%%rd1], 0;\nst.shared.u64 [words], 0;\n%s\nret;\n}\n",
            cases[i].instruction);
        model_load_text("one", text, strlen(text));
        model_launch_counted("one", false, SHAPE(1, 1, 1), SHAPE(1, 1, 1), 0, &address, take_features);
        cr_assert_eq(used, cases[i].used, "%s: %x, not %x", cases[i].instruction, used, cases[i].used);
    }
}

static enum status run_on(const char *gpu, const char *text, struct error *error)
{
    struct model_log log = {0};
    struct device *device =
        model_log_device(&log, &(struct simt_options){.workers = 1, .gpu = gpu_find(gpu)});
    struct workload_case *cases;
    struct workbench bench;
    struct workload_result result = {.verified = -1};
    enum status status;
    size_t count;

    cr_assert_eq(workload_parse(text, &cases, &count, NULL), STATUS_OK);
    cases->info = device->ops->info(device);
    cases->small = true;
    workbench_init(&bench, device, 1, 1);
    cr_assert_eq(cases->workload->resolve(cases, NULL), STATUS_OK);
    status = cases->workload->run(cases, &bench, &result, error);
    cr_assert_eq(result.verified, status == STATUS_OK ? 1 : -1, "%s on %s", text, gpu);
    workbench_fini(&bench);
    free(cases);
    device->ops->close(device);
    model_log_fini(&log);
    return status;
}

Test(simt_features, a_gpu_refuses_what_it_cannot)
{
    static const struct {
        const char *text, *first, *before; /* the first GPU that can, one that can not */
    } cases[] = {
        {"reduction:shuffle", "gtx680", "gtx280"},
        {"reduction:sequential", "8800gtx", NULL},
        {"math:double-constants", "gtx280", "9800gt"},
        {"math:sin", "8800gtx", NULL},
        {"atomics:global", "9800gt", "8800gtx"},
        {"atomics:shared", "gtx280", "9800gt"},
        {"atomics:float", "m2090", "gtx280"},
        {"prefetch:l2", "m2090", "gtx280"},
        {"prefetch:smem-rolling-async", "a100", "v100"},
        {"histogram:shared", "gtx280", "8800gtx"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        cr_assert_eq(run_on(cases[i].first, cases[i].text, &error), STATUS_OK, "%s on %s: %s", cases[i].text,
                     cases[i].first, error.text);
        if (cases[i].before)
            cr_assert_eq(run_on(cases[i].before, cases[i].text, &error), STATUS_UNSUPPORTED, "%s on %s",
                         cases[i].text, cases[i].before);
    }
}

Test(simt_features, the_sentence)
{
    struct error error = {0};

    cr_assert_eq(run_on("gtx280", "reduction:shuffle", &error), STATUS_UNSUPPORTED);
    cr_assert_not_null(
        strstr(
            error.text,
            " uses shuffles, which needs compute capability 3.0; the modelled GPU, GeForce GTX 280, has 1.3"),
        "%s", error.text);
}
