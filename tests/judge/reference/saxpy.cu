// SPDX-License-Identifier: Apache-2.0
// judge: n int 1000..9000
// judge: a float 1..3
// judge: x float in [n]
// judge: y float inout [n] tolerance 1e-5
void reference(int n, float a, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
