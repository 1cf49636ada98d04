#!/bin/sh
# bootstrap.sh ROOT: what bootstrap answers without changing anything: help, a wrong command, wheels that are not there.
set -eu
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# answers STATUS WORDS ARGUMENTS...: bootstrap with these arguments ends so and says these words.
answers() {
    wanted=$1 words=$2
    shift 2
    got=0
    ./bootstrap "$@" </dev/null >"$scratch/out" 2>&1 || got=$?
    if [ "$got" -ne "$wanted" ] || ! grep -q -- "$words" "$scratch/out"; then
        echo "bootstrap $*: wanted status $wanted and '$words', got $got and:"
        cat "$scratch/out"
        failures=$((failures + 1))
    fi
}

answers 0 'usage: ./bootstrap demo' help
answers 0 'usage: ./bootstrap demo'
answers 2 'usage: ./bootstrap demo' demonstrate
answers 2 'usage: ./bootstrap demo' test --wheels "$scratch"
answers 1 'takes a folder' cuda --wheels "$scratch/none"
[ "$failures" -eq 0 ]
