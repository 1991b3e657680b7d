#!/bin/sh
# A supervisor: reads one request, and accepts the phase if the request says that its check passed. The check is told before
# the diff, so the first match counts. A real one would look at the changes, too.
told=$(grep -o 'The check ended with exit code [0-9]*' | sed -n 1p)
case "$told" in
    *' 0') action=COMPLETED why='The check passes.' ;;
    '') action=STUCK why='This phase has no check, so a person has to look.' ;;
    *) action=RETRY why='The check fails. Amounts are not exact as floating point numbers: use decimals.' ;;
esac
printf '{"action": "%s", "evidence_files": ["ledger.py"], "summary_for_supervisor": "%s"}\n' "$action" "$why"
