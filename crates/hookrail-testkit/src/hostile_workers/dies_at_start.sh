#!/bin/sh
# Dies before it reads anything.
echo "no configuration" >&2
exit 3
