// SPDX-License-Identifier: Apache-2.0
// judge: n int 1000..9000
// judge: a double 1..5
// judge: x double in [n]
// judge: y double inout [n] tolerance 1e-5
// judge: operations 2 * n
void reference(int n, double a, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += a * x[i];
}
