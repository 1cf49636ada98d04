// SPDX-License-Identifier: Apache-2.0
// judge: n int 1000..9000
// judge: s float 1..5
// judge: x float in [n]
// judge: y float out [n] tolerance 1e-5
void reference(int n, float s, const float *x, float *y)
{
    for (int i = 0; i < n; i++)
        y[i] = s * x[i];
}
