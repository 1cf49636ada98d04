// SPDX-License-Identifier: Apache-2.0
// judge: n int 100..1024
// judge: x int in [n]
// judge: y int out [n] tolerance 0
void reference(int n, const int *x, int *y)
{
    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        y[i] = (int)(sum += (unsigned)x[i]);
}
