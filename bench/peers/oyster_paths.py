"""Writes a week of London's rail journeys as events, and squares of 2, 4 and 8 km as a hierarchy of stations.

Usage: oyster_paths.py DIRECTORY EVENTS HIERARCHY
A record is a journey: station and hour of its entry and of its exit. Stations are numbered by their first event, because
ties of the greedy choice go to the smaller place and the reference figures were made with that order.
"""
import csv
import gzip
import pathlib
import sys

source = pathlib.Path(sys.argv[1])
parts = sorted(source.glob("subwaytestfullweek.csv.a?.gz"))
text = b"".join(gzip.open(part).read() for part in parts).decode("utf-8", "replace")
stations, begun, journeys = {}, {}, 0
with open(sys.argv[2], "w") as out:
    out.write("subject,location,time\n")
    for line in text.splitlines():
        cells = line.split(",")
        if cells[2] == "BUSTRIP":
            continue
        place = (stations.setdefault(cells[5], len(stations)), cells[1][:2])
        if cells[2] == "BEGINTRIP":
            begun[cells[3]] = place
        elif cells[2] == "ENDTRIP" and cells[3] in begun:
            journeys += 1
            for station, hour in (begun.pop(cells[3]), place):
                out.write(f"{journeys},{station},{hour}\n")
at = {}
with open(source / "londonStations.csv", encoding="utf-8", errors="replace") as file:
    for row in list(csv.reader(file))[1:]:
        if len(row) > 2 and row[1].isdigit() and row[2].isdigit():
            at[row[0]] = (int(row[1]), int(row[2]))
with open(sys.argv[3], "w") as out:
    for name, number in stations.items():
        cells = [str(number)]
        for side in (2000, 4000, 8000):
            x, y = at.get(name, (None, None))
            cells.append(f"{side}:{x // side}.{y // side}" if x is not None else f"station {number}")
        out.write(",".join(cells) + "\n")
print(journeys)
