/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What lanescope tells the stand-in (standin/) in the environment of a program that runs on the device model,
 * beside the collector's socket (core/wire/wire.h), and what both say of NVIDIA's libraries. Static texts,
 * any thread.
 */
#ifndef CORE_WIRE_STANDIN_CONFIG_H
#define CORE_WIRE_STANDIN_CONFIG_H

#define STANDIN_MODEL_VARIABLE "LANESCOPE_MODEL" /* the modelled GPU's id; absent: the default */
#define STANDIN_GPUS_VARIABLE "LANESCOPE_GPUS"   /* how many modelled GPUs there are; absent: one */
#define STANDIN_RULES_VARIABLE "LANESCOPE_CC"    /* the counting rules, in the form of --cc */
#define STANDIN_CHECK_VARIABLE \
    "LANESCOPE_CHECK" /* --check: the kernels' names, a pattern; absent: no checks */
#define STANDIN_KNOWN_VARIABLE "LANESCOPE_KNOWN"     /* the file of --suppress */
#define STANDIN_KEEP_VARIABLE "LANESCOPE_NO_MERGE"   /* present: --no-merge */
#define STANDIN_REVERSE_VARIABLE "LANESCOPE_REVERSE" /* present: --reverse */
#define STANDIN_LAUNCHES_VARIABLE \
    "LANESCOPE_LAUNCHES" /* how many of a kernel and shape are counted; 0: all */
#define STANDIN_WAITING_VARIABLE \
    "LANESCOPE_WAITING" /* say on stderr how far a long launch is; if it is no terminal, after so many \
                           seconds */
#define STANDIN_DEBUG_VARIABLE \
    "LANESCOPE_DEBUG" /* the descriptor of the socket over which the program's launches are stepped */
#define STANDIN_STEPPED_VARIABLE "LANESCOPE_STEPPED" /* with it: the kernels' names, a pattern; absent: all */
#define STANDIN_CUOBJDUMP_VARIABLE \
    "LANESCOPE_CUOBJDUMP" /* the program that extracts a file's PTX; absent: on PATH */
#define STANDIN_TOOLLESS_VARIABLE \
    "LANESCOPE_NO_CUOBJDUMP" /* that there is none: the sentence that says how to get it */
#define STANDIN_PTX_VARIABLE \
    "LANESCOPE_PTX"               /* files with the program's PTX, separated by colons; the user's */
#define STANDIN_PTX_SUFFIX ".ptx" /* of the PTX beside a program or library: a.out.ptx */

/* How the notice of a process begins that says what of its run on the model is exact and what is not. */
#define STANDIN_FIDELITY "Fidelity: "
/* A notice that begins so, and goes on with a number of kernels, says what --check looked at in a process. */
#define CHECKED_TEXT "Checked: "

/* The same for every process that has a device model, bundled workloads too. */
#define TALLY_FOLDER_VARIABLE \
    "LANESCOPE_TALLY" /* the folder for the counts of each process (simt/device/tally.h); absent: none */
#define MODEL_WORKERS_VARIABLE \
    "LANESCOPE_WORKERS" /* threads that execute blocks; absent: one per processor, with a tally one */
#define MODEL_VECTORS_VARIABLE \
    "LANESCOPE_VECTORS" /* the widest vectors that are used: baseline, avx2, avx512; absent: the processor's \
                         */

/* NVIDIA's libraries, by the first letters of their files. The names of their functions begin with what
 * follows "lib". */
#define CLOSED_LIBRARIES                                                                                 \
    "libcublas", "libcudnn", "libcufft", "libcurand", "libcusolver", "libcusparse", "libnccl", "libnpp", \
        "libnvjpeg"
/* Those in whose place lanescope has its own (standin/libraries). */
#define OWN_LIBRARIES                                                                                  \
    "libcublas.so.12", "libcublas.so.13", "libcublasLt.so.12", "libcublasLt.so.13", "libcurand.so.10", \
        "libcufft.so.11", "libcufft.so.12"
#define CLOSED_REASON "NVIDIA's libraries hold no PTX, so the model cannot run their kernels"

#endif
