/* Programs that the stand-in runs: tools of CUDA and of the system, without the preloaded stand-in. */
#ifndef STANDIN_TOOL_H
#define STANDIN_TOOL_H

/* Runs a program found on PATH in `folder` (NULL: here) and waits for its end. What it prints goes to
 * `output` (-1: nowhere). Its exit status; 127: there is no such program; -1: a signal ended it. */
int tool_run(const char *const argv[], const char *folder, int output);

#endif
