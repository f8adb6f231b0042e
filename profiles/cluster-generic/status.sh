#!/bin/sh
# What became of job $1: success, failed or running. Asked of the queue, then of the accounts; a job of which neither
# says anything counts as running.
state=$(squeue --noheader --states=all --jobs="$1" --format=%T 2>/dev/null | head -n 1)
[ -n "$state" ] || state=$(sacct --noheader --allocations --jobs="$1" --format=State%20 2>/dev/null | head -n 1)
case $state in
    *COMPLETED*) echo success ;;
    *FAIL* | *CANCELLED* | *TIMEOUT* | *OUT_OF_ME* | *DEADLINE*) echo failed ;;
    *) echo running ;;
esac
