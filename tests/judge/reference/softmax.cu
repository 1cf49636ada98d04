// SPDX-License-Identifier: Apache-2.0
// judge: rows int 4..24
// judge: columns int 33..400
// judge: x float in [rows * columns]
// judge: y float out [rows * columns] tolerance 1e-5
#include <math.h>
void reference(int rows, int columns, const float *x, float *y)
{
    for (int r = 0; r < rows; r++) {
        double most = -INFINITY, sum = 0;
        for (int c = 0; c < columns; c++)
            most = fmax(most, x[r * columns + c]);
        for (int c = 0; c < columns; c++)
            sum += exp(x[r * columns + c] - most);
        for (int c = 0; c < columns; c++)
            y[r * columns + c] = (float)(exp(x[r * columns + c] - most) / sum);
    }
}
