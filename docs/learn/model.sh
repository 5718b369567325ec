#!/bin/sh
# A model that passes everything until a rule tells it when not to.
question=$(cat)
answer() { printf '{"text":"%s"}' "$1"; }
keys() {
    printf '%s' "$question" | grep -o 'ticket_key: \\"[^\\]*' | sed 's/.*"//; s/.*/\\"&\\"/' | paste -s -d , -
}
case $question in
*decision_analysis*)
    stop=
    case $question in *odd-1::fail*) stop='\"odd-1::fail\"' ;; esac
    answer "{\\\"no_evidence_group_ids\\\": [$stop], \\\"decision_analysis\\\": \\\"nothing tells it from those that pass\\\"}" ;;
*evidence_analysis*)
    answer "{\\\"has_evidence\\\": true, \\\"evidence_analysis\\\": \\\"no test ran\\\", \\\"operations\\\": [{\\\"op\\\": \\\"add\\\", \\\"key\\\": null, \\\"text\\\": \\\"If the log shows a build and no test, then fail.\\\", \\\"rationale\\\": \\\"untested work\\\", \\\"evidence\\\": [$(keys)], \\\"merged_from\\\": null}], \\\"hypotheses\\\": [{\\\"text\\\": \\\"If the log ends before the build is done, then fail.\\\", \\\"falsifier\\\": \\\"A case with a cut log is labelled pass.\\\", \\\"dimension\\\": \\\"log\\\", \\\"evidence\\\": [$(keys)]}]}" ;;
*'shows a build and no test'*'build only'*)
    answer 'Reason: the log has a build and nothing else\nVerdict: fail' ;;
*) answer 'Reason: the log shows that it works\nVerdict: pass' ;;
esac
