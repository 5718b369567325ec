#!/bin/sh
case $1 in
*.test) ;;
*) exec "$@" ;;
esac
out='@RECORD@'/go-$$.gotest
echo "# unit ${PWD#'@ROOT@'/}" >"$out"
{
    "$@" -test.v=true
    echo $? >"$out.rc"
} | tee -a "$out"
read -r rc <"$out.rc"
exit "$rc"
