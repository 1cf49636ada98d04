/* reset: three rounds of launches, each ended by cudaDeviceReset. */
#include "program.h"

int main(void)
{
    for (int round = 0; round < 3; round++) {
        unsigned *counter = new_counter();
        for (int i = 0; i < 1000; i++)
            count_up<<<1, 32>>>(counter);
        expect(counter, 32000);
        CHECK(cudaDeviceReset());
    }
    printf("launched 3000\n");
    return 0;
}
