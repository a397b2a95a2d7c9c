#!/usr/bin/env python3
"""Invented sales of houses, for the session that README.md shows.

    make_data.py DIRECTORY

Writes houses.csv (300 sales), sold.csv (100 further ones from the same distribution) and new.csv (three houses without
a price). Prices are in thousands; a twentieth of the years of building is missing. The seed is fixed, so the files are
the same everywhere.
"""
import csv
import pathlib
import random
import sys

DISTRICTS = {"Centre": 1.35, "Harbour": 1.15, "North": 0.95, "Hills": 1.05}
HEADER = ["id", "area", "rooms", "built", "district", "garden", "price"]


def sale(rng, number):
    area = rng.uniform(45, 190)
    rooms = max(1, round(area / 32 + rng.gauss(0, 0.7)))
    built = rng.randint(1900, 2020)
    district = rng.choice(list(DISTRICTS))
    garden = rng.choice(["yes", "no"])
    old = abs(built - 1960) / 60  # both the old houses and the new ones are dear
    price = 60 + DISTRICTS[district] * (1.9 * area + 8 * rooms + 45 * old ** 2)
    if garden == "yes":
        price += 15 if district == "Centre" else 30
    year = "" if rng.random() < 0.05 else built
    return [number, round(area), rooms, year, district, garden, f"{price + rng.gauss(0, 18):.0f}"]


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    rng = random.Random(1)
    write(directory / "houses.csv", HEADER, [sale(rng, 1 + i) for i in range(300)])
    write(directory / "sold.csv", HEADER, [sale(rng, 301 + i) for i in range(100)])
    write(directory / "new.csv", HEADER[:-1], [[401, 72, 3, 1931, "Centre", "no"], [402, 120, 4, "", "Hills", "yes"],
                                               [403, 260, 7, 2015, "North", "yes"]])


if __name__ == "__main__":
    main()
