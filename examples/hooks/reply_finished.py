#!/usr/bin/env python3
"""Tells a gateway that a reply is finished: reply_finished.py FOLDER [TEXT]

CODEAGENTS_PUSH_GATEWAY_BASE_URL and CODEAGENTS_PUSH_SECRET are those of the file that `pushgate enable` writes. It
needs nothing but Python. A daemon in Python imports `reply_finished`.
"""

import json
import os
import sys
import urllib.error
import urllib.request

SECONDS = 15


def reply_finished(folder: str, text: str = "") -> dict:
    """Returns the gateway's answer, in which `attempted` is the number of devices.

    Raises:
        OSError: The gateway cannot be reached, or does not accept the report. An `HTTPError` has its answer.
    """
    request = urllib.request.Request(
        os.environ["CODEAGENTS_PUSH_GATEWAY_BASE_URL"].rstrip("/") + "/triggerReplyFinished",
        data=json.dumps({"cwd": folder, "message_preview": text}).encode(),
        headers={
            "Authorization": "Bearer " + os.environ["CODEAGENTS_PUSH_SECRET"], "Content-Type": "application/json",
        })
    with urllib.request.urlopen(request, timeout=SECONDS) as answer:
        return json.load(answer)


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print("usage: reply_finished.py FOLDER [TEXT]", file=sys.stderr)
        return 64
    try:
        print(json.dumps(reply_finished(*sys.argv[1:])))
    except urllib.error.HTTPError as error:
        print(f"the gateway answers {error.code}: {error.read().decode(errors='replace')}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"the gateway cannot be reached: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
