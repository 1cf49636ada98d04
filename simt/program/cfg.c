/* Labels are found in a sorted list. A block begins at each branch target and after each instruction that
 * ends a block. */
#include "simt/program/cfg.h"

#include "simt/program/cfg_dominators.h"
#include "simt/ptx/arena.h"

#include <stdlib.h>
#include <string.h>

struct owned_cfg { /* the cfg and the memory that it owns */
    struct cfg cfg;
    struct arena arena;
};

struct builder {
    const struct ptx_function *function;
    struct error *error;
    const struct ptx_label **labels; /* sorted by name */
    uint32_t *block_of;
    struct cfg_block *blocks;
    uint32_t block_count;
    uint32_t *edges; /* of all blocks, in order */
    uint32_t edge_count, edge_capacity;
    uint32_t *seen; /* per block: 1 + the last block that has an edge to it */
};

static int compare_labels(const void *a, const void *b)
{
    return strcmp((*(const struct ptx_label *const *)a)->name, (*(const struct ptx_label *const *)b)->name);
}

static enum status no_memory(struct builder *builder)
{
    return error_no_memory(builder->error, "for the control flow of %s", builder->function->name);
}

static enum status sort_labels(struct builder *builder)
{
    const struct ptx_function *function = builder->function;
    builder->labels = malloc((function->label_count + 1) * sizeof(struct ptx_label *));
    if (!builder->labels)
        return no_memory(builder);
    for (uint32_t i = 0; i < function->label_count; i++)
        builder->labels[i] = &function->labels[i];
    qsort(builder->labels, function->label_count, sizeof(struct ptx_label *), compare_labels);
    return STATUS_OK;
}

static enum status find_label(const struct builder *builder, uint32_t line, const char *name,
                              const struct ptx_label **label)
{
    uint32_t low = 0;
    uint32_t high = builder->function->label_count;
    while (name && low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(name, builder->labels[middle]->name);
        if (order == 0) {
            *label = builder->labels[middle];
            return STATUS_OK;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return error_set(builder->error, STATUS_USAGE, "%s, line %u: a branch to %s, which is not a label of %s.",
                     builder->function->name, line, name ? name : "a constant", builder->function->name);
}

enum ending { GOES_ON, BRANCHES, BRANCHES_BY_TABLE, ENDS };

static enum ending ending_of(const struct ptx_instruction *instruction)
{
    static const struct {
        const char *opcode;
        enum ending ending;
    } endings[] = {
        {"bra", BRANCHES}, {"brx", BRANCHES_BY_TABLE}, {"ret", ENDS}, {"exit", ENDS}, {"trap", ENDS}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (strcmp(instruction->opcode, endings[i].opcode) == 0)
            return endings[i].ending;
    return GOES_ON;
}

/* Calls `visit` with each instruction index that the branch may jump to. */
static enum status for_targets(struct builder *builder, const struct ptx_instruction *branch,
                               enum status (*visit)(struct builder *builder, uint32_t instruction))
{
    const struct ptx_label *label;
    bool table = ending_of(branch) == BRANCHES_BY_TABLE;
    const char *name = NULL;
    if (branch->operand_count == (table ? 2 : 1) && branch->operands[table].kind == PTX_OPERAND_NAME)
        name = branch->operands[table].name;
    enum status status = find_label(builder, branch->ptx_line, name, &label);
    if (status != STATUS_OK || !table)
        return status != STATUS_OK ? status : visit(builder, label->instruction);
    if (!label->targets)
        return error_set(builder->error, STATUS_USAGE, "%s, line %u: %s is not a list of .branchtargets.",
                         builder->function->name, branch->ptx_line, name);
    for (uint32_t i = 0; i < label->target_count && status == STATUS_OK; i++) {
        const struct ptx_label *target;
        status = find_label(builder, branch->ptx_line, label->targets[i], &target);
        if (status == STATUS_OK)
            status = visit(builder, target->instruction);
    }
    return status;
}

/* Until the blocks are numbered, block_of is 1 where a block begins. */
static enum status mark_leader(struct builder *builder, uint32_t instruction)
{
    if (++builder->edge_count > CFG_MAX_EDGES)
        return error_set(
            builder->error, STATUS_USAGE,
            "%s has more than %u branches from block to block: use fewer tables of branch targets.",
            builder->function->name, CFG_MAX_EDGES);
    if (instruction < builder->function->instruction_count)
        builder->block_of[instruction] = 1;
    return STATUS_OK;
}

static enum status mark_leaders(struct builder *builder)
{
    const struct ptx_function *function = builder->function;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < function->instruction_count && status == STATUS_OK; i++) {
        enum ending ending = ending_of(&function->instructions[i]);
        if (i == 0)
            builder->block_of[i] = 1;
        if (ending != GOES_ON && i + 1 < function->instruction_count)
            builder->block_of[i + 1] = 1;
        if (ending == BRANCHES || ending == BRANCHES_BY_TABLE)
            status = for_targets(builder, &function->instructions[i], mark_leader);
    }
    return status;
}

static enum status number_blocks(struct builder *builder, struct arena *arena)
{
    uint32_t count = 0;
    uint32_t instructions = builder->function->instruction_count;
    for (uint32_t i = 0; i < instructions; i++)
        count += builder->block_of[i];
    builder->blocks = arena_alloc(arena, count, sizeof *builder->blocks);
    builder->seen = calloc(count + 1, sizeof *builder->seen);
    if (!builder->blocks || !builder->seen)
        return no_memory(builder);
    for (uint32_t i = 0; i < instructions; i++) {
        if (builder->block_of[i])
            builder->blocks[builder->block_count++].first = i;
        builder->block_of[i] = builder->block_count - 1;
        builder->blocks[builder->block_count - 1].count++;
    }
    return STATUS_OK;
}

static enum status add_edge(struct builder *builder, uint32_t instruction)
{
    uint32_t from = builder->block_count; /* while blocks are linked: number of linked blocks */
    struct cfg_block *block = &builder->blocks[from];
    if (instruction >= builder->function->instruction_count) {
        block->ends = true;
        return STATUS_OK;
    }
    uint32_t to = builder->block_of[instruction];
    if (builder->seen[to] == from + 1)
        return STATUS_OK;
    builder->seen[to] = from + 1;
    builder->edges[builder->edge_count++] = to;
    block->successor_count++;
    return STATUS_OK;
}

/* There is room for all edges: those of each branch, and one more per block for falling through. */
static enum status link_blocks(struct builder *builder, struct arena *arena)
{
    const struct ptx_function *function = builder->function;
    uint32_t count = builder->block_count;
    enum status status = STATUS_OK;
    builder->edges = arena_alloc(arena, (size_t)builder->edge_count + count, sizeof *builder->edges);
    if (!builder->edges)
        return no_memory(builder);
    builder->edge_count = 0;
    for (builder->block_count = 0; builder->block_count < count && status == STATUS_OK;
         builder->block_count++) {
        struct cfg_block *block = &builder->blocks[builder->block_count];
        uint32_t last = block->first + block->count - 1;
        const struct ptx_instruction *instruction = &function->instructions[last];
        enum ending ending = ending_of(instruction);
        block->successors = builder->edges + builder->edge_count;
        block->ends = ending == ENDS;
        if (ending == BRANCHES || ending == BRANCHES_BY_TABLE)
            status = for_targets(builder, instruction, add_edge);
        if (status == STATUS_OK && (ending == GOES_ON || instruction->guard))
            status = add_edge(builder, last + 1);
    }
    return status;
}

enum status cfg_create(struct cfg **cfg, const struct ptx_function *function, struct error *error)
{
    struct builder builder = {.function = function, .error = error};
    struct owned_cfg *owned = calloc(1, sizeof *owned);
    *cfg = NULL;
    if (!owned)
        return no_memory(&builder);
    builder.block_of = arena_alloc(&owned->arena, function->instruction_count, sizeof *builder.block_of);
    enum status status = builder.block_of ? sort_labels(&builder) : no_memory(&builder);
    if (status == STATUS_OK)
        status = mark_leaders(&builder);
    if (status == STATUS_OK)
        status = number_blocks(&builder, &owned->arena);
    if (status == STATUS_OK)
        status = link_blocks(&builder, &owned->arena);
    if (status == STATUS_OK && !cfg_post_dominators(builder.blocks, builder.block_count))
        status = no_memory(&builder);
    free(builder.labels);
    free(builder.seen);
    owned->cfg = (struct cfg){builder.blocks, builder.block_count, builder.block_of};
    if (status == STATUS_OK)
        *cfg = &owned->cfg;
    else
        cfg_destroy(&owned->cfg);
    return status;
}

void cfg_destroy(struct cfg *cfg)
{
    if (!cfg)
        return;
    struct owned_cfg *owned = (struct owned_cfg *)cfg; /* `cfg` is its first member */
    arena_fini(&owned->arena);
    free(owned);
}

uint32_t cfg_meeting_point(const struct cfg *cfg, uint32_t instruction)
{
    uint32_t block = cfg->blocks[cfg->block_of[instruction]].post_dominator;
    return block == PTX_NONE ? PTX_NONE : cfg->blocks[block].first;
}
