// SPDX-License-Identifier: Apache-2.0
// judge: n int 1000..9000
// judge: x int in [n]
// judge: y int out [64] tolerance 0
void reference(int n, const int *x, int *y)
{
    for (int b = 0; b < 64; b++)
        y[b] = 0;
    for (int i = 0; i < n; i++)
        y[x[i] & 63]++;
}
