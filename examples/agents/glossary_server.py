"""An MCP server with one tool, in the standard library alone: JSON-RPC 2.0, a message a line."""

import json
import sys

WORDS = {
    "journal": "all that happened in a run, in order",
    "contract": "a schema that a document is held to",
}

TOOL = {
    "name": "look_up",
    "description": "Says what a word means here.",
    "inputSchema": {
        "type": "object",
        "required": ["word"],
        "properties": {"word": {"type": "string"}},
    },
}


def call(params: dict) -> dict:
    word = params.get("arguments", {}).get("word", "")
    if word not in WORDS:
        # A tool that fails says so in its result; an error of the protocol is something else.
        text = f"there is no word {word!r}; there are {', '.join(WORDS)}"
        return {"content": [{"type": "text", "text": text}], "isError": True}
    found = {"word": word, "meaning": WORDS[word]}
    return {
        "content": [{"type": "text", "text": json.dumps(found)}],
        "structuredContent": found,
    }


def answer(method: str, params: dict) -> dict:
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "glossary", "version": "1.0"},
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call" and params.get("name") == TOOL["name"]:
        return call(params)
    raise LookupError(method)


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue  # a notification wants no answer
        reply = {"jsonrpc": "2.0", "id": message["id"]}
        method, params = message.get("method", ""), message.get("params") or {}
        try:
            reply["result"] = answer(method, params)
        except LookupError:
            unknown = -32602 if method == "tools/call" else -32601
            reply["error"] = {"code": unknown, "message": f"there is no {method} of that name"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
