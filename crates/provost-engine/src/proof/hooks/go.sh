#!/bin/sh
case $1 in
*.test) ;;
*) exec "$@" ;;
esac
out='@RECORD@'/go-$$.gotest
# The package of the root has the name of its folder.
case $PWD in
'@ROOT@'/*) unit=${PWD#'@ROOT@'/} ;;
*) unit=${PWD##*/} ;;
esac
echo "# unit $unit" >"$out"
{
    "$@" -test.v=true
    echo $? >"$out.rc"
} | tee -a "$out"
read -r rc <"$out.rc"
exit "$rc"
