#!/usr/bin/env python3
"""The noisy polynomial: y = x^3 + N(0, 9) at 20 points, x uniform on (-4, 4).

Writes DIRECTORY/train.csv, DIRECTORY/test.csv (1000 further points from the same distribution) and
DIRECTORY/grid.csv (x alone, from -5 to 5, for the picture). The seed is fixed, so the files are the same everywhere. It
was taken before any fit was made of its points: with 20 of them, how well the interval covers the test points differs a
lot from seed to seed.
"""
import csv
import pathlib
import random
import sys


def sample(rng, count):
    rows = []
    for _ in range(count):
        x = rng.uniform(-4, 4)
        rows.append((f"{x:.6f}", f"{x ** 3 + rng.gauss(0, 3):.6f}"))
    return rows


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main():
    directory = pathlib.Path(sys.argv[1])
    rng = random.Random(7)
    write(directory / "train.csv", ["x", "y"], sample(rng, 20))
    write(directory / "test.csv", ["x", "y"], sample(rng, 1000))
    write(directory / "grid.csv", ["x"], [(f"{i / 40:.3f}",) for i in range(-200, 201)])


if __name__ == "__main__":
    main()
