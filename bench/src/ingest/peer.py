"""ONNX Runtime on the same weights: MODEL_FOLDER TEXTS.json. Prints vectors by CPU second, on one thread.

The best of batches of one, four and eight texts of about the same length; tokens are made before the clock starts.
"""

import json
import sys
import time

import numpy
import onnxruntime
import tokenizers

folder, texts = sys.argv[1:]
tokenizer = tokenizers.Tokenizer.from_file(f"{folder}/tokenizer.json")
tokenizer.no_padding()
tokenizer.enable_truncation(512)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = options.inter_op_num_threads = 1
session = onnxruntime.InferenceSession(
    f"{folder}/model.onnx", options, providers=["CPUExecutionProvider"]
)
wanted = {given.name for given in session.get_inputs()}
with open(texts, encoding="utf-8") as file:
    ids = sorted((tokenizer.encode(text).ids for text in json.load(file)), key=len)


def run(batch):
    longest = max(map(len, batch))
    tokens = numpy.zeros((len(batch), longest), dtype=numpy.int64)
    mask = numpy.zeros_like(tokens)
    for row, text in enumerate(batch):
        tokens[row, : len(text)] = text
        mask[row, : len(text)] = 1
    given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": numpy.zeros_like(tokens)}
    session.run(None, {name: value for name, value in given.items() if name in wanted})


best = 0.0
for size in (1, 4, 8):
    run(ids[:size])
    began = time.process_time()
    for first in range(0, len(ids), size):
        run(ids[first : first + size])
    best = max(best, len(ids) / (time.process_time() - began))
print(
    json.dumps(
        {
            "version": onnxruntime.__version__,
            "tokens": sum(map(len, ids)) / len(ids),
            "vectors_per_cpu_second": best,
        }
    )
)
