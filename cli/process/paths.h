/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths: the agent beside the program, the state folder, recordings whose names have placeholders.
 *
 * Every function fills a caller's buffer of PATH_BYTES. Any thread.
 */
#ifndef CLI_PROCESS_PATHS_H
#define CLI_PROCESS_PATHS_H

#include "core/base/error.h"

#include <stddef.h>

#define PATH_BYTES 4096

/* This program. */
enum status path_of_program(char *path, struct error *error);

/* lanescope-agent.so: beside the program, then in ../lib/lanescope. */
enum status path_of_agent(char *path, struct error *error);

/* lanescope-standin.so, which is CUDA's runtime on the device model: in the same two places. */
enum status path_of_standin(char *path, struct error *error);

/* The folder with the stand-in STANDIN under the names of CUDA's libraries: beside it where the installation has links, else in the
 * user's data folder, where they are made anew (a wheel has no links). */
enum status path_of_standin_links(const char *standin, char *folder, struct error *error);

/* lanescope-ladder, which runs CUDA's libraries: in the same two places. */
enum status path_of_ladder(char *path, struct error *error);

/* A library of a toolkit in $CUDA_HOME, $CUDA_PATH or the usual folders, else of NVIDIA's packages in an environment of Python's. */
enum status path_of_toolkit_library(const char *name, char *path, struct error *error);

/* The same of its programs. */
enum status path_of_toolkit_program(const char *name, char *path, struct error *error);

/* A program of NVIDIA's: on PATH, or in a toolkit. */
enum status path_of_tool(const char *name, char *path, struct error *error);

/* cuobjdump, which takes the PTX out of a program: what $LANESCOPE_CUOBJDUMP names, else as path_of_tool,
 * else what pip or conda installed. STATUS_UNSUPPORTED with the line that installs it on this machine. */
enum status path_of_cuobjdump(char *path, struct error *error);

/* libcupti.so.13 of a toolkit in $CUDA_HOME, $CUDA_PATH or the usual folders: what the agent tries last. */
enum status path_of_libcupti(char *path, struct error *error);

/* Replaces "%h", "%p", "%r", "%%" in a recording's name by host, pid and rank ("0" without a launcher that
 * numbers ranks). */
enum status path_expand(const char *pattern, char *path, struct error *error);

/* The SQLite export of a report of Nsight Systems (.nsys-rep, .qdrep): in $XDG_CACHE_HOME/lanescope or ~/.cache/lanescope, where nsys, if it is
 * on PATH, puts it when it is not there yet; a newer report is exported again. "": it is no such report, or there is no nsys.
 * STATUS_IO: nsys failed. */
enum status path_of_nsys_export(const char *report, char *path, struct error *error);

/* A new name in the state folder ($XDG_STATE_HOME/lanescope, ~/.local/state/lanescope, else a folder in the
 * temporary folder that only this user can enter), which is made if necessary. */
enum status path_of_live_recording(char *path, struct error *error);

/* The folder of the user's own kernels ($XDG_DATA_HOME/lanescope/kernels, ~/.local/share/lanescope/kernels),
 * which is made if necessary. Never cleared by lanescope. */
enum status path_of_kernels(char *path, struct error *error);

#endif
