/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launchers nest, and a process inherits the variables of all of them: `srun torchrun` has Slurm's number of
 * the host's only task beside torchrun's of the process. The launcher that runs inside another one's task
 * started the process, so its row stands above the other's. Sources: each launcher's own documents; the sets
 * of Open MPI 4.1.4 and MPICH 4.0.2 were also printed (tests/unit/core/base/test_rank.c has them all).
 */
#include "core/base/rank.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

static const struct launcher {
    const char *job, *host; /* NULL: it does not say */
    bool both;              /* counts only if both are there */
} launchers[] = {
    /* Started once on each host, by any of the rest: torchrun, accelerate, DeepSpeed; Horovod. RANK alone can
     * be a pod's number (Kubeflow's PyTorchJob) in which one of the rest starts several processes. */
    {"RANK", "LOCAL_RANK", true},
    {"HOROVOD_RANK", "HOROVOD_LOCAL_RANK", false},
    /* Flux runs in an allocation of another manager, and removes its variables from one of its own. */
    {"FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID", false},
    /* The mpirun of an MPI library runs in a batch job or a shell that is itself task 0 of Slurm. */
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", false}, /* Open MPI; IBM's jsrun */
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", false},   /* MVAPICH2 */
    {"PALS_RANKID", "PALS_LOCAL_RANKID", false},                   /* HPE Cray: mpiexec, aprun */
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_LOCAL_RANK", false},     /* IBM's jsrun */
    {"PMI_RANK", "MPI_LOCALRANKID", false}, /* MPICH, Intel MPI; Slurm with --mpi=pmi2 */
    {"PMI_RANK", "PMI_LOCAL_RANK", false},  /* HPE Cray */
    /* Below PMI's: a server of MPICH's that was started with --mpi=pmix sets PMI_RANK and leaves this. */
    {"PMIX_RANK", NULL, false},
    {"ALPS_APP_PE", NULL, false}, /* Cray's aprun */
    {"SLURM_PROCID", "SLURM_LOCALID", false},
    {"RANK", "LOCAL_RANK", false}, /* set by hand */
};

/* The number that the variable holds; -1: none. */
static int32_t number_of_variable(const char *name)
{
    const char *text = name ? getenv(name) : NULL;
    char *end;
    long number = text ? strtol(text, &end, 10) : -1;
    return text && end != text && *end == '\0' && number >= 0 && number <= INT32_MAX ? (int32_t)number : -1;
}

static int32_t number_of_launcher(bool of_host)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        int32_t job = number_of_variable(launchers[i].job);
        int32_t host = number_of_variable(launchers[i].host);
        if (launchers[i].both && (job < 0 || host < 0))
            continue;
        if ((of_host ? host : job) >= 0)
            return of_host ? host : job;
    }
    return -1;
}

int32_t rank_of_job(void)
{
    return number_of_launcher(false);
}

int32_t rank_of_host(void)
{
    return number_of_launcher(true);
}
