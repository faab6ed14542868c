#!/bin/sh
# Never answers and does not end when asked to.
trap '' TERM
read -r _
while :; do sleep 1; done
