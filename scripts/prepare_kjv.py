#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts the King James Bible into training samples for the character model.

    python prepare_kjv.py DATA.safetensors

Reads the text from Debian's program `bible` (package bible-kjv). DATA gets `tokens` and
`target`, int64 [N, 64]: what is read, and the same text one character later.
"""
import argparse
import os
import subprocess

import numpy as np
from safetensors.numpy import save_file

WINDOW = 64
VERSES = 31102
# The characters of the text, by token. The model's 63 embeddings are in this order.
CHARACTERS = "\n !'(),-.:;?ABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnopqrstuvwxyz"


def encode(text):
    strange = set(text) - set(CHARACTERS)
    if strange:
        raise SystemExit(f"the model does not know the characters {sorted(strange)}")
    token_of = {character: token for token, character in enumerate(CHARACTERS)}
    return np.array([token_of[character] for character in text], np.int64)


def decode(tokens):
    return "".join(CHARACTERS[token] for token in tokens)


def read_text():
    """The whole text, a verse a line, without chapter and verse numbers."""
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    printed = subprocess.run(
        ["bible", "-f", "gen1:1-rev22:21"], check=True, stdout=subprocess.PIPE, env=environment
    ).stdout.decode("latin-1")
    lines = printed.splitlines()
    if len(lines) != VERSES:
        raise SystemExit(f"bible: expected {VERSES} verses, one a line, found {len(lines)} lines")
    return "".join(line.partition(" ")[2] + "\n" for line in lines)


def windows(tokens):
    """Samples that follow each other without overlap."""
    count = (len(tokens) - 1) // WINDOW
    shape = (count, WINDOW)
    end = count * WINDOW
    return {"tokens": tokens[:end].reshape(shape), "target": tokens[1 : end + 1].reshape(shape).copy()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", help="the file to write")
    arguments = parser.parse_args()
    samples = windows(encode(read_text()))
    # An interrupted run leaves no half-written file under the name.
    save_file(samples, arguments.data + ".tmp")
    os.replace(arguments.data + ".tmp", arguments.data)
    print(f"{arguments.data}: {len(samples['tokens'])} samples of {WINDOW} characters")


if __name__ == "__main__":
    main()
