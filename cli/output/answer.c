/* SPDX-License-Identifier: Apache-2.0 */
/* The digest is SHA-256 (FIPS 180-4), so that sha256sum FILE gives the same; a file is read when an answer is printed, unless it is so
 * large that reading it would be felt. */
#include "cli/output/answer.h"

#include "core/base/append.h"

#include <string.h>
#include <sys/stat.h>

#define COMMAND_BYTES 4096
#define DIGEST_BYTES_MAX (64u << 20) /* a third of a second */
#define FILES_MAX OPTIONS_FILES_MAX
#define BLOCK_BYTES 64

static struct {
    char command[COMMAND_BYTES];
    const char *files[FILES_MAX];
    size_t file_count;
} answer;

/* ---- SHA-256 ---- */
struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
};

static uint32_t turn_right(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static void sha256_block(struct sha256 *sha, const unsigned char *block)
{
    static const uint32_t rounds[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t word[64], s[8];
    for (int i = 0; i < 16; i++)
        word[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                  (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        word[i] = word[i - 16] + word[i - 7] +
                  (turn_right(word[i - 15], 7) ^ turn_right(word[i - 15], 18) ^ word[i - 15] >> 3) +
                  (turn_right(word[i - 2], 17) ^ turn_right(word[i - 2], 19) ^ word[i - 2] >> 10);
    memcpy(s, sha->state, sizeof s);
    for (int i = 0; i < 64; i++) {
        const uint32_t first = s[7] + (turn_right(s[4], 6) ^ turn_right(s[4], 11) ^ turn_right(s[4], 25)) +
                               ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + word[i],
                       second = (turn_right(s[0], 2) ^ turn_right(s[0], 13) ^ turn_right(s[0], 22)) +
                                ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += first;
        s[0] = first + second;
    }
    for (int i = 0; i < 8; i++)
        sha->state[i] += s[i];
}

/* The last bytes, with what the standard appends. */
static void sha256_end(struct sha256 *sha, const unsigned char *rest, size_t length)
{
    unsigned char block[2 * BLOCK_BYTES] = {0};
    const size_t whole = length + 9 <= BLOCK_BYTES ? BLOCK_BYTES : 2 * BLOCK_BYTES;
    memcpy(block, rest, length);
    block[length] = 0x80;
    for (size_t i = 0; i < 8; i++)
        block[whole - 1 - i] = (unsigned char)(sha->bytes * 8 >> 8 * i);
    for (size_t at = 0; at < whole; at += BLOCK_BYTES)
        sha256_block(sha, block + at);
}

void sha256_of_file(const char *path, char text[SHA256_TEXT_BYTES], uint64_t *bytes)
{
    struct sha256 sha = {.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                                   0x1f83d9ab, 0x5be0cd19}};
    unsigned char buffer[1024 * BLOCK_BYTES];
    size_t got, at = 0;
    FILE *file = fopen(path, "rbe");
    text[0] = '\0';
    *bytes = 0;
    if (!file)
        return;
    do {
        got = fread(buffer, 1, sizeof buffer, file);
        sha.bytes += got;
        for (at = 0; at + BLOCK_BYTES <= got; at += BLOCK_BYTES)
            sha256_block(&sha, buffer + at);
    } while (got == sizeof buffer);
    sha256_end(&sha, buffer + at, got - at);
    *bytes = sha.bytes;
    for (int i = 0; i < 8 && !ferror(file); i++)
        snprintf(text + 8 * i, 9, "%08x", sha.state[i]);
    fclose(file);
}

/* ---- the answer ---- */
void answer_begin(int argc, char **argv)
{
    size_t used = 0;
    answer.command[0] = '\0';
    append_text(answer.command, sizeof answer.command, &used, "lanescope");
    for (int i = 1; i < argc; i++)
        append_shell_word(answer.command, sizeof answer.command, &used, argv[i]);
}

static void take_file(const char *path)
{
    if (path && answer.file_count < FILES_MAX)
        answer.files[answer.file_count++] = path;
}

void answer_take_files(const struct options *options)
{
    answer.file_count = 0;
    if (options->command == COMMAND_DIFF)
        for (size_t i = 0; i < OPTIONS_FILES_MAX; i++)
            take_file(options->files[i]);
    else if (options->command == COMMAND_WHAT_IF)
        take_file(options->workloads[0]);
    else
        take_file(options->file);
}

static void print_file(struct json *json, const char *path)
{
    char digest[SHA256_TEXT_BYTES] = "";
    struct stat about;
    const bool known = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    uint64_t bytes = known ? (uint64_t)about.st_size : 0;
    if (known && bytes <= DIGEST_BYTES_MAX)
        sha256_of_file(path, digest, &bytes);
    json_open(json, NULL, '{');
    json_string(json, "file", path);
    if (known)
        json_integer(json, "bytes", (int64_t)bytes);
    else
        json_null(json, "bytes");
    if (*digest)
        json_string(json, "sha256", digest);
    else
        json_null(json, "sha256");
    json_close(json, '}');
}

void answer_print(struct json *json)
{
    const int lines_depth = json->lines_depth;
    if (!*answer.command)
        return;
    if (json->depth < lines_depth)
        json->lines_depth = json->depth;
    json_open(json, "lanescope", '{');
    json_string(json, "version", LANESCOPE_VERSION);
    json_string(json, "command", answer.command);
    json_open(json, "files", '[');
    for (size_t i = 0; i < answer.file_count; i++)
        print_file(json, answer.files[i]);
    json_close(json, ']');
    json_close(json, '}');
    json->lines_depth = lines_depth;
}

void answer_print_schema(struct json *json)
{
    json_open(json, "lanescope", '{');
    json_string(json, "type", "object");
    json_string(
        json, "description",
        "what gave this answer: the version, the command that gives it again, and the files that it is of, each with "
        "its path (file), bytes and sha256 (null: it could not be read, or sha256 of a file over 64 MiB)");
    json_close(json, '}');
}
