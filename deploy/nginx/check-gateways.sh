#!/bin/sh
# Active health checks for nginx: leaves servers out that accept connections and do not answer, such as a frozen gateway.
# Usage: check-gateways.sh FILE...
#
# Each FILE is included in an upstream block, one server a line, with the URL to request in a comment:
#     server 192.0.2.11:9081 max_fails=1 fail_timeout=5s; # check http://192.0.2.11:9081/healthz
# Two failed checks add "down" to the line and reload nginx; two successful ones remove it. With all servers of a file failing, none is
# left out. RELOAD replaces the command that reloads nginx.
set -u
: "${RELOAD:=nginx -s reload}"
[ $# -gt 0 ] || { echo "usage: $0 FILE..." >&2; exit 2; }
results=$(mktemp -d) || exit 1
trap 'rm -rf "$results"' EXIT
trap 'exit 0' INT TERM

# Checks one line's server; a result is the number of successes (+) or failures (-) in a row, at most two.
check() {
    before=$(cat "$results/$1" 2>/dev/null || echo 2)
    if curl --silent --fail --noproxy '*' --max-time 0.5 --output /dev/null "$2"; then
        if [ "$before" -lt 0 ]; then now=1; else now=2; fi
    elif [ "$before" -gt 0 ]; then now=-1; else now=-2; fi
    echo "$now" >"$results/$1"
}

# Writes the file as the results demand. The result of a server that failed once, or succeeded once, changes nothing.
rewrite() {
    n=0 up=0
    while IFS= read -r line; do
        case $line in *'# check '*) ;; *) printf '%s\n' "$line"; continue ;; esac
        n=$((n + 1))
        result=$(cat "$results/$2-$n" 2>/dev/null || echo 1)
        case $line in *' down;'*) is_down=1 ;; *) is_down=0 ;; esac
        [ "$result" = -2 ] && is_down=1
        [ "$result" = 2 ] && is_down=0
        [ "$is_down" = 0 ] && up=$((up + 1))
        line=$(printf '%s\n' "$line" | sed 's/ down;/;/')
        [ "$is_down" = 1 ] && line=$(printf '%s\n' "$line" | sed 's/;/ down;/')
        printf '%s\n' "$line"
    done <"$1" >"$1.next"
    [ "$up" -gt 0 ] || sed -i 's/ down;/;/' "$1.next"
    if cmp -s "$1" "$1.next"; then rm -f "$1.next"; return 1; fi
    mv "$1.next" "$1"
}

while :; do
    place=0
    for file; do
        place=$((place + 1)) n=0
        for url in $(sed -n 's/.*# check \([^ ]*\).*/\1/p' "$file"); do
            n=$((n + 1))
            check "$place-$n" "$url" &
        done
    done
    wait
    place=0 changed=0
    for file; do
        place=$((place + 1))
        rewrite "$file" "$place" && changed=1
    done
    if [ "$changed" = 1 ]; then
        echo "servers changed: $(grep -h ' down;' "$@" | tr -s ' \n' ' ')"
        $RELOAD || echo "nginx could not be reloaded" >&2
    fi
    sleep 0.25
done
