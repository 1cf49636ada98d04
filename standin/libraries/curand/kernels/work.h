/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels of lanescope's cuRAND get. Read by C and by CUDA C++.
 */
#ifndef CURAND_WORK_H
#define CURAND_WORK_H

/* XORWOW and MRG32k3a: position p of the sequence is element p / streams of the stream p % streams (cuRAND's
 * manual, on ordering). A stream's state is STATE_WORDS words; word w of stream s lies at [w * streams + s].
 * A call takes the units of its output from one stream after the other; a unit of several draws takes them
 * all from one stream. */
#define STATE_WORDS 6

/* Philox4_32_10: position p is element p % 4 of block p / 4, which is the next counter of the stream
 * (p / 4) % PHILOX_STREAMS. */
#define PHILOX_STREAMS 65536

struct work_random {
    void *out;
    unsigned long long n; /* elements of the output */
    unsigned *states;
    unsigned streams, cursor;        /* cursor: the stream of the first unit */
    unsigned long long seed, offset; /* Philox: offset: the position of the first */
    double mean, deviation;          /* of the normal distribution; Poisson's mean is `mean` */
    const double
        *cumulated; /* Poisson: the probabilities of at most first + i; NULL: by the normal distribution */
    unsigned first, length;
};

#endif
