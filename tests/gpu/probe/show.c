/* SPDX-License-Identifier: Apache-2.0 */
/* show: prints the counts that the probe's activity agent left in a file. */
#include <stdint.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    static const char *const names[] = {"kernels",
                                        "nodes",
                                        "traces",
                                        "runtime",
                                        "driver",
                                        "copies",
                                        "others",
                                        "buffers",
                                        "requests",
                                        "flushes",
                                        "flush_ns",
                                        "flush_max_ns",
                                        "zero_times",
                                        "complete_on_flush_thread",
                                        "complete_elsewhere",
                                        "dropped",
                                        "last_record_ns",
                                        "callbacks",
                                        "rearms"};
    uint64_t v[512] = {0};
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!f || fread(v, 1, sizeof names / sizeof *names * 8, f) == 0)
        return 1;
    printf("S:");
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (v[i] && i != 16)
            printf(" %s %lu", names[i], (unsigned long)v[i]);
    printf("\n");
    fclose(f);
    return 0;
}
