#!/bin/sh
# Tells a gateway that a reply is finished: reply_finished.sh FOLDER [TEXT]
#
# CODEAGENTS_PUSH_GATEWAY_BASE_URL and CODEAGENTS_PUSH_SECRET are those of the file that `pushgate enable` writes. It
# needs curl 7.76 or later. It prints the gateway's answer, and exits with another code than 0 if there is none, or an
# error.
set -eu

: "${CODEAGENTS_PUSH_GATEWAY_BASE_URL:?is not set}" "${CODEAGENTS_PUSH_SECRET:?is not set}"
folder=${1:?usage: reply_finished.sh FOLDER [TEXT]}
text=${2:-}

# Prints a text as the inside of a JSON string, with a space in place of each control character.
json() { printf '%s' "$1" | tr '\000-\037' ' ' | sed 's/["\\]/\\&/g'; }

# The secret goes through standard input: everyone on the machine can read a process's arguments.
printf 'Authorization: Bearer %s\n' "$CODEAGENTS_PUSH_SECRET" |
    curl --silent --show-error --fail-with-body --max-time 15 --write-out '\n' \
        --header @- --header 'Content-Type: application/json' \
        --data "{\"cwd\":\"$(json "$folder")\",\"message_preview\":\"$(json "$text")\"}" \
        "${CODEAGENTS_PUSH_GATEWAY_BASE_URL%/}/triggerReplyFinished"
