/*
 * What is ordered before what is found by vector clocks: seen[s][t] is how many operations of stream t have
 * ended before the next one of stream s begins.
 */
#include "workloads/frame/host_order.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OP_TEXT(name, text) text,
static const char *const op_texts[] = {ORDER_OP_LIST(OP_TEXT)};

/* ---- reading ---- */
/* "3" or "1-4", from 1. */
static bool parse_chunks(const char *word, struct order_step *step)
{
    int first = 0, last = 0, used = 0;

    if (sscanf(word, "%2d-%2d%n", &first, &last, &used) < 2) {
        used = 0;
        if (sscanf(word, "%2d%n", &first, &used) < 1)
            return false;
        last = first;
    }
    if (word[used] || first < 1 || last < first || last > ORDER_CHUNKS)
        return false;
    step->first = (uint8_t)(first - 1);
    step->last = (uint8_t)(last - 1);
    return true;
}

static bool parse_stream(const char *word, uint8_t *stream)
{
    if (word[0] < '0' || word[0] >= '0' + ORDER_STREAMS || word[1])
        return false;
    *stream = (uint8_t)(word[0] - '0');
    return true;
}

static bool parse_op(const char *word, struct order_step *step)
{
    for (int op = 0; op < ORDER_OP_COUNT; op++) {
        if (strcmp(word, op_texts[op]) == 0) {
            step->op = (uint8_t)op;
            return true;
        }
    }
    return false;
}

#define WORD "%15s"

/* The statement of a line without its comment. False: it is none. */
static bool parse_line(const char *line, struct host_order *order, struct order_step *step, bool *is_step)
{
    char words[4][16] = {"", "", "", ""}, more;
    int count = sscanf(line, WORD WORD WORD WORD " %c", words[0], words[1], words[2], words[3], &more);

    *is_step = false;
    if (count <= 0)
        return true;
    if (count == 2 && strcmp(words[0], "memory") == 0) {
        order->pinned = strcmp(words[1], "pinned") == 0;
        return order->pinned || strcmp(words[1], "pageable") == 0;
    }
    *is_step = true;
    if (count == 1 && strcmp(words[0], "synchronize") == 0) {
        step->op = ORDER_SYNCHRONIZE;
        return true;
    }
    if (count != 4 || strcmp(words[0], "stream") != 0 || !parse_stream(words[1], &step->stream) ||
        !parse_op(words[2], step) || step->op == ORDER_SYNCHRONIZE)
        return false;
    return step->op == ORDER_WAIT ? parse_stream(words[3], &step->first) && step->first != step->stream
                                  : parse_chunks(words[3], step);
}

enum status host_order_parse(const char *text, struct host_order *order, struct error *error)
{
    unsigned number = 1;

    *order = (struct host_order){0};
    for (; *text; number++) {
        size_t length = strcspn(text, "\n"), code = strcspn(text, "#\n");
        struct order_step step = {.line = (uint16_t)number};
        char line[80];
        bool is_step;

        if (code >= sizeof line)
            return error_set(error, STATUS_FORMAT, "line %u is longer than %zu characters.", number,
                             sizeof line - 1);
        memcpy(line, text, code);
        line[code] = '\0';
        if (!parse_line(line, order, &step, &is_step))
            return error_set(error, STATUS_FORMAT,
                             "line %u: \"%s\" is no statement: memory pinned|pageable; stream 0..8 "
                             "upload|compute|download CHUNKS (3, or 1-%d); stream S wait T; synchronize.",
                             number, line, ORDER_CHUNKS);
        if (is_step && order->count == ORDER_STEPS_MAX)
            return error_set(error, STATUS_FORMAT, "line %u: there are more than %d steps.", number,
                             ORDER_STEPS_MAX);
        if (is_step)
            order->steps[order->count++] = step;
        text += length + (text[length] == '\n');
    }
    return STATUS_OK;
}

enum status host_order_read(const char *path, char **text, struct error *error)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat facts;
    ssize_t got = -1;

    *text = NULL;
    if (file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
        facts.st_size < (off_t)ORDER_BYTES_MAX && (*text = calloc(1, ORDER_BYTES_MAX)))
        got = read(file, *text, ORDER_BYTES_MAX - 1);
    int failure = file < 0 || got < 0 ? errno : 0;

    if (file >= 0)
        close(file);
    if (got >= 0)
        return STATUS_OK;
    free(*text);
    *text = NULL;
    return failure ? error_set_errno(error, STATUS_IO, failure, "%.300s could not be read", path)
                   : error_set(error, STATUS_FORMAT, "%.300s is no text of at most %u bytes.", path,
                               ORDER_BYTES_MAX);
}

/* ---- checking ---- */
struct place {
    uint8_t stream;
    uint16_t turn; /* in its stream, from 1; 0: not done */
};

struct clocks {
    uint16_t seen[ORDER_STREAMS][ORDER_STREAMS];
    uint16_t turns[ORDER_STREAMS];
    struct place done[3][ORDER_CHUNKS]; /* [enum order_op] */
};

static void clocks_join(struct clocks *clocks, int stream, int other)
{
    for (int t = 0; t < ORDER_STREAMS; t++)
        if (clocks->seen[other][t] > clocks->seen[stream][t])
            clocks->seen[stream][t] = clocks->seen[other][t];
    if (clocks->turns[other] > clocks->seen[stream][other])
        clocks->seen[stream][other] = clocks->turns[other];
}

static void clocks_synchronize(struct clocks *clocks)
{
    for (int s = 0; s < ORDER_STREAMS; s++)
        memcpy(clocks->seen[s], clocks->turns, sizeof clocks->turns);
}

static enum status check_chunk(struct clocks *clocks, const struct order_step *step, int chunk,
                               struct error *error)
{
    struct place *mine = &clocks->done[step->op][chunk];
    const struct place *before = step->op > ORDER_UPLOAD ? &clocks->done[step->op - 1][chunk] : NULL;

    if (mine->turn)
        return error_set(error, STATUS_CHECK, "line %u: %s of chunk %d for the second time.", step->line,
                         op_texts[step->op], chunk + 1);
    if (before && !before->turn)
        return error_set(error, STATUS_CHECK, "line %u: %s of chunk %d comes before its %s.", step->line,
                         op_texts[step->op], chunk + 1, op_texts[step->op - 1]);
    if (before && before->stream != step->stream && before->turn > clocks->seen[step->stream][before->stream])
        return error_set(
            error, STATUS_CHECK,
            "line %u: %s of chunk %d in stream %u does not wait for its %s in stream %u: the order of "
            "two streams is not defined.",
            step->line, op_texts[step->op], chunk + 1, step->stream, op_texts[step->op - 1], before->stream);
    *mine = (struct place){step->stream, clocks->turns[step->stream]};
    return STATUS_OK;
}

/* The default stream waits for all others, and they for it. */
static void begin_step(struct clocks *clocks, int stream)
{
    for (int t = 1; stream == 0 && t < ORDER_STREAMS; t++)
        clocks_join(clocks, 0, t);
    clocks->turns[stream]++;
}

static void end_step(struct clocks *clocks, int stream)
{
    for (int t = 1; stream == 0 && t < ORDER_STREAMS; t++)
        clocks_join(clocks, t, 0);
}

static enum status check_complete(const struct clocks *clocks, struct error *error)
{
    for (int op = ORDER_UPLOAD; op <= ORDER_DOWNLOAD; op++)
        for (int chunk = 0; chunk < ORDER_CHUNKS; chunk++)
            if (!clocks->done[op][chunk].turn)
                return error_set(error, STATUS_CHECK, "chunk %d of %d has no %s.", chunk + 1, ORDER_CHUNKS,
                                 op_texts[op]);
    return STATUS_OK;
}

enum status host_order_check(const struct host_order *order, struct error *error)
{
    struct clocks clocks = {0};

    for (size_t i = 0; i < order->count; i++) {
        const struct order_step *step = &order->steps[i];

        if (step->op == ORDER_SYNCHRONIZE) {
            clocks_synchronize(&clocks);
            continue;
        }
        if (step->op == ORDER_WAIT) {
            clocks_join(&clocks, step->stream, step->first);
            continue;
        }
        begin_step(&clocks, step->stream);
        for (int chunk = step->first; chunk <= step->last; chunk++) {
            enum status status = check_chunk(&clocks, step, chunk, error);

            if (status != STATUS_OK)
                return status;
        }
        end_step(&clocks, step->stream);
    }
    return check_complete(&clocks, error);
}
