"""Writes the MSNBC sessions as whole paths: repeats collapsed, time = position, the first 24 positions.

Usage: msnbc_paths.py ARCHIVE FILE
The status is one of five values drawn by a fixed generator, as Al-Hussaeni 2009 draws its sensitive attribute at random.
"""
import sys
import zipfile

archive = zipfile.ZipFile(sys.argv[1])
text = archive.read(archive.namelist()[0]).decode("ascii")
state = 42
with open(sys.argv[2], "w") as out:
    out.write("path,status\n")
    for line in text.split("\n")[7:]:
        pages = line.split()
        if not pages:
            continue
        kept = [page for at, page in enumerate(pages) if at == 0 or page != pages[at - 1]]
        path = ">".join(f"{page}@{at + 1}" for at, page in enumerate(kept[:24]))
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        out.write(f"{path},{(state >> 33) % 5}\n")
