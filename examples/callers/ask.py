#!/usr/bin/env python3
"""Asks Consign about a code base, as any program can: an envelope goes in, an envelope comes out.

    python3 ask.py --repo ../project --question 'how does authentication work?'
    python3 ask.py --url http://127.0.0.1:4020 --token TOKEN --question 'how does authentication work?'

Without --url it starts `consign process`; CONSIGN names the binary where that is not on the path. With --url it asks
a `consign serve`, whose --repo counts. CONSIGN_TOKEN does in place of --token, and is not seen by others on the machine.

If Consign asks back, it asks you, and reads a line from standard input. Exits with 0 and the answer, with 1 and an
error, or with 43 when Consign asks and nobody answers. Python 3.8 or newer, nothing else.
"""

import argparse
import datetime
import json
import os
import secrets
import subprocess
import sys
import urllib.error
import urllib.request


class Refused(Exception):
    """There is no envelope to go on with: a code, and a sentence."""

    def __init__(self, code, message):
        super().__init__("error[{}]: {}".format(code, message))


class Consign:
    """Takes envelopes as far as they go. It keeps nothing: the envelope is the whole state."""

    def __init__(self, repo=".", url=None, token=None, binary="consign"):
        self.repo, self.url, self.token, self.binary = repo, url, token, binary

    def process(self, envelope):
        return self._by_http(envelope) if self.url else self._by_pipe(envelope)

    def _by_pipe(self, envelope):
        command = [self.binary, "process", "--repo", self.repo]
        try:
            done = subprocess.run(
                command, input=json.dumps(envelope).encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as cause:
            raise Refused("NOT_STARTED", "could not start {}: {}".format(self.binary, cause))
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            raise Refused("NO_ANSWER", done.stderr.decode(errors="replace").strip() or "nothing was said")
        # Exit code 0 is an envelope, whatever became of it, and 1 is {"errors": […]}.
        if done.returncode in (130, 143):
            raise Refused("STOPPED", "consign was told to stop")
        if done.returncode != 0:
            first = answer["errors"][0]
            raise Refused(first["error_type"], first["message"])
        return answer

    def _by_http(self, envelope):
        try:
            request = urllib.request.Request(
                self.url.rstrip("/") + "/api/v1/process",
                data=json.dumps(envelope).encode(),
                headers={"Content-Type": "application/json", "Authorization": "Bearer {}".format(self.token)},
            )
            with urllib.request.urlopen(request, timeout=120) as response:
                return json.load(response)
        except urllib.error.HTTPError as refused:
            try:
                error = json.load(refused)["error"]
            except (ValueError, KeyError):
                raise Refused("HTTP_{}".format(refused.code), refused.reason)
            raise Refused(error["code"], error["message"])
        except (OSError, ValueError) as cause:
            raise Refused("NO_ANSWER", "{}: {}".format(self.url, getattr(cause, "reason", cause)))


def new_envelope(question, user="anonymous"):
    """What a question needs at least. Everything else gets its default."""
    return {
        "envelope_id": "env_" + secrets.token_hex(8),
        "request_id": "req_" + secrets.token_hex(8),
        "session_id": "sess_" + secrets.token_hex(8),
        "user_id": user,
        "raw_input": question,
        "received_at": datetime.datetime.now(datetime.timezone.utc).isoformat(),
        "outputs": {},
        "current_stage": "start",
        "terminated": False,
    }


def reply(question):
    """Asks whoever sits there. None if nobody does."""
    print(question, file=sys.stderr)
    print("> ", end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    return line.strip() if line else None


def ask(consign, question):
    """Goes on until there is an answer, and answers what Consign asks on the way. None if nobody answers that."""
    envelope = consign.process(new_envelope(question))
    while not envelope["terminated"]:
        if envelope["clarification_pending"]:
            said = reply(envelope["clarification_question"])
            if not said:
                return None
            envelope["clarification_response"] = said
        elif envelope["confirmation_pending"]:
            said = reply(envelope["confirmation_message"] + " [y/n]")
            if not said:
                return None
            envelope["confirmation_response"] = said.lower() in ("y", "yes")
        envelope = consign.process(envelope)
    return envelope


def show(envelope):
    answer = envelope["outputs"]["integration"]
    print(answer["final_response"])
    citations = answer.get("citations", [])
    if citations:
        print("\nSources")
    for citation in citations:
        print("  {}  {}".format(citation["location"], citation["text"].strip()))


def main():
    parser = argparse.ArgumentParser(description="Asks Consign about a code base.")
    parser.add_argument("--question", required=True)
    parser.add_argument("--repo", default=".", help="the repository, without --url")
    parser.add_argument("--url", help="where `consign serve` listens")
    parser.add_argument("--token", default=os.environ.get("CONSIGN_TOKEN"), help="the token that it printed")
    args = parser.parse_args()
    if args.url and not args.url.startswith(("http://", "https://")):
        parser.error("--url is where `consign serve` listens, such as http://127.0.0.1:4020")
    if args.url and not args.token:
        parser.error("--url needs --token, or CONSIGN_TOKEN")
    consign = Consign(args.repo, args.url, args.token, os.environ.get("CONSIGN", "consign"))
    try:
        envelope = ask(consign, args.question)
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    if envelope is None:
        print("nobody answered", file=sys.stderr)
        return 43
    if envelope["terminal_reason"] != "completed_successfully":
        print("{}: {}".format(envelope["terminal_reason"], envelope["termination_reason"]), file=sys.stderr)
        for error in envelope["errors"]:
            print("  {}: {} ({})".format(error["agent"], error["message"], error["error_type"]), file=sys.stderr)
        return 1
    show(envelope)
    return 0


if __name__ == "__main__":
    sys.exit(main())
