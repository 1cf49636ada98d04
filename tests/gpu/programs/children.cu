/* children: forks before it uses CUDA; each child runs itself anew with exec and launches; then so does the
 * parent. */
#include "program.h"

#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 3

int main(int argc, char **argv)
{
    if (argc == 1) {
        pid_t child[CHILDREN];
        for (int i = 0; i < CHILDREN; i++) {
            child[i] = fork();
            if (child[i] == 0) {
                execl("/proc/self/exe", argv[0], "child", (char *)NULL);
                _exit(127);
            }
        }
        for (int i = 0; i < CHILDREN; i++) {
            int status;
            if (waitpid(child[i], &status, 0) != child[i] || status != 0)
                return 1;
        }
    }
    unsigned *counter = new_counter();
    for (int i = 0; i < 1000; i++)
        count_up<<<1, 32>>>(counter);
    expect(counter, 32000);
    if (argc == 1) { /* a fork of a process that uses CUDA: the child must leave everything alone */
        int status;
        pid_t child = fork();
        if (child == 0)
            exit(0);
        if (waitpid(child, &status, 0) != child || status != 0)
            return 1;
        count_up<<<1, 32>>>(counter);
        expect(counter, 32032);
    }
    printf("%s: launched\n", argc > 1 ? argv[1] : "parent");
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
