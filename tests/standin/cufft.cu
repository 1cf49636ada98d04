/* cuFFT as programs call it: what each call answers, and how far its results are from a direct transform in
 * double precision. Only the public interface is used.
 *   cufft               all cases, then wrong calls
 *   cufft "c 60"        one case
 *   cufft fault N       one of the last
 *   cufft -             the cases that standard input has, one a line; "wrong" is the wrong calls
 *
 * A case is a line: the type (c C2C, r R2C, b C2R, and C R B of doubles), the sizes (1 to 3, "8x6x10"), then
 *   nN a batch of N   i in place   inv the inverse   many by cufftPlanMany
 *   eA,B,S,D;C,T,E  advanced layout: input's embedding A (of the innermost size; 0: NULL), stride S, distance D; output's
 * The answer has the codes, the error relative to the largest value (its place of ten), whether elements that
 * belong to no result kept their value, whether the input did, and some results. */
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#if __has_include(<cufftXt.h>)
#include <cufft.h>
#include <cufftXt.h>
#else
#include <library_types.h>
enum cufftType {
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_C2C = 0x29,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c,
    CUFFT_Z2Z = 0x69
};
enum cufftProperty { NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT = 1 };
enum { CUFFT_FORWARD = -1, CUFFT_INVERSE = 1 };
typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef float2 cufftComplex;
typedef double2 cufftDoubleComplex;
extern "C" {
#define MANY(type) int, type *, type *, type, type, type *, type, type, cufftType, type
#define XT_MANY                                                                                           \
    int, long long *, long long *, long long, long long, cudaDataType, long long *, long long, long long, \
        cudaDataType, long long
int cufftPlan1d(cufftHandle *, int, cufftType, int);
int cufftPlan2d(cufftHandle *, int, int, cufftType);
int cufftPlan3d(cufftHandle *, int, int, int, cufftType);
int cufftPlanMany(cufftHandle *, MANY(int));
int cufftMakePlan1d(cufftHandle, int, cufftType, int, size_t *);
int cufftMakePlan2d(cufftHandle, int, int, cufftType, size_t *);
int cufftMakePlan3d(cufftHandle, int, int, int, cufftType, size_t *);
int cufftMakePlanMany(cufftHandle, MANY(int), size_t *);
int cufftMakePlanMany64(cufftHandle, MANY(long long), size_t *);
int cufftXtMakePlanMany(cufftHandle, XT_MANY, size_t *, cudaDataType);
int cufftEstimate1d(int, cufftType, int, size_t *);
int cufftEstimate2d(int, int, cufftType, size_t *);
int cufftEstimate3d(int, int, int, cufftType, size_t *);
int cufftEstimateMany(MANY(int), size_t *);
int cufftCreate(cufftHandle *);
int cufftGetSize1d(cufftHandle, int, cufftType, int, size_t *);
int cufftGetSize2d(cufftHandle, int, int, cufftType, size_t *);
int cufftGetSize3d(cufftHandle, int, int, int, cufftType, size_t *);
int cufftGetSizeMany(cufftHandle, MANY(int), size_t *);
int cufftGetSize(cufftHandle, size_t *);
int cufftSetWorkArea(cufftHandle, void *);
int cufftSetAutoAllocation(cufftHandle, int);
int cufftExecC2C(cufftHandle, cufftComplex *, cufftComplex *, int);
int cufftExecR2C(cufftHandle, cufftReal *, cufftComplex *);
int cufftExecC2R(cufftHandle, cufftComplex *, cufftReal *);
int cufftExecZ2Z(cufftHandle, cufftDoubleComplex *, cufftDoubleComplex *, int);
int cufftExecD2Z(cufftHandle, cufftDoubleReal *, cufftDoubleComplex *);
int cufftExecZ2D(cufftHandle, cufftDoubleComplex *, cufftDoubleReal *);
int cufftXtExec(cufftHandle, void *, void *, int);
int cufftSetStream(cufftHandle, cudaStream_t);
int cufftDestroy(cufftHandle);
int cufftGetVersion(int *);
int cufftGetProperty(libraryPropertyType, int *);
int cufftSetPlanPropertyInt64(cufftHandle, cufftProperty, long long);
int cufftGetPlanPropertyInt64(cufftHandle, cufftProperty, long long *);
int cufftResetPlanProperty(cufftHandle, cufftProperty);
}
#endif
#include <iostream>
#include <string>
#include <vector>

typedef std::complex<double> number;
typedef long long index_type;

static const double pi = 3.141592653589793238462643383279502884;

struct side { /* a layout: the elements of a batch, and where they lie */
    std::vector<int> sizes, embed;
    index_type stride, distance;
    index_type place(const std::vector<int> &at, int batch) const
    {
        index_type linear = 0;
        for (size_t i = 0; i < at.size(); i++)
            linear = linear * (i ? embed[i] : 1) + at[i];
        return batch * distance + linear * stride;
    }
    index_type count() const
    {
        index_type n = 1;
        for (int size : sizes)
            n *= size;
        return n;
    }
    std::vector<int> position(index_type linear) const
    {
        std::vector<int> at(sizes.size());
        for (size_t i = sizes.size(); i-- > 0; linear /= sizes[i])
            at[i] = int(linear % sizes[i]);
        return at;
    }
    index_type length(int batches) const
    {
        std::vector<int> last(sizes);
        for (int &i : last)
            i--;
        return place(last, batches - 1) + 1;
    }
};

static double draw(unsigned &seed)
{
    seed = seed * 1664525u + 1013904223u;
    return double(int(seed >> 16) - 32768) / 32768;
}

typedef std::vector<std::vector<number>> turn_tables;

/* exp(sign 2 pi i j / n) of each dimension. */
static turn_tables make_turns(const std::vector<int> &sizes, int sign)
{
    turn_tables tables;
    for (int n : sizes) {
        std::vector<number> row;
        for (int j = 0; j < n; j++)
            row.push_back(std::polar(1.0, sign * 2 * pi * j / n));
        tables.push_back(row);
    }
    return tables;
}

/* One output of a transform of `in` (row-major): sum of in * exp(sign 2 pi i (k, x) / n). */
static number direct(const std::vector<number> &in, const turn_tables &turns, const std::vector<int> &k)
{
    number sum = 0;
    size_t inner = turns.back().size(), rows = in.size() / inner, last = size_t(k.back());
    for (size_t r = 0; r < rows; r++) {
        number part = 0, turn = 1;
        for (size_t x = 0, j = 0; x < inner; x++, j = (j + last) % inner)
            part += in[r * inner + x] * turns.back()[j];
        size_t rest = r;
        for (size_t d = turns.size() - 1; d-- > 0;) {
            size_t n = turns[d].size();
            turn *= turns[d][rest % n * size_t(k[d]) % n];
            rest /= n;
        }
        sum += part * turn;
    }
    return sum;
}

template <typename T> static void put(std::vector<T> &to, index_type at, number value, bool real)
{
    to[size_t(real ? at : 2 * at)] = T(value.real());
    if (!real)
        to[size_t(2 * at + 1)] = T(value.imag());
}
template <typename T> static number get(const std::vector<T> &from, index_type at, bool real)
{
    return real ? number(double(from[size_t(at)]))
                : number(double(from[size_t(2 * at)]), double(from[size_t(2 * at + 1)]));
}

struct request {
    char type;
    std::vector<int> sizes;
    int batch = 1;
    bool in_place = false, inverse = false, many = false, advanced = false, no_in = false, no_out = false;
    index_type given[6] = {0, 1, 0, 0, 1, 0}; /* embedding, stride, distance */
};

static request read_case(const std::string &line)
{
    request r;
    char *end = const_cast<char *>(line.c_str()) + 1;
    r.type = line[0];
    do
        r.sizes.push_back(int(std::strtol(end + 1, &end, 10)));
    while (*end == 'x');
    while (*end) {
        end++;
        if (std::strncmp(end, "inv", 3) == 0)
            r.inverse = true, end += 3;
        else if (std::strncmp(end, "many", 4) == 0)
            r.many = true, end += 4;
        else if (*end == 'i')
            r.in_place = true, end++;
        else if (*end == 'n')
            r.batch = int(std::strtol(end + 1, &end, 10));
        else if (*end == 'e') {
            r.many = r.advanced = true;
            for (index_type &number : r.given)
                number = std::strtoll(end + 1, &end, 10);
        } else
            std::printf("  ? %s\n", end), std::exit(2);
    }
    return r;
}

template <typename T> static void run_typed(const request &r)
{
    bool of_double = sizeof(T) == 8, real_in = r.type == 'r' || r.type == 'R',
         real_out = r.type == 'b' || r.type == 'B';
    int rank = int(r.sizes.size());
    side in = {r.sizes, r.sizes, 1, 0}, out = in;
    std::vector<int> half = r.sizes;
    half.back() = half.back() / 2 + 1;
    if (real_in)
        out.sizes = out.embed = half;
    if (real_out)
        in.sizes = in.embed = half;
    if (r.in_place && real_in)
        in.embed.back() = 2 * half.back();
    if (r.in_place && real_out)
        out.embed.back() = 2 * half.back();
    side *sides[] = {&in, &out};
    for (int i = 0; i < 2; i++) {
        side &one = *sides[i];
        one.distance = 1;
        for (int size : one.embed)
            one.distance *= size;
        if (r.advanced && r.given[0]) {
            one.embed.back() = int(r.given[3 * i]);
            one.stride = r.given[3 * i + 1];
            one.distance = r.given[3 * i + 2];
        }
    }
    index_type in_length = in.length(r.batch) * (real_in ? 1 : 2),
               out_length = out.length(r.batch) * (real_out ? 1 : 2);
    if (r.in_place)
        in_length = out_length = std::max(in_length, out_length);
    std::vector<T> input(size_t(in_length), T(77)), output(size_t(out_length), T(55));
    /* Inputs: any for a complex or real source; for C2R the transform of real values, which is symmetric. */
    unsigned seed = 1;
    std::vector<std::vector<number>> sources;
    index_type total = 1;
    for (int size : r.sizes)
        total *= size;
    for (int b = 0; b < r.batch; b++) {
        std::vector<number> source(static_cast<size_t>(total));
        if (!real_out)
            for (index_type i = 0; i < total; i++) {
                double re = draw(seed), im = real_in ? 0 : draw(seed);
                source[size_t(i)] = number(double(T(re)), double(T(im)));
            }
        else /* X(-k) = conj X(k) */
            for (index_type i = 0; i < total; i++) {
                side whole = {r.sizes, r.sizes, 1, total};
                std::vector<int> k = whole.position(i), minus = k;
                for (int d = 0; d < rank; d++)
                    minus[size_t(d)] = (r.sizes[size_t(d)] - k[size_t(d)]) % r.sizes[size_t(d)];
                index_type other = whole.place(minus, 0);
                if (other < i)
                    source[size_t(i)] = std::conj(source[size_t(other)]);
                else {
                    double re = draw(seed), im = other == i ? 0 : draw(seed);
                    source[size_t(i)] = number(double(T(re)), double(T(im)));
                }
            }
        side whole = {r.sizes, r.sizes, 1, total};
        for (index_type i = 0; i < in.count(); i++) {
            std::vector<int> at = in.position(i);
            put(input, in.place(at, b), source[size_t(whole.place(at, 0))], real_in);
        }
        sources.push_back(source);
    }
    T *from = nullptr, *to = nullptr;
    cudaMalloc(&from, size_t(in_length) * sizeof(T));
    if (r.in_place)
        to = from;
    else
        cudaMalloc(&to, size_t(out_length) * sizeof(T));
    if (!r.in_place)
        cudaMemcpy(to, output.data(), size_t(out_length) * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(from, input.data(), size_t(in_length) * sizeof(T), cudaMemcpyHostToDevice);
    cufftHandle plan = -1;
    int type = real_in    ? (of_double ? CUFFT_D2Z : CUFFT_R2C)
               : real_out ? (of_double ? CUFFT_Z2D : CUFFT_C2R)
                          : (of_double ? CUFFT_Z2Z : CUFFT_C2C);
    std::vector<int> n = r.sizes, in_embed = in.embed, out_embed = out.embed;
    int planned;
    if (r.many) {
        bool none = !r.advanced || !r.given[0];
        planned = cufftPlanMany(&plan, rank, n.data(), none ? nullptr : in_embed.data(), int(in.stride),
                                int(in.distance), none ? nullptr : out_embed.data(), int(out.stride),
                                int(out.distance), cufftType(type), r.batch);
    } else if (rank == 1)
        planned = cufftPlan1d(&plan, n[0], cufftType(type), r.batch);
    else if (rank == 2)
        planned = cufftPlan2d(&plan, n[0], n[1], cufftType(type));
    else
        planned = cufftPlan3d(&plan, n[0], n[1], n[2], cufftType(type));
    int direction = r.inverse ? CUFFT_INVERSE : CUFFT_FORWARD, executed = -1;
    if (planned == 0)
        switch (type) {
        case CUFFT_C2C:
            executed = cufftExecC2C(plan, (cufftComplex *)from, (cufftComplex *)to, direction);
            break;
        case CUFFT_Z2Z:
            executed = cufftExecZ2Z(plan, (cufftDoubleComplex *)from, (cufftDoubleComplex *)to, direction);
            break;
        case CUFFT_R2C: executed = cufftExecR2C(plan, (cufftReal *)from, (cufftComplex *)to); break;
        case CUFFT_D2Z:
            executed = cufftExecD2Z(plan, (cufftDoubleReal *)from, (cufftDoubleComplex *)to);
            break;
        case CUFFT_C2R: executed = cufftExecC2R(plan, (cufftComplex *)from, (cufftReal *)to); break;
        default: executed = cufftExecZ2D(plan, (cufftDoubleComplex *)from, (cufftDoubleReal *)to); break;
        }
    int waited = cudaDeviceSynchronize(),
        copied = cudaMemcpy(output.data(), to, size_t(out_length) * sizeof(T), cudaMemcpyDeviceToHost);
    size_t work = 0;
    int sized = planned ? -1 : cufftGetSize(plan, &work);
    int destroyed = planned ? -1 : cufftDestroy(plan);
    std::printf(" plan %d exec %d sync %d copy %d size %d destroy %d", planned, executed, waited, copied,
                sized, destroyed);
    if (executed == 0 && copied == 0) {
        double worst = 0, largest = 0;
        std::vector<bool> belongs(static_cast<size_t>(out_length));
        number shown[3];
        index_type count = out.count(),
                   step = std::max<index_type>(1, index_type(double(count) * double(total) * r.batch / 1e6));
        int sign = real_out || (r.inverse && !real_in) ? 1 : -1;
        turn_tables turns = make_turns(r.sizes, sign);
        for (int b = 0; b < r.batch; b++)
            for (index_type i = 0; i < count; i++) {
                std::vector<int> at = out.position(i);
                index_type place = out.place(at, b);
                belongs[size_t(real_out ? place : 2 * place)] = true;
                if (!real_out)
                    belongs[size_t(2 * place + 1)] = true;
                number is = get(output, place, real_out);
                if (b == 0 && i < 2)
                    shown[i] = is;
                if (b == r.batch - 1 && i == count - 1)
                    shown[2] = is;
                if (i % step && i != count - 1)
                    continue;
                number should = direct(sources[size_t(b)], turns, at);
                largest = std::max(largest, std::abs(should));
                double off = std::abs(is - should);
                worst = std::isnan(off) ? 1e300 : std::max(worst, off);
            }
        bool kept = true, preserved = true;
        if (!r.in_place) {
            for (index_type i = 0; i < out_length; i++)
                kept = kept && (belongs[size_t(i)] || output[size_t(i)] == T(55));
            std::vector<T> after(static_cast<size_t>(in_length));
            cudaMemcpy(after.data(), from, size_t(in_length) * sizeof(T), cudaMemcpyDeviceToHost);
            preserved = std::memcmp(after.data(), input.data(), size_t(in_length) * sizeof(T)) == 0;
        }
        double relative = worst / std::max(largest, 1e-300);
        bool good = relative < (of_double ? 1e-14 : 5e-6);
        std::printf(" %s %.1e kept %d input %d:", good ? "right" : "WRONG", relative, kept, preserved);
        for (number &value : shown)
            std::printf(of_double ? " %.13g,%.13g" : " %.5g,%.5g", value.real(), value.imag());
    }
    std::printf("\n");
    cudaFree(from);
    if (!r.in_place)
        cudaFree(to);
}

static void run_case(const std::string &line)
{
    request r = read_case(line);
    std::printf("%s:", line.c_str());
    if (std::strchr("crb", r.type))
        run_typed<float>(r);
    else
        run_typed<double>(r);
}

static void run_cases()
{
    std::vector<std::string> lines;
    /* Every size to 66, then composites, primes, powers and squares of primes. */
    for (int n = 1; n <= 66; n++)
        lines.push_back("c " + std::to_string(n));
    for (int n : {77,    97,    100,   121,   127,   128,   131,   169,   211,   243,    256,    257,   289,
                  343,   480,   509,   512,   521,   625,   720,   1000,  1001,  1009,   1023,   1024,  1331,
                  1536,  2048,  2187,  2310,  2401,  3125,  4093,  4096,  4099,  5000,   6561,   7919,  8192,
                  10000, 16381, 16384, 17017, 32768, 46656, 65521, 65536, 65537, 100003, 131072, 262144})
        for (const char *type : {"c ", "C "})
            if (type[0] == 'c' || n <= 8192)
                lines.push_back(type + std::to_string(n));
    for (int n : {1,   2,   3,    4,    5,    6,    7,    8,    9,    11,    13,    15,
                  16,  27,  30,   31,   32,   37,   64,   97,   100,  101,   128,   255,
                  256, 257, 1000, 1001, 1009, 1024, 4095, 4096, 4099, 16384, 65536, 65537})
        for (const char *type : {"r ", "b ", "R ", "B ", "c "})
            for (const char *where : {"", " i"})
                if (type[0] == 'r' || type[0] == 'b' || n <= 1024)
                    lines.push_back(type + std::to_string(n) + (type[0] == 'c' ? " inv" : "") + where);
    for (const char *one :
         {"c 16 n5",   "c 16 n5 i", "c 17 n3 inv", "c 1024 n9", "c 1 n7",    "c 131 n4 i", "r 16 n5",
          "r 16 n5 i", "r 15 n5",   "r 15 n5 i",   "b 16 n5",   "b 16 n5 i", "b 15 n5",    "b 15 n5 i",
          "C 60 n33",  "R 101 n2",  "B 101 n2",    "r 1 n5",    "b 1 n3",    "c 4 n3000",  "r 4 n3000"})
        lines.push_back(one);
    for (const char *sizes : {"1x1", "2x2", "4x1", "1x4", "4x4", "3x5", "16x16", "17x19", "32x8", "8x32",
                              "64x48", "128x128", "97x31", "200x100", "256x256"})
        for (const char *type : {"c ", "r ", "b ", "C ", "R ", "B "})
            for (const char *where : {"", " i"})
                lines.push_back(std::string(type) + sizes + where);
    for (const char *sizes : {"1x1x1", "2x3x4", "4x4x4", "5x7x3", "8x8x8", "16x12x10", "11x13x17", "32x32x32",
                              "1x8x9", "9x1x8", "8x9x1"})
        for (const char *type : {"c ", "r ", "b ", "C ", "R ", "B "})
            for (const char *where : {"", " i"})
                lines.push_back(std::string(type) + sizes + where);
    /* cufftPlanMany: without a layout, columns, embedded, interleaved batches, distances with gaps. */
    for (const char *one : {"c 12 n4 many",
                            "c 12x10 n3 many",
                            "c 4x6x8 n2 many",
                            "r 12 n4 many",
                            "r 12 n4 many i",
                            "b 12 n4 many",
                            "b 12x10 n3 many",
                            "r 12x10 n3 many",
                            "r 12x10 n3 many i",
                            "b 12x10 n3 many i",
                            "r 4x6x8 n2 many",
                            "R 4x6x8 n2 many i",
                            "c 16 n8 e16,8,1,16,8,1",
                            "c 16 n8 i e16,8,1,16,8,1",
                            "c 16 n8 e16,8,1,16,1,16",
                            "c 16 n8 e16,1,16,16,8,1",
                            "c 16 n4 inv e16,1,20,16,2,40",
                            "c 15 n3 e20,3,61,18,2,37",
                            "c 8x6 n3 e9,2,150,7,3,170",
                            "c 8x6 n3 i e9,2,150,9,2,150",
                            "c 4x5x6 n2 e7,2,300,8,1,200",
                            "r 16 n8 e16,8,1,9,8,1",
                            "r 16 n3 e18,1,18,9,1,9",
                            "r 15 n3 e20,2,41,8,3,25",
                            "b 16 n8 e9,8,1,16,8,1",
                            "b 15 n3 e8,3,25,20,2,41",
                            "r 8x6 n3 e7,1,56,5,2,80",
                            "b 8x6 n3 e5,2,80,7,1,56",
                            "R 4x5x6 n2 e8,1,160,5,1,100",
                            "B 4x5x6 n2 e4,1,80,8,1,160",
                            "C 131 n3 e131,3,1,131,3,1",
                            "c 1 n5 e1,1,3,1,2,2",
                            "c 12 n4 e0,5,99,0,7,3",
                            "r 16 n2 i e18,1,18,9,1,9"})
        lines.push_back(one);
    for (const std::string &line : lines)
        run_case(line);
}

#define SAY(...) std::printf("%s = %d\n", #__VA_ARGS__, int(__VA_ARGS__))

static void run_wrong_calls()
{
    cufftHandle plan = 77, other;
    cufftComplex *a, *b, *area;
    cudaStream_t stream;
    size_t size = 1;
    int version = 0, n[] = {8, 8, 8, 8}, embed[] = {8, 8, 8, 8}, small[] = {4, 4, 4, 4}, none[] = {0, 8},
        negative[] = {-8, 8};

    SAY(cudaMalloc(&a, 1 << 20));
    SAY(cudaMalloc(&b, 1 << 20));
    SAY(cudaMemset(a, 0, 1 << 20));
    SAY(cudaStreamCreate(&stream));
    SAY(cufftGetVersion(&version));
    SAY(version);
    SAY(cufftGetVersion(nullptr));
    for (int which = 0; which < 4; which++) {
        version = -1;
        SAY(cufftGetProperty(libraryPropertyType(which), &version));
        SAY(version);
    }
    SAY(cufftGetProperty(MAJOR_VERSION, nullptr));
    for (int nx : {0, -1, -5})
        SAY(cufftPlan1d(&plan, nx, CUFFT_C2C, 1));
    SAY(plan);
    SAY(cufftPlan1d(&plan, 8, CUFFT_C2C, 0));
    SAY(cufftPlan1d(&plan, 8, CUFFT_C2C, -1));
    SAY(cufftPlan1d(&plan, 8, cufftType(0), 1));
    SAY(cufftPlan1d(&plan, 8, cufftType(0x2b), 1));
    SAY(cufftPlan1d(nullptr, 8, CUFFT_C2C, 1));
    SAY(cufftPlan2d(&plan, 0, 8, CUFFT_C2C));
    SAY(cufftPlan2d(&plan, 8, -1, CUFFT_C2C));
    SAY(cufftPlan2d(&plan, 8, 8, cufftType(1)));
    SAY(cufftPlan3d(&plan, 8, 0, 8, CUFFT_C2C));
    SAY(cufftPlan3d(&plan, 8, 8, 0, CUFFT_R2C));
    SAY(cufftPlan3d(&plan, 8, 8, 8, cufftType(1)));
    for (int rank : {0, -1, 4})
        SAY(cufftPlanMany(&plan, rank, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1));
    SAY(cufftPlanMany(&plan, 1, nullptr, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1));
    SAY(cufftPlanMany(&plan, 1, none, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1));
    SAY(cufftPlanMany(&plan, 2, negative, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1));
    SAY(cufftPlanMany(&plan, 1, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 0));
    SAY(cufftPlanMany(&plan, 1, n, embed, 0, 8, embed, 1, 8, CUFFT_C2C, 2));
    SAY(cufftPlanMany(&plan, 1, n, embed, -1, 8, embed, 1, 8, CUFFT_C2C, 2));
    SAY(cufftPlanMany(&plan, 1, n, embed, 1, 8, embed, 0, 8, CUFFT_C2C, 2));
    SAY(cufftPlanMany(&plan, 1, n, embed, 1, 0, embed, 1, 8, CUFFT_C2C, 2));
    SAY(cufftPlanMany(&plan, 1, n, embed, 1, -8, embed, 1, 8, CUFFT_C2C, 2));
    SAY(cufftPlanMany(&plan, 2, n, small, 1, 64, embed, 1, 64, CUFFT_C2C, 2));
    SAY(cufftPlanMany(&plan, 2, n, embed, 1, 64, small, 1, 64, CUFFT_C2C, 2));
    SAY(cufftPlanMany(&plan, 1, n, embed, 1, 8, nullptr, 1, 8, CUFFT_C2C, 2));
    SAY(cufftPlanMany(&plan, 1, n, nullptr, 1, 8, embed, 1, 8, CUFFT_C2C, 2));
    SAY(cufftPlanMany(nullptr, 1, n, nullptr, 1, 8, nullptr, 1, 8, CUFFT_C2C, 2));
    SAY(cufftPlanMany(&plan, 1, n, nullptr, 1, 8, nullptr, 1, 8, cufftType(9), 2));
    /* Handles. */
    for (cufftHandle bad : {-1, 9999, 1 << 30}) {
        SAY(cufftDestroy(bad));
        SAY(cufftExecC2C(bad, a, b, CUFFT_FORWARD));
        SAY(cufftSetStream(bad, stream));
        SAY(cufftGetSize(bad, &size));
        SAY(cufftSetWorkArea(bad, a));
        SAY(cufftSetAutoAllocation(bad, 0));
        SAY(cufftMakePlan1d(bad, 8, CUFFT_C2C, 1, &size));
    }
    SAY(cufftPlan1d(&plan, 64, CUFFT_C2C, 2));
    SAY(cufftExecR2C(plan, (cufftReal *)a, b));
    SAY(cufftExecC2R(plan, a, (cufftReal *)b));
    SAY(cufftExecZ2Z(plan, (cufftDoubleComplex *)a, (cufftDoubleComplex *)b, CUFFT_FORWARD));
    SAY(cufftExecD2Z(plan, (cufftDoubleReal *)a, (cufftDoubleComplex *)b));
    SAY(cufftExecZ2D(plan, (cufftDoubleComplex *)a, (cufftDoubleReal *)b));
    for (int direction : {0, 2, -2, 5})
        SAY(cufftExecC2C(plan, a, b, direction));
    SAY(cufftSetStream(plan, stream));
    SAY(cufftExecC2C(plan, a, b, CUFFT_FORWARD));
    SAY(cudaStreamSynchronize(stream));
    SAY(cufftSetStream(plan, nullptr));
    SAY(cufftGetSize(plan, nullptr));
    SAY(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &size));
    SAY(cufftSetAutoAllocation(plan, 0));
    SAY(cufftDestroy(plan));
    SAY(cufftDestroy(plan));
    /* A plan in steps. */
    SAY(cufftCreate(nullptr));
    SAY(cufftCreate(&other));
    SAY(cufftExecC2C(other, a, b, CUFFT_FORWARD));
    SAY(cufftGetSize(other, &size));
    SAY(cufftSetStream(other, stream));
    SAY(cufftSetAutoAllocation(other, 0));
    SAY(cufftMakePlan1d(other, 0, CUFFT_C2C, 1, &size));
    SAY(cufftMakePlan1d(other, 1000, CUFFT_C2C, 3, nullptr));
    SAY(cufftMakePlan1d(other, 4099, CUFFT_C2C, 3, &size));
    SAY(cufftMakePlan1d(other, 4099, CUFFT_C2C, 3, &size));
    SAY(cudaMalloc(&area, size));
    SAY(cufftSetWorkArea(other, area));
    SAY(cufftExecC2C(other, a, b, CUFFT_FORWARD));
    SAY(cudaStreamSynchronize(stream));
    SAY(cufftDestroy(other));
    SAY(cufftCreate(&other));
    SAY(cufftMakePlan2d(other, 8, 8, CUFFT_R2C, &size));
    SAY(cufftExecR2C(other, (cufftReal *)a, b));
    SAY(cufftGetSize2d(other, 8, 8, CUFFT_R2C, &size));
    SAY(cufftDestroy(other));
    SAY(cufftCreate(&other));
    SAY(cufftMakePlan3d(other, 8, 8, 8, CUFFT_Z2D, &size));
    SAY(cufftDestroy(other));
    SAY(cufftCreate(&other));
    SAY(cufftMakePlanMany(other, 2, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 4, &size));
    SAY(cufftDestroy(other));
    long long wide[] = {8, 8};
    SAY(cufftCreate(&other));
    SAY(cufftMakePlanMany64(other, 2, wide, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 4, &size));
    SAY(cufftExecC2C(other, a, b, CUFFT_INVERSE));
    SAY(cufftDestroy(other));
    SAY(cufftCreate(&other));
    SAY(cufftXtMakePlanMany(other, 2, wide, nullptr, 1, 0, CUDA_C_32F, nullptr, 1, 0, CUDA_C_32F, 4, &size,
                            CUDA_C_32F));
    SAY(cufftXtExec(other, a, b, CUFFT_INVERSE));
    SAY(cufftDestroy(other));
    /* Sizes beforehand. */
    SAY(cufftEstimate1d(1024, CUFFT_C2C, 4, &size));
    SAY(cufftEstimate1d(0, CUFFT_C2C, 4, &size));
    SAY(cufftEstimate1d(1024, CUFFT_C2C, 4, nullptr));
    SAY(cufftEstimate2d(64, 64, CUFFT_R2C, &size));
    SAY(cufftEstimate3d(64, 64, 64, CUFFT_Z2Z, &size));
    SAY(cufftEstimateMany(2, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 4, &size));
    SAY(cufftCreate(&other));
    SAY(cufftGetSize1d(other, 1024, CUFFT_C2C, 4, &size));
    SAY(cufftGetSize1d(other, 0, CUFFT_C2C, 4, &size));
    SAY(cufftGetSize3d(other, 8, 8, 8, CUFFT_C2C, &size));
    SAY(cufftGetSizeMany(other, 2, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 4, &size));
    long long property = -1;
    SAY(cufftGetPlanPropertyInt64(other, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, &property));
    SAY(property);
    SAY(cufftSetPlanPropertyInt64(other, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT, 1));
    SAY(cufftSetPlanPropertyInt64(other, cufftProperty(99), 1));
    SAY(cufftResetPlanProperty(other, NVFFT_PLAN_PROPERTY_INT64_PATIENT_JIT));
    SAY(cufftDestroy(other));
    SAY(cufftPlan1d(&plan, 2000000000, CUFFT_C2C, 1000));
    /* Many plans at a time, and their numbers. */
    cufftHandle plans[40];
    int failed = 0;
    for (cufftHandle &one : plans)
        failed += cufftPlan1d(&one, 16, CUFFT_C2C, 1) != 0;
    SAY(failed);
    SAY(plans[39] - plans[0]);
    for (cufftHandle one : plans)
        failed += cufftDestroy(one) != 0;
    SAY(failed);
    SAY(cudaDeviceSynchronize());
    SAY(cudaGetLastError());
}

/* What can end in a kernel's error, which would stay: each by a process of its own. */
static void run_fault(int which)
{
    cufftHandle plan = -1, bare = -1;
    cufftComplex *a, *b;
    size_t size = 0;

    cudaMalloc(&a, 1 << 20);
    cudaMalloc(&b, 1 << 20);
    cufftPlan1d(&plan, 64, CUFFT_C2C, 2);
    cufftCreate(&bare);
    switch (which) {
    case 0: SAY(cufftExecC2C(plan, nullptr, b, CUFFT_FORWARD)); break;
    case 1: SAY(cufftExecC2C(plan, a, nullptr, CUFFT_FORWARD)); break;
    case 2: SAY(cufftExecC2C(plan, (cufftComplex *)((char *)a + 4), b, CUFFT_FORWARD)); break;
    case 3: SAY(cufftExecC2C(bare, a, b, CUFFT_FORWARD)); break;
    case 4: /* without a work area */
        SAY(cufftSetAutoAllocation(bare, 0));
        SAY(cufftMakePlan1d(bare, 4099, CUFFT_C2C, 3, &size));
        SAY(cufftExecC2C(bare, a, b, CUFFT_FORWARD));
        break;
    case 5:
        SAY(cufftSetAutoAllocation(bare, 0));
        SAY(cufftMakePlan1d(bare, 4099, CUFFT_C2C, 3, &size));
        SAY(cufftSetWorkArea(bare, nullptr));
        SAY(cufftExecC2C(bare, a, b, CUFFT_FORWARD));
        break;
    case 6:
        SAY(cufftDestroy(plan));
        SAY(cufftExecC2C(plan, a, b, CUFFT_FORWARD));
        break;
    case 7: SAY(cufftExecC2C(bare, nullptr, nullptr, CUFFT_FORWARD)); break;
    default: /* memory of the host */
        SAY(cufftExecC2C(plan, (cufftComplex *)std::calloc(1, 1 << 20), b, CUFFT_FORWARD));
        break;
    }
    SAY(cudaDeviceSynchronize());
    SAY(cufftDestroy(plan));
    SAY(cufftDestroy(bare));
}

int main(int argc, char **argv)
{
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    if (argc > 1 && std::strcmp(argv[1], "-") == 0) {
        for (std::string line; std::getline(std::cin, line);)
            if (line.compare(0, 6, "fault ") == 0)
                std::printf("%s:\n", line.c_str()), run_fault(std::atoi(line.c_str() + 6));
            else
                line == "wrong" ? run_wrong_calls() : run_case(line);
        return 0;
    }
    if (argc > 2)
        run_fault(std::atoi(argv[2]));
    else if (argc > 1)
        run_case(argv[1]);
    if (argc > 1)
        return 0;
    run_cases();
    run_wrong_calls();
    for (int which = 0; which < 9; which++) {
        std::printf("fault %d:\n", which);
        std::fflush(stdout);
        int status = std::system((std::string(argv[0]) + " fault " + std::to_string(which)).c_str());
        if (status)
            std::printf("  status %d\n", status);
    }
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
