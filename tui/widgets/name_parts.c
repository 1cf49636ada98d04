/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A demangled name is read as a tree. A name is components joined by "::", each with template arguments,
 * which are names again, and parameters. One of the components is the name itself: the last that is neither a
 * lambda nor its operator(). The components before it are its scope. The parts are kept in one array in the
 * order of the text, without pointers: a part's depth and the number of its name are all that printing needs.
 * Nothing here fails: a text that is not a C++ name becomes one part.
 *
 * A name is fitted into a width with one cut, whose place is found by the weights of the words. A family is
 * the names that begin with the same word, as those of cuBLAS or Triton; words are separated by "_". The
 * table counts, for each word of a family, the names that have it: the more of them have a word, the lighter
 * it is. Names with template arguments have no family. Light everywhere: "kernel", "Functor".
 */
#include "tui/widgets/name_parts.h"

#include "core/base/append.h"
#include "core/base/array.h"
#include "tui/terminal/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_BYTES NAME_TEXT_BYTES
#define WORDS_MAX 64
#define ENDLESS (1 << 20) /* cells */

struct word {
    size_t from, length; /* without the "_" after it */
};

/* Splits a name at each "_"; between two adjacent "_" there is an empty word. Returns 0 if there are too many
 * words. */
static size_t split_words(const char *text, struct word words[WORDS_MAX])
{
    size_t count = 0;
    for (size_t from = 0;; count++) {
        size_t length = strcspn(text + from, "_");
        if (count == WORDS_MAX)
            return 0;
        words[count] = (struct word){.from = from, .length = length};
        from += length;
        if (text[from++] == '\0')
            return count + 1;
    }
}

/* The number of names of a family (those that begin with the same word) that have a word. */
struct family_word {
    uint32_t hash, last; /* last: the row that was counted last */
    size_t count;
};

static bool is_word(const void *context, uint32_t row, const void *key)
{
    const struct name_families *families = context;
    return families->rows[row].hash == *(const uint32_t *)key;
}

static uint32_t hash_word(const char *text, const struct word *words, const struct word *word)
{
    return lookup_hash(lookup_hash(1, text, words[0].length), text + word->from, word->length);
}

static size_t count_word(const struct name_families *families, uint32_t hash)
{
    uint32_t row = lookup_find(&families->lookup, hash, is_word, families, &hash);
    return row == LOOKUP_NONE ? 0 : families->rows[row].count;
}

static bool add_word(struct name_families *families, uint32_t hash, uint32_t name)
{
    uint32_t row = lookup_find(&families->lookup, hash, is_word, families, &hash);
    if (row == LOOKUP_NONE) {
        if (!lookup_reserve(&families->lookup) ||
            !array_grow(families->rows, families->room, families->count, 1))
            return false;
        row = (uint32_t)families->count++;
        families->rows[row] = (struct family_word){.hash = hash, .last = LOOKUP_NONE};
        lookup_add(&families->lookup, hash, row);
    }
    families->rows[row].count += families->rows[row].last != name;
    families->rows[row].last = name;
    return true;
}

bool name_families_add(struct name_families *families, const char *name, uint32_t number)
{
    struct word words[WORDS_MAX];
    size_t count = strchr(name, '<') ? 0 : split_words(name, words);
    for (size_t w = 0; w < count; w++)
        if (!add_word(families, hash_word(name, words, &words[w]), number))
            return false;
    return true;
}

void name_families_fini(struct name_families *families)
{
    lookup_fini(&families->lookup);
    free(families->rows);
    *families = (struct name_families){0};
}

#define WEIGHT_FULL 16
#define WEIGHT_ARGUMENT 24 /* names with template arguments differ there */
#define WEIGHT_LIGHT 1
#define FAMILY_LARGE 6 /* names: the word that begins so many tells little */

static void weigh_bytes(uint8_t *weights, size_t from, size_t length, uint8_t weight)
{
    memset(weights + from, weight, length);
}

static void weigh_light_words(const char *text, uint8_t *weights)
{
    for (size_t i = 0; text[i] != '\0'; i++)
        if (text[i] == '>')
            weights[i] = WEIGHT_LIGHT;
    static const char *const light[] = {"_kernel", "Kernel", "Functor", "CUDA", "Template"};
    for (size_t i = 0; i < sizeof light / sizeof light[0]; i++)
        for (const char *at = text; (at = strstr(at, light[i])); at += strlen(light[i]))
            weigh_bytes(weights, (size_t)(at - text), strlen(light[i]), WEIGHT_LIGHT);
}

/* The words that tell a name from others of its family are the heaviest. */
static void weigh_words(const struct name_families *families, const char *text, uint8_t *weights)
{
    struct word words[WORDS_MAX];
    size_t count = strchr(text, '<') ? 0 : split_words(text, words);
    size_t family = count > 0 ? count_word(families, hash_word(text, words, &words[0])) : 0;
    size_t own = strcspn(text, "<");
    weigh_bytes(weights, 0, own, WEIGHT_FULL);
    weigh_bytes(weights, own, strlen(text + own), WEIGHT_ARGUMENT);
    if (family >= FAMILY_LARGE)
        weigh_bytes(weights, words[0].from, words[0].length, WEIGHT_LIGHT);
    for (size_t w = 1; w < count && family > 1; w++) {
        size_t names = count_word(families, hash_word(text, words, &words[w]));
        size_t weight = WEIGHT_LIGHT + (WEIGHT_FULL - WEIGHT_LIGHT) * (family - names) / family;
        weigh_bytes(weights, words[w].from, words[w].length, (uint8_t)weight);
    }
    weigh_light_words(text, weights);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void name_cut_around(const char *text, size_t differs, int cells, char *out, size_t size_bytes)
{
    size_t length = strlen(text), from = differs < length ? differs : length, at;
    int tail, mark = text_width(text_cut_mark(), ENDLESS);
    while (from > 0 &&
           (is_digit(text[from]) || (text[from] & 0xc0) == 0x80 || (from > 0 && is_digit(text[from - 1]))))
        from--; /* do not split a number */
    tail = text_width(text + from, ENDLESS);
    out[0] = '\0';
    if (tail + mark < cells) { /* "t..naive" */
        text_cut(text, cells - tail, out, size_bytes);
        at = strlen(out);
        snprintf(out + at, size_bytes - at, "%s", text + from);
    } else if (text_break_at(text, cells - mark) > differs) {
        text_cut(text, cells, out, size_bytes);
    }
}

void name_fit(const struct name_families *families, const char *name, int cells, char *text,
              size_t size_bytes)
{
    uint8_t weights[TEXT_BYTES];
    if (text_width(name, cells + 1) <= cells || strlen(name) >= sizeof weights) {
        text_shorten(name, cells, text, size_bytes);
        return;
    }
    weigh_words(families, name, weights);
    text_shorten_weighed(name, weights, cells, text, size_bytes);
}

/* ---- from a shown name to a pattern ---- */

/* Types that a mangled name writes as one letter. */
static bool is_builtin(const char *word, size_t length)
{
    static const char *const known[] = {"bool",  "char",   "short",  "int",      "long",
                                        "float", "double", "void",   "unsigned", "signed",
                                        "true",  "false",  "const*", "const&",   "const"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i]) == length && strncmp(word, known[i], length) == 0)
            return true;
    return false;
}

static size_t mark_length(const char *at)
{
    static const char *const marks[] = {"..", "\xe2\x80\xa6"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strncmp(at, marks[i], strlen(marks[i])) == 0)
            return strlen(marks[i]);
    return 0;
}

/* The number of bytes here that only a shown name can have: brackets, blanks, the mark of a cut, and the
 * number after a name that looks like another ("#2"). */
static size_t sign_length(const char *at)
{
    if (*at == '#' && at[1] != '\0' && at[1 + strspn(at + 1, "0123456789")] == '\0')
        return strlen(at);
    if (mark_length(at) > 0)
        return mark_length(at);
    return *at != '\0' && strchr("<>(), #", *at);
}

bool name_print_pattern(const char *shown, bool mangled, char *pattern, size_t size_bytes)
{
    size_t at = 0, length;
    bool any = false;
    pattern[0] = '\0';
    if (strpbrk(shown, "<(")) /* C++: a length, "::" or "void " comes before each word */
        append_text(pattern, size_bytes, &at, mangled ? "*[0-9]" : "*[: ]");
    else if (strstr(shown, "..") || strstr(shown, "\xe2\x80\xa6"))
        append_text(pattern, size_bytes, &at, "*");
    for (const char *from = shown; *from; from += length) {
        length = sign_length(from);
        any |= length > 0;
        if (length > 0) {
            if (at > 0 && pattern[at - 1] != '*')
                append_text(pattern, size_bytes, &at, "*");
            continue;
        }
        while (from[length] != '\0' && sign_length(from + length) == 0)
            length++;
        if (!is_builtin(from, length))
            append_text(pattern, size_bytes, &at, "%.*s", (int)length, from);
    }
    if (at > 0 && pattern[at - 1] != '*')
        append_text(pattern, size_bytes, &at, "*");
    return any;
}

#define DEPTH_MAX 32
#define COMPONENTS_MAX 24
#define NO_PART UINT32_MAX

struct reader {
    const char *name;
    struct name_part *parts;
    size_t count;
    uint16_t names;
};

struct component {
    const char *from, *head_end;             /* "foo" */
    const char *arguments, *arguments_end;   /* between "<" and ">"; NULL: none */
    const char *parameters, *parameters_end; /* "(int) const"; NULL: none */
    const char *end;                         /* after the suffix: " const*" */
    bool lambda, call;
};

/* What a nested name contains. */
struct found {
    uint32_t functor; /* the part that names the operation; NO_PART */
    uint32_t class;   /* the first class */
};

static bool starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Length of a piece that belongs to the name although it contains brackets; 0: no such piece here. */
static size_t piece_length(const char *text)
{
    static const char *const pieces[] = {
        "(anonymous namespace)", "operator()", "operator<<", "operator>>", "operator<=", "operator>=",
        "operator->*",           "operator->", "operator<",  "operator>"};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++)
        if (starts_with(text, pieces[i]))
            return strlen(pieces[i]);
    return 0;
}

/* Length of the bracketed text at *text, including the brackets; 0 if it is not closed. */
static size_t bracket_length(const char *text)
{
    char open[2 * DEPTH_MAX];
    size_t depth = 0;
    for (size_t i = 0; text[i]; i++) {
        char c = text[i], closes = '\0';
        if (c == '<' || c == '(' || c == '{' || c == '[') {
            if (depth == sizeof open)
                return 0;
            open[depth++] = c;
            continue;
        }
        closes = c == '>' ? '<' : c == ')' ? '(' : c == '}' ? '{' : c == ']' ? '[' : '\0';
        if (!closes || (c == '>' && (open[depth - 1] != '<' || text[i - 1] == '-')))
            continue; /* a comparison or an arrow */
        while (depth > 0 && open[depth - 1] != closes)
            depth--; /* the '<' was a comparison */
        if (depth == 0)
            return 0;
        if (--depth == 0)
            return i + 1;
    }
    return 0;
}

/* Length of the next unit that is taken as a whole: a piece of a name, a bracketed text, or a character; 0:
 * the name ends. */
static size_t unit_length(const char *from, bool begun)
{
    size_t piece = piece_length(from);
    if (piece > 0)
        return piece;
    if (*from == '\0' || (*from == '(' && begun))
        return 0;
    size_t inside = *from == '<' || *from == '{' || *from == '(' ? bracket_length(from) : 0;
    return inside ? inside : 1;
}

/* Skips the return type, which is always void for a kernel. */
static const char *skip_type(const char *name)
{
    return starts_with(name, "void ") ? name + strlen("void ") : name;
}

/* ---- plain and own names ---- */

static void append_bytes(char *text, size_t size_bytes, size_t *at, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count && *at + 1 < size_bytes; i++)
        text[(*at)++] = bytes[i];
}

void name_print_plain(const char *name, char *text, size_t size_bytes)
{
    size_t at = 0, length;
    if (size_bytes == 0)
        return;
    const char *begin = skip_type(name);
    for (const char *from = begin; (length = unit_length(from, from > begin)) > 0; from += length)
        append_bytes(text, size_bytes, &at, from, length);
    text[at] = '\0';
}

void name_print_own(const char *name, char *text, size_t size_bytes)
{
    size_t at = 0, length;
    if (size_bytes == 0)
        return;
    const char *begin = skip_type(name), *own = begin;
    for (const char *from = begin; (length = unit_length(from, from > begin)) > 0; from += length)
        if (starts_with(from, "::")) {
            length = 2;
            own = from + length;
        }
    for (const char *from = own; (length = unit_length(from, from > own)) > 0; from += length)
        if (*from != '<' || length == 1)
            append_bytes(text, size_bytes, &at, from, length);
    text[at] = '\0';
}

/* ---- words ---- */

struct words {
    const char *from;
    size_t length;
};

static bool ends_with(struct words words, const char *with)
{
    size_t length = strlen(with);
    return words.length >= length && strncmp(words.from + words.length - length, with, length) == 0;
}

static bool is_one_of(struct words words, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == words.length && strncmp(words.from, list[i], words.length) == 0)
            return true;
    return false;
}

static bool holds_word(struct words words, const char *word)
{
    const char *at = memmem(words.from, words.length, word, strlen(word));
    return at != NULL;
}

/* Is it the name of an operation on each element? The list has the names of such classes in PyTorch, CUB and
 * CuPy. */
static bool names_functor(struct words head)
{
    static const char *const known[] = {"plus",    "minus",    "multiplies", "divides", "negate", "less",
                                        "greater", "equal_to", "maximum",    "minimum", "max",    "min",
                                        "sum",     "Max",      "Min",        "Sum"};
    return holds_word(head, "unctor") || holds_word(head, "func_") || ends_with(head, "Op") ||
           ends_with(head, "Ops") || ends_with(head, "_op") ||
           is_one_of(head, known, sizeof known / sizeof known[0]);
}

static bool names_data(struct words head)
{
    static const char *const begins[] = {
        "bool",   "char",  "signed",   "unsigned", "short",  "int",     "long", "float",  "double", "void",
        "__half", "__nv_", "BFloat16", "Half",     "Float8", "complex", "uint", "size_t", "half"};
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (head.length >= strlen(begins[i]) && starts_with(head.from, begins[i]))
            return true;
    return false;
}

/* Is it a kernel's own name without a meaning? Its first class then says what the kernel is about. */
static bool is_generic(struct words head)
{
    static const char *const known[] = {"Kernel",        "Kernel2",       "kernel",
                                        "device_kernel", "_kernel_agent", "run"};
    return is_one_of(head, known, sizeof known / sizeof known[0]);
}

static size_t prefix_length(struct words head)
{
    static const char *const prefixes[] = {"CUDAFunctor_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (head.length > strlen(prefixes[i]) && starts_with(head.from, prefixes[i]))
            return strlen(prefixes[i]);
    return 0;
}

/* Length of the longest suffix of the list that leaves three letters before it. */
static size_t suffix_length(struct words head, const char *const *list, size_t count)
{
    size_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(list[i]);
        if (length > longest && head.length >= length + 3 && ends_with(head, list[i]))
            longest = length;
    }
    return longest;
}

/* ---- reading ---- */

static uint32_t path_child(uint32_t path, uint32_t step)
{
    return (path ^ (step + 0x9e3779b9u)) * 0x01000193u + (path >> 15);
}

/* NULL if there is no room: the caller's last part then takes the rest of the name. */
static struct name_part *add_part(struct reader *reader, const char *from, const char *to, uint32_t path,
                                  uint16_t name, unsigned depth, enum name_rank rank)
{
    if (from >= to || reader->count + 1 >= NAME_PARTS_MAX)
        return NULL;
    struct name_part *part = &reader->parts[reader->count++];
    *part = (struct name_part){.from = (uint32_t)(from - reader->name),
                               .length = (uint32_t)(to - from),
                               .path = path,
                               .name = name,
                               .depth = (uint8_t)depth,
                               .rank = (uint8_t)rank};
    return part;
}

static const char *skip_blanks(const char *from, const char *to)
{
    while (from < to && *from == ' ')
        from++;
    return from;
}

/* Reads the component at `from`, up to "::" or `to`. */
static struct component read_component(const char *from, const char *to)
{
    struct component c = {.from = from};
    const char *at = from;
    size_t length;
    c.lambda = *from == '{';
    c.call = starts_with(from, "operator()");
    for (; at < to && !starts_with(at, "::"); at += length) {
        size_t piece = piece_length(at);
        bool opens = piece == 0 && (*at == '<' || *at == '(' || *at == '{' || *at == '[');
        length = piece ? piece : opens ? bracket_length(at) : 1;
        length = length == 0 || length > (size_t)(to - at) ? 1 : length;
        if (length > 1 && piece == 0 && !c.head_end && !c.lambda && at > from) {
            if (*at == '<' || *at == '(')
                c.head_end = at;
        }
        if (length > 1 && *at == '<' && piece == 0 && c.head_end == at) {
            c.arguments = at + 1;
            c.arguments_end = at + length - 1;
        } else if (length > 1 && *at == '(' && piece == 0 && c.head_end && !c.parameters) {
            c.parameters = at;
        }
    }
    c.end = at;
    c.parameters_end = c.parameters ? at : NULL;
    c.head_end = c.head_end ? c.head_end : at;
    return c;
}

static struct found read_name(struct reader *reader, const char *from, const char *to, uint32_t path,
                              unsigned depth);

/* Reads the arguments between angle brackets; the first functor among them names the operation. */
static struct found read_arguments(struct reader *reader, const char *from, const char *to, uint32_t path,
                                   unsigned depth)
{
    struct found found = {NO_PART, NO_PART};
    for (uint32_t i = 0; from < to; i++) {
        const char *end = skip_blanks(from, to), *begin = end;
        while (end < to && *end != ',') {
            size_t piece = piece_length(end), inside = piece;
            if (piece == 0 && (*end == '<' || *end == '(' || *end == '{' || *end == '['))
                inside = bracket_length(end);
            end += inside == 0 || inside > (size_t)(to - end) ? 1 : inside;
        }
        struct found inner = read_name(reader, begin, end, path_child(path, i), depth);
        found.functor = found.functor == NO_PART ? inner.functor : found.functor;
        found.class = found.class == NO_PART ? inner.class : found.class;
        from = end + 1;
    }
    return found;
}

/* "{lambda(float)#1}": reads the type of its parameters without namespaces, and its number. */
static void read_lambda(struct reader *reader, const struct component *c, uint32_t path, uint16_t name,
                        unsigned depth)
{
    const char *open = memchr(c->from, '(', (size_t)(c->end - c->from));
    size_t inside = open ? bracket_length(open) : 0;
    if (inside < 2 || open + inside > c->end) {
        add_part(reader, c->from, c->end, path_child(path, 1), name, depth, NAME_LAMBDA_NUMBER);
        return;
    }
    const char *from = open + 1, *to = open + inside - 1;
    for (const char *at = from; at + 1 < to && !memchr(from, '<', (size_t)(to - from)); at++)
        if (starts_with(at, "::") && !memchr(from, ',', (size_t)(to - from)))
            from = at + 2;
    struct name_part *type = add_part(reader, from, to, path_child(path, 1), name, depth, NAME_LAMBDA_TYPE);
    if (type)
        type->enclosed = true;
    const char *end = memchr(to, '}', (size_t)(c->end - to));
    add_part(reader, to + 1, end ? end : c->end, path_child(path, 2), name, depth, NAME_LAMBDA_NUMBER);
}

/* Reads the name itself, without the suffix that all functors' names have. */
static uint32_t read_head(struct reader *reader, const struct component *c, uint32_t path, uint16_t name,
                          unsigned depth, enum name_rank rank)
{
    static const char *const hidden[] = {"_kernel_cuda", "_kernel_impl", "_kernel",
                                         "_functor",     "_cuda",        "_impl"},
                             *const dull_of_functor[] = {"Functor", "Ops", "Op"},
                             *const dull_of_kernel[] = {"_kernel", "Kernel", "_kernel_vectorized",
                                                        "CUDAKernelTemplate"};
    struct words head = {c->from, (size_t)(c->head_end - c->from)};
    size_t prefix = 0, suffix = 0, dull = 0;
    if (rank == NAME_FUNCTOR) {
        prefix = prefix_length(head);
        head.length -= suffix = suffix_length(head, hidden, sizeof hidden / sizeof hidden[0]);
        dull = suffix_length(head, dull_of_functor, sizeof dull_of_functor / sizeof dull_of_functor[0]);
    } else if (rank == NAME_OWN) {
        dull = suffix_length(head, dull_of_kernel, sizeof dull_of_kernel / sizeof dull_of_kernel[0]);
    }
    const char *stem = head.from + prefix, *stem_end = head.from + head.length - dull;
    add_part(reader, c->from, stem, path_child(path, 3), name, depth, NAME_AFFIX);
    struct name_part *part = add_part(reader, stem, stem_end, path, name, depth, rank);
    uint32_t index = part ? (uint32_t)(part - reader->parts) : NO_PART;
    part = add_part(reader, stem_end, stem_end + dull, path_child(path, 4), name, depth, rank);
    if (part)
        part->dull = true;
    add_part(reader, stem_end + dull, stem_end + dull + suffix, path_child(path, 5), name, depth, NAME_AFFIX);
    return index;
}

static bool is_number(const char *from, const char *to)
{
    struct words words = {from, (size_t)(to - from)};
    static const char *const truth[] = {"true", "false"};
    return from < to && (is_digit(*from) || *from == '-' || *from == '&' ||
                         (*from == '(' && piece_length(from) == 0) || is_one_of(words, truth, 2));
}

static size_t split_components(const char *from, const char *to, struct component *components)
{
    size_t count = 0;
    while (from < to) {
        struct component c = read_component(from, to);
        if (count == COMPONENTS_MAX) { /* the last component takes the rest */
            components[count - 1].end = to;
            components[count - 1].parameters_end = components[count - 1].parameters ? to : NULL;
            break;
        }
        components[count++] = c;
        from = c.end < to ? c.end + 2 : to;
    }
    return count;
}

/* Reads the component's arguments and the text after them. */
static struct found read_rest(struct reader *reader, const struct component *c, uint32_t path, uint16_t name,
                              unsigned depth)
{
    struct found found = {NO_PART, NO_PART};
    const char *after = c->head_end;
    if (c->arguments) {
        found = read_arguments(reader, c->arguments, c->arguments_end, path_child(path, 6), depth + 1);
        after = c->arguments_end + 1;
    }
    const char *end = c->parameters ? c->parameters : c->end;
    add_part(reader, after, end, path_child(path, 7), name, depth, NAME_TYPE);
    add_part(reader, c->parameters, c->parameters_end, path_child(path, 8), name, depth, NAME_PARAMETERS);
    return found;
}

static struct found read_name(struct reader *reader, const char *from, const char *to, uint32_t path,
                              unsigned depth)
{
    struct component components[COMPONENTS_MAX];
    struct found none = {NO_PART, NO_PART}, found = none;
    uint16_t name = reader->names++;
    from = skip_blanks(from, to);
    while (to > from && to[-1] == ' ')
        to--;
    if (depth >= DEPTH_MAX || is_number(from, to)) {
        add_part(reader, from, to, path, name, depth, NAME_NUMBER);
        return none;
    }
    size_t count = split_components(from, to, components), main = count;
    while (main > 0 && (components[main - 1].lambda || components[main - 1].call))
        main--;
    if (count == 0)
        return none;
    main = main > 0 ? main - 1 : count - 1;
    for (size_t i = 0; i < count; i++) {
        const struct component *c = &components[i];
        uint32_t here = path_child(path, 16 + (uint32_t)(i < main ? main - i : 64 + i - main));
        size_t first = reader->count;
        struct words head = {c->from, (size_t)(c->head_end - c->from)};
        if (i == main) {
            bool functor = i + 1 < count || names_functor(head);
            enum name_rank rank = depth == 0         ? NAME_OWN
                                  : functor          ? NAME_FUNCTOR
                                  : names_data(head) ? NAME_TYPE
                                                     : NAME_CLASS;
            uint32_t own = read_head(reader, c, path, name, depth, rank);
            struct found inner = read_rest(reader, c, path, name, depth);
            found.functor = inner.functor != NO_PART ? inner.functor : rank == NAME_FUNCTOR ? own : NO_PART;
            found.class = rank == NAME_CLASS ? own : depth == 0 ? inner.class : NO_PART;
        } else if (c->lambda) {
            read_lambda(reader, c, here, name, depth);
        } else {
            add_part(reader, c->from, c->head_end, here, name, depth, NAME_SCOPE);
            read_rest(reader, c, here, name, depth);
        }
        if (i > 0 && i <= main && reader->count > first)
            reader->parts[first].scoped = true;
    }
    return found;
}

size_t name_parts_find(const char *name, struct name_part *parts)
{
    struct reader reader = {.name = name, .parts = parts};
    const char *from = skip_type(name), *end = from + strlen(from);
    struct found found = read_name(&reader, from, end, 1, 0);
    struct words own = {from, 0};
    for (size_t i = 0; i < reader.count; i++)
        if (parts[i].rank == NAME_OWN) { /* there can be two: the second is the dull suffix */
            parts[i].shown = true;
            own.from = own.length ? own.from : name + parts[i].from;
            own.length += parts[i].length;
        }
    uint32_t said = found.functor != NO_PART ? found.functor : is_generic(own) ? found.class : NO_PART;
    if (said != NO_PART) {
        parts[said].shown = true;
        if (said + 1 < reader.count && parts[said + 1].dull)
            parts[said + 1].shown = true;
    }
    if (reader.count + 1 >= NAME_PARTS_MAX) { /* not everything was read: the rest becomes one part */
        const struct name_part *last = &parts[reader.count - 1];
        uint32_t rest = last->from + last->length;
        parts[reader.count] = (struct name_part){
            .from = rest, .length = (uint32_t)strlen(name + rest), .path = 2, .rank = NAME_PARAMETERS};
        reader.count++;
    }
    return reader.count;
}

/* ---- printing ---- */

size_t name_parts_print(const char *name, const struct name_part *parts, size_t count, char *text,
                        size_t size_bytes)
{
    uint8_t open[DEPTH_MAX + 1] = {0};  /* the depth of each bracket that is open */
    uint16_t last[DEPTH_MAX + 1] = {0}; /* the name that was printed last inside each */
    size_t opened = 0, at = 0;
    bool begun = false;
    if (size_bytes == 0)
        return 0;
    for (size_t i = 0; i < count; i++) {
        const struct name_part *part = &parts[i];
        if (!part->shown)
            continue;
        bool same = false;
        while (opened > 0 && part->depth < open[opened] && part->depth <= open[opened - 1]) {
            append_bytes(text, size_bytes, &at, ">", 1);
            opened--;
        }
        if (part->depth > open[opened]) {
            append_bytes(text, size_bytes, &at, "<", 1);
            open[++opened] = part->depth;
        } else if (begun) {
            same = last[opened] == part->name;
            if (!same)
                append_bytes(text, size_bytes, &at, ", ", 2);
            open[opened] = part->depth;
        }
        if (same && part->scoped)
            append_bytes(text, size_bytes, &at, "::", 2);
        if (part->enclosed)
            append_bytes(text, size_bytes, &at, "(", 1);
        append_bytes(text, size_bytes, &at, name + part->from, part->length);
        if (part->enclosed)
            append_bytes(text, size_bytes, &at, ")", 1);
        last[opened] = part->name;
        begun = true;
    }
    for (; opened > 0; opened--)
        append_bytes(text, size_bytes, &at, ">", 1);
    text[at] = '\0';
    return at;
}
