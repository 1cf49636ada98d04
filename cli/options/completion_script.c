/*
 * The script of each shell calls lanescope for the candidates and holds no list of words itself.
 *
 * bash also splits words at ':' and '=', and replaces only the text behind the last of these. The script
 * therefore splits the line again, at blanks, and removes from each candidate the text before that point.
 */
#include "cli/options/completion.h"

#include <string.h>

static const char bash_script[] =
    "# lanescope's completion for bash: eval \"$(lanescope completion bash)\"\n"
    "_lanescope() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} program=${1/#\\~\\//$HOME/} breaks=${COMP_WORDBREAKS//[!:=]/}\n"
    "    local words word cut='' candidate\n"
    "    read -r -a words <<<\"$line\"\n"
    "    [[ $line == *[[:blank:]] ]] && words+=('')\n"
    "    word=${words[${#words[@]}-1]}\n"
    "    [[ -n $breaks ]] && cut=${word%\"${word##*[$breaks]}\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r candidate; do\n"
    "        COMPREPLY+=(\"${candidate#\"$cut\"}\")\n"
    "        case $candidate in *[:=[]) compopt -o nospace 2>/dev/null ;; esac\n"
    "    done < <(\"$program\" --complete \"${words[@]:1}\" 2>/dev/null)\n"
    "}\n"
    "complete -o default -o nosort -F _lanescope lanescope\n";

static const char zsh_script[] =
    "# lanescope's completion for zsh, after compinit: eval \"$(lanescope completion zsh)\"\n"
    "_lanescope() {\n"
    "    local -a whole open\n"
    "    local candidate\n"
    "    for candidate in ${(f)\"$(${~words[1]} --complete \"${(@Q)words[2,CURRENT]}\" 2>/dev/null)\"}; do\n"
    "        case $candidate in\n"
    "        *[:=[]) open+=(\"$candidate\") ;;\n"
    "        *) whole+=(\"$candidate\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( ${#whole} + ${#open} )) || { _default; return }\n"
    "    compadd -- \"${(@)whole}\"\n"
    "    compadd -S '' -- \"${(@)open}\"\n"
    "}\n"
    "compdef _lanescope lanescope\n";

static const struct {
    const char *name, *script;
} shells[] = {{"bash", bash_script}, {"zsh", zsh_script}};

#define SHELLS (sizeof shells / sizeof *shells)

const char *completion_shell(size_t index)
{
    return index < SHELLS ? shells[index].name : NULL;
}

enum status completion_script(FILE *out, const char *shell, struct error *error)
{
    for (size_t i = 0; i < SHELLS; i++) {
        if (strcmp(shell, shells[i].name) == 0) {
            fputs(shells[i].script, out);
            return STATUS_OK;
        }
    }
    return error_set(error, STATUS_USAGE, "There is no completion for \"%.80s\": give bash or zsh.", shell);
}
