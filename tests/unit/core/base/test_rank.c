/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/rank.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The numbers that a launcher gives a process, and a decoy for the launcher outside of it. Open MPI's and
 * MPICH's are printed by mpirun 4.1.4 and mpiexec 4.0.2, the others as documented. */
#define TORCHRUN                                                                                          \
    "RANK=11 LOCAL_RANK=3 WORLD_SIZE=16 LOCAL_WORLD_SIZE=8 GROUP_RANK=1 GROUP_WORLD_SIZE=2 ROLE_RANK=11 " \
    "ROLE_WORLD_SIZE=16 ROLE_NAME=default MASTER_ADDR=n1 MASTER_PORT=29500 TORCHELASTIC_RUN_ID=none "     \
    "TORCHELASTIC_RESTART_COUNT=0 TORCHELASTIC_MAX_RESTARTS=0 TORCHELASTIC_USE_AGENT_STORE=True "
#define OPENMPI(rank, local)                                                                              \
    "OMPI_COMM_WORLD_RANK=" rank " OMPI_COMM_WORLD_LOCAL_RANK=" local " OMPI_COMM_WORLD_NODE_RANK=" local \
    " OMPI_COMM_WORLD_SIZE=16 OMPI_COMM_WORLD_LOCAL_SIZE=8 OMPI_FIRST_RANKS=0 OMPI_UNIVERSE_SIZE=16 "     \
    "PMIX_RANK=" rank " PMIX_ID=1653145601." rank " PMIX_NAMESPACE=1653145601 PMIX_VERSION=4.2.2rc2 "
#define MPICH(rank, local) \
    "PMI_RANK=" rank " PMI_SIZE=16 PMI_FD=6 MPI_LOCALRANKID=" local " MPI_LOCALNRANKS=8 "
#define SLURM(rank, local, node)                                       \
    "SLURM_PROCID=" rank " SLURM_LOCALID=" local " SLURM_NODEID=" node \
    " SLURM_NTASKS=16 SLURM_STEP_NUM_TASKS=16 "
#define FLUX(rank, local) \
    "FLUX_TASK_RANK=" rank " FLUX_TASK_LOCAL_ID=" local " FLUX_JOB_SIZE=16 FLUX_JOB_NNODES=2 "

static const struct {
    const char *of, *environment;
    int job, host;
} rows[] = {
    {"nothing", "", -1, -1},
    {"torchrun", TORCHRUN, 11, 3},
    {"accelerate, DeepSpeed", "RANK=5 LOCAL_RANK=1 WORLD_SIZE=8 LOCAL_SIZE=4 CROSS_RANK=1 CROSS_SIZE=2", 5,
     1},
    {"Horovod", "HOROVOD_RANK=6 HOROVOD_LOCAL_RANK=2 HOROVOD_SIZE=8 HOROVOD_CROSS_RANK=1", 6, 2},
    {"Open MPI", OPENMPI("11", "3"), 11, 3},
    {"MPICH, Intel MPI", MPICH("11", "3"), 11, 3},
    {"MVAPICH2", "MV2_COMM_WORLD_RANK=11 MV2_COMM_WORLD_LOCAL_RANK=3 MV2_COMM_WORLD_SIZE=16", 11, 3},
    {"srun", SLURM("11", "3", "1"), 11, 3},
    {"srun --mpi=pmi2", SLURM("11", "3", "1") "PMI_RANK=11 PMI_SIZE=16 PMI_FD=5", 11, 3},
    {"srun --mpi=pmix", SLURM("11", "3", "1") "PMIX_RANK=11 PMIX_NAMESPACE=slurm.pmix.7.0", 11, 3},
    {"flux run", FLUX("11", "3") "PMI_RANK=11 PMI_SIZE=16 PMI_FD=7", 11, 3},
    {"HPE Cray mpiexec", "PALS_RANKID=11 PALS_LOCAL_RANKID=3 PALS_NODEID=1 PMI_RANK=11 PMI_LOCAL_RANK=3", 11,
     3},
    {"Cray PMI alone", "PMI_RANK=11 PMI_LOCAL_RANK=3 PMI_LOCAL_SIZE=8 PMI_SIZE=16", 11, 3},
    {"Cray aprun", "ALPS_APP_PE=11", 11, -1},
    {"jsrun", OPENMPI("11", "3") "JSM_NAMESPACE_RANK=11 JSM_NAMESPACE_LOCAL_RANK=3", 11, 3},
    {"PMIx alone", "PMIX_RANK=11 PMIX_NAMESPACE=prterun-n1-77@1", 11, -1},
    {"by hand", "RANK=11 WORLD_SIZE=16 MASTER_ADDR=n1 MASTER_PORT=29500", 11, -1},
    {"a local number alone", "LOCAL_RANK=3", -1, 3},
    /* One launcher in a task of another. */
    {"srun torchrun", SLURM("1", "0", "1") TORCHRUN, 11, 3},
    {"srun --mpi=pmix torchrun", SLURM("1", "0", "1") "PMIX_RANK=1 PMIX_NAMESPACE=slurm.pmix.7.0 " TORCHRUN,
     11, 3},
    {"mpirun torchrun", OPENMPI("1", "0") TORCHRUN, 11, 3},
    {"mpiexec torchrun", MPICH("1", "0") TORCHRUN, 11, 3},
    {"mpirun of Open MPI in a batch job", SLURM("0", "0", "0") OPENMPI("11", "3"), 11, 3},
    {"mpirun of Open MPI in a shell of srun --mpi=pmi2",
     SLURM("0", "0", "0") "PMI_RANK=0 PMI_SIZE=1 " OPENMPI("11", "3"), 11, 3},
    {"mpiexec of MPICH in a batch job", SLURM("0", "0", "0") MPICH("11", "3"), 11, 3},
    {"mpiexec of MPICH in a shell of srun --mpi=pmix", SLURM("0", "0", "0") "PMIX_RANK=0 " MPICH("11", "3"),
     11, 3},
    {"mpirun flux start, flux run", OPENMPI("1", "0") FLUX("11", "3") "PMI_RANK=11 PMI_SIZE=16", 11, 3},
    {"mpirun in pods that have a RANK", "RANK=1 WORLD_SIZE=2 MASTER_ADDR=n1 " OPENMPI("11", "3"), 11, 3},
    {"torchrun in pods that have a RANK", "PET_NODE_RANK=1 " TORCHRUN, 11, 3},
    {"a script that exports torch's from Slurm's", SLURM("11", "3", "1") "RANK=11 LOCAL_RANK=3 WORLD_SIZE=16",
     11, 3},
    /* What is no number is not there. */
    {"words", "RANK=one LOCAL_RANK=3 SLURM_PROCID=11 SLURM_LOCALID=2", 11, 2},
    {"empty", "OMPI_COMM_WORLD_RANK= SLURM_PROCID=11", 11, -1},
    {"below zero", "PMI_RANK=-1 SLURM_PROCID=11", 11, -1},
    {"too large", "PMI_RANK=2147483648 SLURM_PROCID=2147483647", 2147483647, -1},
    {"a tail", "OMPI_COMM_WORLD_RANK=12x", -1, -1},
};

Test(rank, of_each_launcher)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048], *rest = text, *word;

        clearenv();
        cr_assert(strlen(rows[i].environment) < sizeof text);
        strcpy(text, rows[i].environment);
        while ((word = strsep(&rest, " ")) != NULL) {
            char *value = strchr(word, '=');
            if (!value)
                continue;
            *value = '\0';
            setenv(word, value + 1, 1);
        }
        cr_expect(rank_of_job() == rows[i].job, "%s: %d", rows[i].of, (int)rank_of_job());
        cr_expect(rank_of_host() == rows[i].host, "%s: %d on its host", rows[i].of, (int)rank_of_host());
    }
}
