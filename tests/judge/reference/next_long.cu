// SPDX-License-Identifier: Apache-2.0
// judge: n int 1000..9000
// judge: x long in [n] 0..1000000000000000000
// judge: y long out [n] tolerance 0
void reference(int n, const long *x, long *y)
{
    for (int i = 0; i < n; i++)
        y[i] = x[i] + 1;
}
