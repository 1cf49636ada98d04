// SPDX-License-Identifier: Apache-2.0
// judge: rows int 4..24
// judge: columns int 64..300
// judge: x float in [rows * columns]
// judge: y float out [rows * columns] tolerance 1e-4
#include <math.h>
void reference(int rows, int columns, const float *x, float *y)
{
    for (int r = 0; r < rows; r++) {
        double mean = 0, variance = 0;
        for (int c = 0; c < columns; c++)
            mean += x[r * columns + c] / (double)columns;
        for (int c = 0; c < columns; c++)
            variance += (x[r * columns + c] - mean) * (x[r * columns + c] - mean) / columns;
        for (int c = 0; c < columns; c++)
            y[r * columns + c] = (float)((x[r * columns + c] - mean) / sqrt(variance + 1e-5));
    }
}
