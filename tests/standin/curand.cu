/* cuRAND's host API as programs call it: what each call answers, and what it generates, in a form that two
 * libraries can be compared by. Only the public interface is used.
 *   curand              device generators, then wrong calls
 *   curand --host       the same generators on the CPU, which needs no GPU
 *   curand "101 b1000"  one case (with or without --host)
 *   curand -            the cases that standard input has, one a line; "wrong" is the wrong calls
 *
 * A case is a line of words. The first is the type of the generator; then
 *   sN seed   oN offset   rN ordering   dN dimensions   g seeds now   m mean 2.5 and deviation 0.5   x
 * address + 1   z no address bN bits   wN 64 bits   u U uniform   n N normal   l L log-normal (capital:
 * double)   pN:L Poisson of mean L and for each of them a line of the answer: the code, the first four
 * elements, those at the middle and at the end, in hexadecimal, a hash of all bits in order, and a sum
 * weighted by the position. */
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#if __has_include(<curand.h>)
#include <curand.h>
#else
enum curandRngType_t { CURAND_RNG_PSEUDO_XORWOW = 101 };
enum curandOrdering_t { CURAND_ORDERING_PSEUDO_BEST = 100, CURAND_ORDERING_QUASI_DEFAULT = 201 };
typedef struct curandGenerator_st *curandGenerator_t;
typedef struct curandDiscreteDistribution_st *curandDiscreteDistribution_t;
extern "C" {
int curandCreateGenerator(curandGenerator_t *, curandRngType_t);
int curandCreateGeneratorHost(curandGenerator_t *, curandRngType_t);
int curandDestroyGenerator(curandGenerator_t);
int curandSetStream(curandGenerator_t, cudaStream_t);
int curandSetPseudoRandomGeneratorSeed(curandGenerator_t, unsigned long long);
int curandSetGeneratorOffset(curandGenerator_t, unsigned long long);
int curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t);
int curandSetQuasiRandomGeneratorDimensions(curandGenerator_t, unsigned);
int curandGenerateSeeds(curandGenerator_t);
int curandGenerate(curandGenerator_t, unsigned *, size_t);
int curandGenerateLongLong(curandGenerator_t, unsigned long long *, size_t);
int curandGenerateUniform(curandGenerator_t, float *, size_t);
int curandGenerateUniformDouble(curandGenerator_t, double *, size_t);
int curandGenerateNormal(curandGenerator_t, float *, size_t, float, float);
int curandGenerateNormalDouble(curandGenerator_t, double *, size_t, double, double);
int curandGenerateLogNormal(curandGenerator_t, float *, size_t, float, float);
int curandGenerateLogNormalDouble(curandGenerator_t, double *, size_t, double, double);
int curandGeneratePoisson(curandGenerator_t, unsigned *, size_t, double);
int curandCreatePoissonDistribution(double, curandDiscreteDistribution_t *);
int curandDestroyDistribution(curandDiscreteDistribution_t);
int curandGetVersion(int *);
int curandGetProperty(libraryPropertyType, int *);
}
#endif
#include <iostream>
#include <string>
#include <vector>

static bool on_host;
static const size_t room = 1400000; /* words of the output, and 64 after them that must stay */
static std::vector<unsigned> words(room + 64);
static unsigned *device;

static uint64_t hash_words(const unsigned *at, size_t count)
{
    uint64_t hash = 1469598103934665603u;

    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    return hash;
}

enum element { WORD, WIDE, SINGLE, DOUBLE };

static double value_at(const unsigned *at, size_t i, element kind)
{
    double wide;
    float single;

    if (kind == WORD)
        return at[i];
    if (kind == WIDE)
        return double(at[2 * i + 1]) * 4294967296.0 + at[2 * i];
    std::memcpy(&single, at + i, sizeof single);
    std::memcpy(&wide, at + 2 * i * (kind == DOUBLE), sizeof wide);
    return kind == SINGLE ? single : wide;
}

static void print_answer(const char *word, int code, const unsigned *at, size_t n, element kind, bool kept)
{
    bool wide = kind == WIDE || kind == DOUBLE;
    double sum = 0;

    std::printf("  %s = %d", word, code);
    if (code == 0 && n > 0) {
        size_t shown[] = {0, 1, 2, 3, n / 2, n - 1}, before = n;
        for (size_t i : shown) {
            if (i < n && i != before)
                wide ? std::printf(" %08x%08x", at[2 * i + 1], at[2 * i]) : std::printf(" %08x", at[i]);
            before = i;
        }
        for (size_t i = 0; i < n; i++)
            sum += value_at(at, i, kind) * (1 + double(i * 2654435761u % 1024) / 1024);
        std::printf(" #%016" PRIx64 " %.9g", hash_words(at, wide ? 2 * n : n), sum);
    }
    std::printf("%s\n", kept ? "" : " WRITTEN BEYOND");
}

static void run_case(const std::string &line)
{
    curandGenerator_t generator = nullptr;
    char *end;
    long type = std::strtol(line.c_str(), &end, 10);
    int created = on_host ? curandCreateGeneratorHost(&generator, curandRngType_t(type))
                          : curandCreateGenerator(&generator, curandRngType_t(type));
    double mean = 0, deviation = 1;
    size_t shift = 0;
    bool absent = false;

    std::printf("%s: %d\n", line.c_str(), created);
    while (created == 0 && *end) {
        while (*end == ' ')
            end++;
        const char *start = end;
        char verb = *end;
        unsigned long long n = std::strtoull(end + 1, &end, 0);
        double lambda = *end == ':' ? std::strtod(end + 1, &end) : 0;
        std::string word(start, size_t(end - start));
        int code = 0;
        bool generates = std::strchr("bwuUnNlLp", verb);
        element kind = verb == 'w'                                 ? WIDE
                       : verb == 'b' || verb == 'p'                ? WORD
                       : verb == 'u' || verb == 'n' || verb == 'l' ? SINGLE
                                                                   : DOUBLE;
        size_t offset = shift * (kind == WIDE || kind == DOUBLE ? 2 : 1);
        unsigned *at = absent ? nullptr : (on_host ? words.data() : device) + offset;

        if (generates) {
            std::memset(words.data(), 0xa5, words.size() * 4);
            if (!on_host)
                cudaMemset(device, 0xa5, words.size() * 4);
        }
        switch (verb) {
        case 's': code = curandSetPseudoRandomGeneratorSeed(generator, n); break;
        case 'o': code = curandSetGeneratorOffset(generator, n); break;
        case 'r': code = curandSetGeneratorOrdering(generator, curandOrdering_t(n)); break;
        case 'd': code = curandSetQuasiRandomGeneratorDimensions(generator, unsigned(n)); break;
        case 'g': code = curandGenerateSeeds(generator); break;
        case 'm': mean = 2.5, deviation = 0.5; continue;
        case 'x': shift = 1; continue;
        case 'z': absent = true; continue;
        case 'b': code = curandGenerate(generator, at, n); break;
        case 'w': code = curandGenerateLongLong(generator, (unsigned long long *)at, n); break;
        case 'u': code = curandGenerateUniform(generator, (float *)at, n); break;
        case 'U': code = curandGenerateUniformDouble(generator, (double *)at, n); break;
        case 'n':
            code = curandGenerateNormal(generator, (float *)at, n, float(mean), float(deviation));
            break;
        case 'N': code = curandGenerateNormalDouble(generator, (double *)at, n, mean, deviation); break;
        case 'l':
            code = curandGenerateLogNormal(generator, (float *)at, n, float(mean), float(deviation));
            break;
        case 'L': code = curandGenerateLogNormalDouble(generator, (double *)at, n, mean, deviation); break;
        case 'p': code = curandGeneratePoisson(generator, at, n, lambda); break;
        default: std::printf("  ? %s\n", word.c_str()); return;
        }
        if (!generates) {
            if (code)
                std::printf("  %s = %d\n", word.c_str(), code);
            continue;
        }
        if (!on_host) {
            int copied = cudaMemcpy(words.data(), device, words.size() * 4, cudaMemcpyDeviceToHost);
            if (copied)
                std::printf("  copy = %d\n", copied);
        }
        size_t used = code ? 0 : n * (kind == WIDE || kind == DOUBLE ? 2 : 1);
        bool kept = (!offset || words[offset - 1] == 0xa5a5a5a5u) && words[offset + used] == 0xa5a5a5a5u &&
                    words[offset + used + 1] == 0xa5a5a5a5u;
        print_answer(word.c_str(), code, words.data() + offset, n, kind, kept);
    }
    if (created == 0)
        curandDestroyGenerator(generator);
}

static void run_cases()
{
    const char *pseudo[] = {"101", "161", "121", "142", "141"};
    const char *quasi32[] = {"201", "202"}, *quasi64[] = {"203", "204"};
    std::vector<std::string> lines;

    for (std::string type : pseudo) {
        /* Every distribution of one state, odd counts where they are allowed, and what follows a call. */
        lines.push_back(type + " b8 b8 b1 b3 b8");
        lines.push_back(type + " b1000 u1000 U1000 n1000 N1000 l1000 L1000 p1000:10 b1000");
        lines.push_back(type + " s1234 b1001 u1001 U1001 p1001:10 n1001 N1001 l1001 L1001");
        lines.push_back(type + " s1234 m n1000 N1000 l1000 L1000 b10");
        lines.push_back(type + " s0xdeadbeefcafebabe b1 u1 U1 n2 N2 l2 L2 p1:0.5 b4");
        for (const char *lambda :
             {"0.001", "0.5", "4", "30", "63", "64", "100", "999", "1000", "4000", "5000", "100000"})
            lines.push_back(type + " s99 p3000:" + lambda + " b5");
        for (std::string word : {"b", "u", "U", "n", "N", "l", "L"})
            lines.push_back(type + " s42 " + word + "70002 " + word + "10 " + word + "4096 " + word + "10");
        /* Counts around what one turn of all threads could be. */
        lines.push_back(type + " b4095 b4096 b4097 b16383 b16385 b65536 b65537 b131073");
        lines.push_back(type + " b700001 b5 u5");
        lines.push_back(type + " U270001 U5 b5");
        lines.push_back(type + " n270002 n6 b5");
        for (std::string offset : {"1", "2", "3", "4", "5", "1000", "4095", "4096", "4097", "65537",
                                   "1000003", "0x100000007", "0x123456789abcdef"}) {
            lines.push_back(type + " o" + offset + " b5000 b5");
            lines.push_back(type + " s7 o" + offset + " U1000 n1000");
        }
        lines.push_back(type + " s5 b100 s5 b100 o50 b100 s6 b100 o0 b100");
        lines.push_back(type + " s5 o9 b100 s6 b100 g b100 u3 g u3");
        for (std::string order : {"100", "101", "102", "103", "104", "201", "1"}) {
            lines.push_back(type + " r" + order + " b10000 b10");
            lines.push_back(type + " s77 r" + order + " o3 b70001 u1001 U1001 n1000 N1000 p100:50 b7");
        }
        lines.push_back(type + " s77 b10 r103 b10 r101 b10");
        lines.push_back(type + " r103 b700001 b5 U100001 n100000");
        lines.push_back(type + " r102 b300001 b5 U100001");
        lines.push_back(type + " d2 w10 b0 u0 n0 N0 p0:1 b2");
        lines.push_back(type + " p10:0 p10:-1 p10:1e9 b2");
    }
    for (std::string type : quasi32) {
        lines.push_back(type + " b16 b16 u16 U16 n16 N16 l16 L16 p16:10 b3");
        lines.push_back(type + " d3 b999 b999 u999 U999 n999 N999 l999 L999 p999:10 b1000");
        lines.push_back(type + " d7 o1000 b7000 u7000 s5 w8 r201 r101 b7");
        lines.push_back(type + " d20 n2000 N2000 b100");
        lines.push_back(type + " d0 d20001 d20000 b40000");
        lines.push_back(type + " b70001 b5 o70000 b5");
    }
    for (std::string type : quasi64) {
        lines.push_back(type + " w16 w16 u16 U16 n16 N16 l16 L16 p16:10 w3 b3");
        lines.push_back(type + " d3 w999 w999 u999 U999 n999 N999 l999 L999 w1000");
        lines.push_back(type + " d7 o1000 w7000 U7000 s5");
        lines.push_back(type + " d20000 w40000");
    }
    for (std::string type : {"100", "200", "0", "1", "99", "300"})
        lines.push_back(type + " b10 u10");
    for (const std::string &line : lines)
        run_case(line);
}

/* Each by a process of its own, since the error of a kernel would stay. */
static void run_faults(const char *program)
{
    for (std::string type : {"101", "161", "121", "142", "141", "201"})
        for (std::string word : {"x b998", "x u998", "x U998", "x n998", "x N998", "x p998:3", "z b1000"}) {
            std::fflush(stdout);
            int status = std::system((std::string(program) + " \"" + type + " " + word + " b5\"").c_str());
            if (status)
                std::printf("  status %d\n", status);
        }
}

#define SAY(...) std::printf("%s = %d\n", #__VA_ARGS__, int(__VA_ARGS__))

static void run_distributions()
{
    curandDiscreteDistribution_t distribution = nullptr;

    SAY(curandCreatePoissonDistribution(10, &distribution));
    SAY(curandDestroyDistribution(distribution));
    SAY(curandCreatePoissonDistribution(-1, &distribution));
    SAY(curandCreatePoissonDistribution(0, &distribution));
    SAY(curandCreatePoissonDistribution(10, nullptr));
    SAY(curandDestroyDistribution(nullptr));
}

static void run_wrong_calls()
{
    curandGenerator_t none = nullptr, generator = nullptr, other = nullptr;
    cudaStream_t stream;
    int number = -1;
    float *real = (float *)device;
    double *wide = (double *)device;

    SAY(curandCreateGenerator(nullptr, CURAND_RNG_PSEUDO_XORWOW));
    SAY(curandDestroyGenerator(none));
    SAY(curandSetStream(none, nullptr));
    SAY(curandSetPseudoRandomGeneratorSeed(none, 1));
    SAY(curandSetGeneratorOffset(none, 1));
    SAY(curandSetGeneratorOrdering(none, CURAND_ORDERING_PSEUDO_BEST));
    SAY(curandSetQuasiRandomGeneratorDimensions(none, 1));
    SAY(curandGenerateSeeds(none));
    SAY(curandGenerate(none, device, 10));
    SAY(curandGenerateLongLong(none, (unsigned long long *)device, 10));
    SAY(curandGenerateUniform(none, real, 10));
    SAY(curandGenerateUniformDouble(none, wide, 10));
    SAY(curandGenerateNormal(none, real, 10, 0, 1));
    SAY(curandGenerateNormalDouble(none, wide, 10, 0, 1));
    SAY(curandGenerateLogNormal(none, real, 10, 0, 1));
    SAY(curandGenerateLogNormalDouble(none, wide, 10, 0, 1));
    SAY(curandGeneratePoisson(none, device, 10, 1));
    SAY(curandGetVersion(&number));
    SAY(number);
    for (int which = 0; which < 4; which++) {
        number = -1;
        SAY(curandGetProperty(libraryPropertyType(which), &number));
        SAY(number);
    }
    SAY(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW));
    SAY(curandSetGeneratorOrdering(generator, curandOrdering_t(0)));
    SAY(curandSetGeneratorOrdering(generator, CURAND_ORDERING_QUASI_DEFAULT));
    SAY(curandGenerateNormal(generator, real, 11, 0, 1));
    SAY(curandGenerateNormal(generator, real, 10, 0, -1));
    SAY(curandGenerateNormal(generator, real, 10, 0, 0));
    SAY(curandGenerateNormalDouble(generator, wide, 11, 0, 1));
    SAY(curandGenerateLogNormal(generator, real, 11, 0, 1));
    SAY(curandGenerateLogNormal(generator, real, 10, 0, -1));
    SAY(curandGenerateLogNormalDouble(generator, wide, 11, 0, 1));
    SAY(curandGenerate(generator, nullptr, 0));
    /* A stream, and a second generator, at another position. */
    SAY(cudaStreamCreate(&stream));
    SAY(curandSetStream(generator, stream));
    SAY(curandSetPseudoRandomGeneratorSeed(generator, 3));
    SAY(curandGenerate(generator, device, 1000));
    SAY(cudaStreamSynchronize(stream));
    SAY(curandCreateGenerator(&other, CURAND_RNG_PSEUDO_XORWOW));
    SAY(curandSetPseudoRandomGeneratorSeed(other, 3));
    SAY(curandGenerate(other, device + 1000, 1000));
    SAY(cudaMemcpy(words.data(), device, 8000, cudaMemcpyDeviceToHost));
    SAY(std::memcmp(words.data(), words.data() + 1000, 4000) == 0);
    SAY(curandDestroyGenerator(other));
    SAY(curandSetStream(generator, nullptr));
    SAY(curandDestroyGenerator(generator));
    SAY(cudaGetLastError());
}

int main(int argc, char **argv)
{
    int given = 1;

    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    if (argc > given && std::strcmp(argv[given], "--host") == 0)
        on_host = true, given++;
    if (!on_host && cudaMalloc(&device, words.size() * 4) != cudaSuccess) {
        std::fprintf(stderr, "No GPU: --host needs none.\n");
        return 1;
    }
    if (argc > given && std::strcmp(argv[given], "-") == 0) {
        for (std::string line; std::getline(std::cin, line);)
            line == "wrong" ? run_wrong_calls() : run_case(line);
        return 0;
    }
    if (argc > given) {
        run_case(argv[given]);
        return 0;
    }
    run_cases();
    if (!on_host) {
        run_wrong_calls();
        run_distributions();
        run_faults(argv[0]);
    }
    return 0;
}
// SPDX-License-Identifier: Apache-2.0
