/* The file is looked at by its descriptor: what was checked is what is read. */
#include "cli/exercise/hand_in.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum status check_kind_of_file(const struct stat *facts, struct error *error)
{
    if (S_ISDIR(facts->st_mode))
        return error_set(error, STATUS_FORMAT, "It is a folder.");
    if (!S_ISREG(facts->st_mode))
        return error_set(error, STATUS_FORMAT, "It is no regular file, but a pipe, a socket or a device.");
    if (facts->st_size > (off_t)HAND_IN_BYTES_MAX)
        return error_set(error, STATUS_FORMAT, "It has %lld bytes: a hand-in has at most %u.",
                         (long long)facts->st_size, HAND_IN_BYTES_MAX);
    return STATUS_OK;
}

/* At most `room` bytes, all of them if the file has not changed meanwhile. */
static size_t read_bytes(int file, char *text, size_t room)
{
    size_t used = 0;

    while (used < room) {
        ssize_t got = read(file, text + used, room - used);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    return used;
}

enum status hand_in_read(const char *path, char **text, struct error *error)
{
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat facts;

    *text = NULL;
    if (file < 0 && errno == ELOOP)
        return error_set(error, STATUS_FORMAT, "It is a symbolic link: hand in the file itself.");
    if (file < 0)
        return error_set_errno(error, STATUS_IO, errno, "It could not be read");
    if (fstat(file, &facts) != 0) {
        close(file);
        return error_set_errno(error, STATUS_IO, errno, "It could not be read");
    }
    enum status status = check_kind_of_file(&facts, error);

    if (status == STATUS_OK && !(*text = malloc((size_t)facts.st_size + 1)))
        status = error_no_memory(error, "for a hand-in");
    if (status == STATUS_OK) {
        size_t used = read_bytes(file, *text, (size_t)facts.st_size);

        (*text)[used] = '\0';
        if (memchr(*text, '\0', used))
            status = error_set(error, STATUS_FORMAT, "It is no text: it has zero bytes.");
    }
    close(file);
    if (status != STATUS_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
}

/* The word behind "exercise:" in a line; "" if the line has none. */
static void exercise_word(const char *line, size_t length, char word[EXERCISE_NAME_BYTES])
{
    static const char mark[] = "exercise:";
    const char *at = memmem(line, length, mark, sizeof mark - 1);
    size_t used = 0;

    word[0] = '\0';
    if (!at || (size_t)(at - line) != strspn(line, " \t/*#"))
        return;
    at += sizeof mark - 1;
    while (at < line + length && *at == ' ')
        at++;
    while (at < line + length && used + 1 < EXERCISE_NAME_BYTES && ((*at >= 'a' && *at <= 'z') || *at == '-'))
        word[used++] = *at++;
    word[used] = '\0';
}

enum status hand_in_exercise(const char *text, const struct exercise **exercise, struct error *error)
{
    char word[EXERCISE_NAME_BYTES] = "";

    for (int i = 0; i < HAND_IN_HEAD_LINES && !*word && *text; i++) {
        size_t length = strcspn(text, "\n");

        exercise_word(text, length, word);
        text += length + (text[length] == '\n');
    }
    if (!*word)
        return error_set(
            error, STATUS_FORMAT,
            "It does not say which exercise it is: its first lines need \"// exercise: NAME\", or give "
            "--exercise NAME.");
    *exercise = exercise_find(word);
    if (!*exercise)
        return error_set(error, STATUS_FORMAT, "There is no exercise \"%s\": lanescope exercise lists them.",
                         word);
    return STATUS_OK;
}

void hand_in_strip(char *text, const char *mark)
{
    const bool stars = mark[0] == '/';
    char *out = text;

    for (const char *at = text; *at;) {
        const char *end;

        if (strncmp(at, mark, strlen(mark)) == 0)
            at += strcspn(at, "\n");
        else if (stars && at[0] == '/' && at[1] == '*')
            at = (end = strstr(at + 2, "*/")) ? end + 2 : at + strlen(at);
        else if (strchr(" \t\r\n", *at))
            at++;
        else
            *out++ = *at++;
    }
    *out = '\0';
}
