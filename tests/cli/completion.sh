#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# completion.sh LANESCOPE: the script that lanescope gives to bash, in a bash without a terminal: it can be sourced, bash knows it
# as lanescope's completion, and what it puts into COMPREPLY is what bash would offer, or replace the last word's end by.
set -u
lanescope=$1
failures=0
PATH=$(dirname "$lanescope"):$PATH
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:' # bash's own, which only a shell with a terminal sets

eval "$("$lanescope" completion bash)" || exit 1
[[ $(complete -p lanescope) == *'-F _lanescope lanescope' ]] || { echo "not registered: $(complete -p lanescope)"; exit 1; }

# offers LINE WANTED: at the end of LINE these are the words, in their order, "..." for any more.
offers() {
    local got
    COMP_LINE=$1 COMP_POINT=${#1}
    _lanescope "${1%% *}"
    got="${COMPREPLY[*]}"
    case $2 in
    *...) [[ $got == "${2%...}"* ]] ;;
    *) [[ $got == "$2" ]] ;;
    esac || { echo "'$1' offers '${got:0:300}', not '$2'"; failures=$((failures + 1)); }
}

offers 'lanescope ' 'view report what-if diff gate generations debug gather exercise grade export kernel present follow watch attach judge mcp list coverage glossary device doctor recover clean completion help copy-offset ...'
offers 'lanescope v' 'view'
offers 'lanescope transp' 'transpose'
offers 'lanescope transpose:' 'copy naive tile pad swizzle'
offers 'lanescope transpose:ti' 'tile'
offers 'lanescope transpose:tile,' 'tile,n='
offers 'lanescope copy-stride,str' 'copy-stride,stride='
offers 'lanescope copy-stride,stride=' '1 2 32'
offers 'lanescope copy-stride,stride=2,' '2,n='
offers 'lanescope copy-stride,stride=2 transpose:p' 'pad'
offers 'lanescope --dev' '--device'
offers 'lanescope --device ' 'auto cuda simt both'
offers 'lanescope --device=s' 'simt'
offers 'lanescope --device simt --record out.lsr --al' '--all'
offers 'lanescope --record ' ''
offers 'lanescope --capture ' 'all profiler-api nvtx: delay:'
offers 'lanescope --capture nv' 'nvtx:'
offers 'lanescope --runs trace,' 'trace,trace trace,counters trace,lines'
offers 'lanescope --model rtx' 'rtx4090 rtx5090'
offers 'lanescope --counters +stall_b' '+stall_barrier'
offers 'lanescope --theme ' 'standard colorblind projector mono'
offers 'lanescope view --theme proj' 'projector'
offers 'lanescope view ' ''
offers 'lanescope report a.lsr --j' '--json --json-schema'
offers 'lanescope report a.lsr --rec' ''
offers 'lanescope diff a.lsr b.lsr --fail-on shared_load_con' 'shared_load_conflicts'
offers 'lanescope help dia' ''
offers 'lanescope help di' 'diff'
offers 'lanescope exercise ' 'barrier coalesce divergence hide histogram loop padding reduction registers shuffle tiles transpose'
offers 'lanescope exercise tr' 'transpose'
offers 'lanescope exercise transpose ' ''
offers 'lanescope grade --exercise ti' 'tiles'
offers 'lanescope completion ' 'bash zsh fish'
offers 'lanescope -- ' ''
offers 'lanescope -- transp' ''
offers 'lanescope   --device   si' 'simt'
offers "$lanescope transpose:na" 'naive'

# Where another program has taken ':' and '=' from the characters that cut words, whole words are replaced.
COMP_WORDBREAKS=$' \t\n"\'><;|&('
offers 'lanescope transpose:ti' 'transpose:tile'
offers 'lanescope --device=s' '--device=simt'

# zsh, where there is one, accepts its script.
if command -v zsh >/dev/null; then
    zsh -f -c 'autoload -Uz compinit && compinit -D -u && eval "$("$1" completion zsh)" && [[ $_comps[lanescope] == _lanescope ]]' \
        zsh "$lanescope" || { echo 'zsh does not take its script'; failures=$((failures + 1)); }
fi
[ $failures -eq 0 ]
