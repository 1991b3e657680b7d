"""Shortens a text: for each time that the critic was not content, one more sentence goes.

Reads {"text": text, "feedback": [text]} and writes {"text": text, "words": n}. What goes first is the sentence whose
words the rest of the text says least often.
"""

import collections
import json
import re
import sys

given = json.load(sys.stdin)
sentences = re.findall(r"[^.!?]+[.!?]", given["text"])


def words(text):
    return re.findall(r"[^\W\d_]+", text.lower())


counts = collections.Counter(words(given["text"]))


def weight(sentence):
    own = words(sentence)
    return sum(counts[word] for word in own) / len(own)


for _ in given["feedback"]:
    if len(sentences) > 1:
        sentences.remove(min(sentences, key=weight))
text = " ".join(sentence.strip() for sentence in sentences)
json.dump({"text": text, "words": len(text.split())}, sys.stdout)
