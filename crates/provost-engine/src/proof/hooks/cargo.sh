#!/bin/sh
case $1 in
*/deps/*) ;;
*) exec "$@" ;;
esac
for word in "$@"; do
    [ "$word" = --list ] && exec "$@"
done
binary=$1
shift
left=$#
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    case $word in
    -q | --quiet) ;;
    *) set -- "$@" "$word" ;;
    esac
done
unit=${binary##*/}
out='@RECORD@'/cargo-$$.libtest
echo "# unit ${CARGO_PKG_NAME}/${unit%-*}" >"$out"
{
    "$binary" "$@"
    echo $? >"$out.rc"
} | tee -a "$out"
read -r rc <"$out.rc"
exit "$rc"
