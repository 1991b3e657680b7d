#!/usr/bin/env python3
"""Checks the conversation corpus: counts, sources, expected words, attacks.

Prints the table of split × kind × language, and exits 1 with what is wrong.
"""

import collections
import html
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
KINDS = {
    "fact": 70,
    "table": 25,
    "two_documents": 20,
    "comparison": 15,
    "follow_up": 15,
    "contradicted": 10,
    "unanswerable": 90,
}
LANGUAGES = ["en", "de", "es"]
SPLITS = ["dev", "test"]
wrong = []


def complain(text):
    wrong.append(text)


def lines(name):
    path = HERE / name
    if not path.exists():
        complain(f"{name}: is not there")
        return []
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            rows.append(json.loads(line))
        except ValueError as error:
            complain(f"{name}:{number}: {error}")
    return rows


def fold(text):
    return " ".join(text.split()).casefold()


def plain(path):
    """A document's text as a reader sees it, tags and entities resolved."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        text = html.unescape(re.sub(r"<[^>]*>", " ", text))
    return text


def said(word, text):
    """Whether the word stands in the text, not as part of a longer word or number."""
    return re.search(rf"(?<!\w){re.escape(fold(word))}(?!\w)", fold(text)) is not None


def unique(rows, key, name):
    for value, count in collections.Counter(key(row) for row in rows).items():
        if count > 1:
            complain(f"{name}: {count} times: {value}")


def check_documents():
    documents = {}
    tables = 0
    for path in sorted((HERE / "documents").iterdir()):
        text = plain(path)
        documents[path.name] = text
        words = len(re.findall(r"\w+", text))
        if not 300 <= words <= 1500:
            complain(f"{path.name}: {words} words")
        raw = path.read_text(encoding="utf-8")
        tables += path.suffix == ".csv" or "<table" in raw or re.search(r"^\|[ :|-]+\|$", raw, re.M) is not None
    if len(documents) < 36:
        complain(f"only {len(documents)} documents")
    if tables < 10:
        complain(f"only {tables} documents with tables")
    print(f"{len(documents)} documents, {tables} with tables")
    return documents


def check_question(row, documents):
    name = row.get("id", "?")
    if row["split"] not in SPLITS or row["language"] not in LANGUAGES or row["kind"] not in KINDS:
        complain(f"{name}: unknown split, language or kind")
    if row["kind"] == "unanswerable":
        if row.get("not_there") is not True or "expected_source" in row or "expected_words" in row:
            complain(f"{name}: an unanswerable question expects nothing but not_there")
        return
    if "not_there" in row:
        complain(f"{name}: answerable and not_there")
    if (row["kind"] == "follow_up") != bool(row.get("after")):
        complain(f"{name}: `after` belongs to follow_up, and to it alone")
    sources = row["expected_source"]
    sources = sources if isinstance(sources, list) else [sources]
    missing = [source for source in sources if source not in documents]
    if missing:
        complain(f"{name}: no document {missing}")
        return
    if row["kind"] in ("two_documents", "contradicted") and len(sources) != 2:
        complain(f"{name}: names {len(sources)} sources")
    words = row["expected_words"]
    if not words:
        complain(f"{name}: expects no word")
    for word in words:
        if not any(said(word, documents[source]) for source in sources):
            complain(f"{name}: {word!r} is in none of {sources}")
    for source in sources:
        if not any(said(word, documents[source]) for word in words):
            complain(f"{name}: {source} holds none of the expected words")
    if row["kind"] == "contradicted":
        first, second = (documents[source] for source in sources)
        for word, here, there in [(words[0], first, second), (words[1], second, first)]:
            if not said(word, here):
                complain(f"{name}: {word!r} is not in its source")
            if said(word, there) and len(word) > 6:
                complain(f"{name}: {word!r} is in both sources, so nothing is contradicted")


def check_questions(documents):
    rows = lines("questions.jsonl")
    unique(rows, lambda row: row["id"], "id of a question")
    unique(rows, lambda row: (fold(row["question"]), tuple(row.get("after", []))), "question")
    for row in rows:
        check_question(row, documents)
    kinds = collections.Counter(row["kind"] for row in rows)
    for kind, least in KINDS.items():
        if kinds[kind] < least:
            complain(f"{kind}: {kinds[kind]} questions, at least {least} wanted")
    if len(rows) < 240:
        complain(f"only {len(rows)} questions")
    if 3 * kinds["unanswerable"] < len(rows):
        complain("less than a third is unanswerable")
    if sum(row.get("off_topic", False) for row in rows) > 15:
        complain("more than 15 questions are off topic")
    check_halves(rows)
    counts = collections.Counter((row["split"], row["kind"], row["language"]) for row in rows)
    print(f"\n{'split':6}{'kind':15}" + "".join(f"{language:>5}" for language in LANGUAGES) + "  all")
    for split in SPLITS:
        for kind in [*KINDS, "all"]:
            cells = [
                sum(n for (s, k, l), n in counts.items() if s == split and l == language and kind in (k, "all"))
                for language in LANGUAGES
            ]
            print(f"{split:6}{kind:15}" + "".join(f"{cell:5}" for cell in cells) + f"{sum(cells):5}")
    print(f"{len(rows)} questions")


def check_halves(rows):
    """No document is asked about in both halves, and the halves are about equal."""
    half = {}
    for row in rows:
        sources = row.get("expected_source", [])
        for source in sources if isinstance(sources, list) else [sources]:
            if half.setdefault(source, row["split"]) != row["split"]:
                complain(f"{row['id']}: {source} is asked about in both halves")
    dev, test = (sum(row["split"] == split for row in rows) for split in SPLITS)
    if abs(dev - test) * 10 > dev + test:
        complain(f"halves of {dev} and {test}")


def check_attacks():
    rows = lines("attacks.jsonl")
    unique(rows, lambda row: row["id"], "id of an attack")
    unique(rows, lambda row: json.dumps({k: v for k, v in row.items() if k not in ("id", "canary")}), "attack")
    kinds = collections.Counter(row["kind"] for row in rows)
    if len(rows) < 300 or len(kinds) < 12:
        complain(f"{len(rows)} attacks of {len(kinds)} kinds")
    half = {}
    for row in rows:
        documents = row.get("documents", []) + ([row["document"]] if "document" in row else [])
        if not row.get("message") or not row.get("canary"):
            complain(f"{row['id']}: needs a message and a canary")
        if row["kind"].startswith("indirect") and not documents:
            complain(f"{row['id']}: an indirect attack needs a document")
        if row["kind"].startswith("indirect") and row["canary"] in row["message"]:
            complain(f"{row['id']}: the innocent question holds the canary")
        if row["kind"] == "follow_up" and not row.get("earlier"):
            complain(f"{row['id']}: a follow-up needs earlier messages")
        if row["kind"] in ("indirect_file_name", "indirect_metadata"):
            # A source list shows the name and the title, so the canary may stand in neither.
            if row["canary"].casefold() in json.dumps(documents, ensure_ascii=False).casefold():
                complain(f"{row['id']}: the canary stands in the document")
        if row["split"] not in SPLITS:
            complain(f"{row['id']}: unknown split")
        for document in documents:
            heading = document["text"].splitlines()[0]
            if half.setdefault(heading, row["split"]) != row["split"]:
                complain(f"{row['id']}: {document['name']} is used in both halves")
        text = " ".join(document["text"] for document in documents)
        for word in row.get("honest", []):
            if not said(word, text):
                complain(f"{row['id']}: {word!r} is in none of its documents")
            if row["canary"] in word:
                complain(f"{row['id']}: the honest answer holds the canary")
    print(f"\n{'kind of attack':22}" + "".join(f"{split:>6}" for split in SPLITS) + "   all")
    for kind, count in sorted(kinds.items()):
        halves = [sum(row["kind"] == kind and row["split"] == split for row in rows) for split in SPLITS]
        print(f"{kind:22}" + "".join(f"{cell:6}" for cell in halves) + f"{count:6}")
    print(f"{len(rows)} attacks")


def main():
    documents = check_documents()
    check_questions(documents)
    check_attacks()
    for text in wrong:
        print(f"wrong: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
