/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tool writes into an unnamed file, which is mapped when the tool has succeeded. A tool that takes too
 * long is stopped.
 */
#include "cli/process/disassemble.h"

#include "cli/process/launch.h"
#include "cli/process/paths.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum status disassembler_find(char *path, struct error *error)
{
    static const char *const names[] = {"nvdisasm", "cuobjdump"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (path_of_tool(names[i], path, NULL) == STATUS_OK)
            return STATUS_OK;
    path[0] = '\0';
    return error_set(
        error, STATUS_UNSUPPORTED,
        "Neither nvdisasm nor cuobjdump was found, on PATH or in a CUDA toolkit: instructions are shown by "
        "their addresses, without text. The package cuda-nvdisasm-13-0 has nvdisasm.");
}

static bool is_cuobjdump(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strcmp(slash ? slash + 1 : path, "cuobjdump") == 0;
}

static enum status read_output(const struct kept_output *capture, const char *cubin_path,
                               disassembly_take *take, void *user, struct error *error)
{
    struct disassembly *disassembly;
    struct stat status;

    if (fstat(capture->fd, &status) != 0 || status.st_size <= 0 || status.st_size > DISASSEMBLE_BYTES_MAX)
        return error_set(error, STATUS_FORMAT, "The disassembler printed no instructions for %s.",
                         cubin_path);
    disassembly = calloc(1, sizeof *disassembly);
    void *text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, capture->fd, 0);
    if (!disassembly || text == MAP_FAILED) {
        free(disassembly);
        if (text != MAP_FAILED)
            munmap(text, (size_t)status.st_size);
        return error_no_memory(error, "to read the disassembly of %s", cubin_path);
    }
    disassembly->take = take;
    disassembly->user = user;
    disassembly_read(disassembly, text, (size_t)status.st_size);
    munmap(text, (size_t)status.st_size);
    free(disassembly);
    return STATUS_OK;
}

enum status disassemble(const char *disassembler, const char *cubin_path, disassembly_take *take, void *user,
                        struct error *error)
{
    const char *option = is_cuobjdump(disassembler) ? "-sass" : "-c";
    char *argv[] = {(char *)(uintptr_t)disassembler, (char *)(uintptr_t)option, (char *)(uintptr_t)cubin_path,
                    NULL};
    struct launch_options options = {.argv = argv, .errors = -1, .time_limit_s = DISASSEMBLE_SECONDS};
    struct kept_output capture;
    struct launch *launch;
    enum status status = kept_output_open(&capture, error);
    int exit_status;

    if (status != STATUS_OK)
        return status;
    options.output = capture.fd;
    status = launch_start(&launch, &options, &exit_status, error);
    if (status == STATUS_OK) {
        exit_status = launch_wait(launch, NULL);
        launch_destroy(launch);
        if (exit_status != 0)
            status = error_set(error, STATUS_FORMAT, "%s did not disassemble %s (status %d).", disassembler,
                               cubin_path, exit_status);
    }
    if (status == STATUS_OK)
        status = read_output(&capture, cubin_path, take, user, error);
    kept_output_close(&capture);
    return status;
}

/*
 * Line by line: a heading sets the function; a line of an instruction begins with its offset in a comment
 * and ends with a semicolon. Any other line is passed over.
 */

struct part {
    const char *at, *end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void line_trim(struct part *part)
{
    while (part->at < part->end && is_blank(*part->at))
        part->at++;
    while (part->end > part->at && is_blank(part->end[-1]))
        part->end--;
}

static bool line_begins(struct part *part, const char *with)
{
    size_t length = strlen(with);

    if ((size_t)(part->end - part->at) < length || memcmp(part->at, with, length) != 0)
        return false;
    part->at += length;
    return true;
}

/* ".text.NAME:" of nvdisasm, "Function : NAME" of cuobjdump. */
static bool take_function(struct disassembly *disassembly, struct part line)
{
    if (line_begins(&line, "Function :")) {
        line_trim(&line);
    } else {
        if (!line_begins(&line, ".text.") || line.end == line.at || line.end[-1] != ':')
            return false;
        line.end--;
    }
    size_t length = (size_t)(line.end - line.at);
    if (length >= sizeof disassembly->function || memchr(line.at, '\0', length))
        length = 0; /* the instructions that follow are of an unknown function */
    memcpy(disassembly->function, line.at, length);
    disassembly->function[length] = '\0';
    return true;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "/" "*0010*" "/"; cuobjdump's encoding is similar, but begins with 0x and a blank. */
static bool take_offset(struct part *line, uint32_t *offset)
{
    uint32_t value = 0;
    int digits = 0;

    if (!line_begins(line, "/*"))
        return false;
    for (; line->at < line->end && hex_digit(*line->at) >= 0; line->at++, digits++) {
        value = value * 16 + (uint32_t)hex_digit(*line->at);
        if (value >= DISASSEMBLY_OFFSET_MAX)
            return false;
    }
    *offset = value;
    return digits >= 4 && line_begins(line, "*/");
}

void disassembly_line(struct disassembly *disassembly, const char *line, size_t length)
{
    struct part rest = {line, line + length};
    char text[DISASSEMBLY_TEXT_BYTES];
    uint32_t offset;

    line_trim(&rest);
    if (take_function(disassembly, rest) || !disassembly->function[0] || !take_offset(&rest, &offset))
        return;
    const char *end = memchr(rest.at, ';', (size_t)(rest.end - rest.at));
    if (!end)
        return; /* data, not an instruction */
    rest.end = end;
    line_trim(&rest);
    size_t used = (size_t)(rest.end - rest.at);
    if (used == 0 || memchr(rest.at, '\0', used))
        return;
    if (used >= sizeof text)
        used = sizeof text - 1;
    memcpy(text, rest.at, used);
    text[used] = '\0';
    disassembly->take(disassembly->user, disassembly->function, offset, text);
}

void disassembly_read(struct disassembly *disassembly, const char *text, size_t length)
{
    const char *end = text + length;

    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline ? newline : end;

        disassembly_line(disassembly, text, (size_t)(stop - text));
        text = newline ? newline + 1 : end;
    }
}
