"""Turns CIFAR-10 as a package of PNG sheets holds it into the official binary files.

    convert_cifar10.py PACKAGE OUT

A sheet is 10000 rows of 1024 pixels: row i is image i, pixel j its row j // 32 and column j % 32. The labels of the
five training batches are one JSON list. A binary record is the label and the red, green and blue planes.
"""
import json
import pathlib
import sys

import numpy as np
from PIL import Image

Image.MAX_IMAGE_PIXELS = None


def records(sheet, labels):
    pixels = np.asarray(Image.open(sheet).convert("RGB"))
    if pixels.shape != (len(labels), 1024, 3):
        sys.exit(f"{sheet}: {pixels.shape}; expected {len(labels)} rows of 1024 pixels")
    planes = pixels.transpose(0, 2, 1).reshape(len(labels), 3072)
    return np.concatenate([np.asarray(labels, np.uint8)[:, None], planes], axis=1)


def main(package, out):
    package, out = pathlib.Path(package), pathlib.Path(out)
    train = json.loads((package / "train_lables.json").read_text())  # the package spells it so
    test = json.loads((package / "test_lables.json").read_text())
    for batch in range(5):
        labels = train[10000 * batch : 10000 * (batch + 1)]
        name = f"data_batch_{batch + 1}"
        records(package / f"{name}.png", labels).tofile(out / f"{name}.bin")
    records(package / "test_batch.png", test).tofile(out / "test_batch.bin")


main(*sys.argv[1:])
