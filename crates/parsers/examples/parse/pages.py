"""Makes what the example `parse` reads: pages as scanners give them, tables, and pages of text.

    python3 pages.py FOLDER        needs reportlab, pillow and pymupdf

Everything comes of fixed seeds. Beside each file lies what was drawn: NAME.txt for scans, NAME.json for tables.
"""

import io
import json
import os
import random
import sys

import pymupdf
import reportlab
from PIL import Image, ImageFilter
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

WIDE, HIGH = A4
WHO = """The board|Our supplier in Bristol|Ms. Okafor|The tenant|Each regional office|The auditor|Dr. Lindqvist|
The second shift|A former employee|The insurance company|Mr. O'Brien|The committee on safety|Every visitor|
The harbour authority|The new owner|Professor Tanaka|The laboratory|A neighbour""".replace("\n", "").split("|")
DID = """has approved|will deliver|may refuse|rejected|is responsible for|shall return|asked for|reported|must keep|
measured|has not yet received|confirmed|paid for|intends to replace|described|inspected""".replace("\n", "").split("|")
WHAT = """the annual report|12 pallets of copper wire|a deposit of $1,250.00|the lease (see section 4.2)|
all invoices over 500 euros|the damaged pump|a pressure of 3.5 bar|the minutes of the meeting|two copies of the form|
"any equipment on site"|the keys to room B-17|the temperature in hall 6|a reduction of 7.5%|spare parts & tools|
the first draft|samples no. 14 to 29""".replace("\n", "").split("|")
WHEN = """before 30 June 2024|within ninety days|at the end of each quarter|on Monday, 3 March|without further notice|
as agreed in 2019|by e-mail to office@example.org|at 9:45 a.m.|during the winter|for a period of six months|
in accordance with article 12|unless the other party objects|after the inspection""".replace("\n", "").split("|")
THINGS = "Valve Gasket Bearing Hose Filter Sensor Cable Motor Bracket Panel Switch Pump Seal Shaft Relay Housing".split()
KINDS = "steel brass rubber copper large small spare used black white".split()
HEADS = "Item Material Quantity Price Weight Order Supplier Length Stock Rate Share Total".split()


def sentence(dice):
    return " ".join([dice.choice(WHO), dice.choice(DID), dice.choice(WHAT), dice.choice(WHEN)]) + "."


def paragraph(dice):
    return " ".join(sentence(dice) for _ in range(dice.randint(3, 5)))


def prose(canvas, x, y, wide, font, size, text):
    """Draws text in lines and gives where the next line would be."""
    canvas.setFont(font, size)
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and pdfmetrics.stringWidth(longer, font, size) > wide:
            canvas.drawString(x, y, line)
            y -= size * 1.25
            line = word
        else:
            line = longer
    canvas.drawString(x, y, line)
    return y - size * 1.25


def rows_of(dice, columns, rows):
    kinds = ["name"] + [dice.choice(["count", "money", "word", "share"]) for _ in range(columns - 1)]

    def cell(kind):
        if kind == "name":
            return " ".join(([dice.choice(KINDS)] if dice.random() < 0.5 else []) + [dice.choice(THINGS)])
        if kind == "count":
            return str(dice.randint(1, 9999))
        if kind == "money":
            return f"{dice.randint(1, 9999):,}.{dice.randint(0, 99):02}"
        if kind == "share":
            return f"{dice.randint(0, 99)}.{dice.randint(0, 9)}%"
        return dice.choice(KINDS)

    return [dice.sample(HEADS, columns)] + [[cell(kind) for kind in kinds] for _ in range(rows)]


def table(canvas, x, y, rows, look, font="Helvetica", bold="Helvetica-Bold", size=9.5, wide=450, right=False):
    """Draws a table and gives where it ends. `right` sets columns of numbers to their right edge."""
    columns, high = len(rows[0]), size * 1.9
    step = wide / columns
    numbers = [all(any(c.isdigit() for c in row[at]) for row in rows[1:]) for at in range(columns)]
    for at, row in enumerate(rows):
        canvas.setFont(bold if at == 0 else font, size)
        for column, cell in enumerate(row):
            base = y - high * at - size * 1.3
            if right and numbers[column]:
                canvas.drawRightString(x + step * (column + 1) - 4, base, cell)
            else:
                canvas.drawString(x + step * column + 4, base, cell)
    end = y - high * len(rows)
    canvas.setLineWidth(0.6)
    if look == "ruled":
        canvas.grid([x + step * at for at in range(columns + 1)], [y - high * at for at in range(len(rows) + 1)])
    elif look == "three-line":
        for at in (y, y - high, end):
            canvas.line(x, at, x + wide, at)
    return end


def fonts():
    folder = os.path.join(os.path.dirname(reportlab.__file__), "fonts")
    for name in ("Vera", "VeraBd", "VeraIt"):
        pdfmetrics.registerFont(TTFont(name, os.path.join(folder, name + ".ttf")))
    return ["Helvetica", "Times-Roman", "Vera", "Courier", "Times-Italic"]


def scans(to, names):
    for number in range(20):
        dice = random.Random(1000 + number)
        font, size = names[number % 5], [9, 10, 11, 12, 14][(number * 3 + number // 5) % 5]
        dots = [150, 200, 250, 300][number % 4]
        degrees = [0, 0.7, -1.5, 0, 2.5, -0.4, 0][number % 7]
        memory = io.BytesIO()
        canvas = Canvas(memory, pagesize=A4)
        said = [f"Report {number + 1}: {dice.choice(WHAT).strip(chr(34)).capitalize()}"]
        canvas.setFont("Helvetica-Bold", 17)
        canvas.drawString(70, HIGH - 80, said[0])
        y = HIGH - 115
        if number % 5 == 1:
            # Two columns, each read to its end.
            for x in (70, 312):
                z = y
                for _ in range(4):
                    said.append(paragraph(dice))
                    z = prose(canvas, x, z, 215, font, min(size, 10), said[-1]) - size
        else:
            for at in range(4):
                said.append(paragraph(dice))
                y = prose(canvas, 70, y, 455, font, size, said[-1]) - size
                if at == 1 and number % 5 == 3:
                    rows = rows_of(dice, dice.randint(3, 4), 6)
                    look = ["ruled", "three-line", "borderless"][number % 3]
                    y = table(canvas, 70, y, rows, look, font=font, size=size, wide=455) - size * 2.5
                    said += [cell for row in rows for cell in row]
        canvas.save()
        page = pymupdf.open(stream=memory.getvalue(), filetype="pdf")[0]
        pixels = page.get_pixmap(dpi=dots, colorspace=pymupdf.csGRAY)
        picture = Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)
        picture = picture.rotate(-degrees, resample=Image.BICUBIC, fillcolor=255)
        if number % 4 == 3:
            # Paper is not white, and a lens not sharp.
            picture = picture.filter(ImageFilter.GaussianBlur(0.7)).point(lambda grey: 25 + grey * 0.85)
        jpeg = io.BytesIO()
        picture.save(jpeg, "JPEG", quality=70)
        path = os.path.join(to, f"scan-{number + 1:02}")
        scan = Canvas(path + ".pdf", pagesize=A4)
        scan.drawImage(ImageReader(jpeg), 0, 0, WIDE, HIGH)
        scan.save()
        with open(path + ".txt", "w", encoding="utf-8") as out:
            out.write("\n".join(said))


def tables(to):
    for look in ("ruled", "three-line", "borderless"):
        for number in range(40):
            dice = random.Random(f"{look} {number}")
            rows = rows_of(dice, dice.randint(3, 6), dice.randint(4, 12))
            path = os.path.join(to, f"table-{look}-{number + 1:02}")
            canvas = Canvas(path + ".pdf", pagesize=A4)
            canvas.setFont("Helvetica-Bold", 15)
            canvas.drawString(70, HIGH - 80, "Parts in stock")
            times = number % 3 == 1
            font, bold = ("Times-Roman", "Times-Bold") if times else ("Helvetica", "Helvetica-Bold")
            y = prose(canvas, 70, HIGH - 110, 455, font, 10, paragraph(dice)) - dice.choice([8, 14, 22])
            y = table(canvas, 70, y, rows, look, font, bold, dice.choice([8, 9, 10]), 455, number % 2 == 1)
            prose(canvas, 70, y - 30, 455, font, 10, paragraph(dice))
            canvas.save()
            with open(path + ".json", "w", encoding="utf-8") as out:
                json.dump(rows, out)


def texts(to, pages=200):
    for name in ("plain", "mixed"):
        dice = random.Random(name)
        canvas = Canvas(os.path.join(to, f"text-{name}.pdf"), pagesize=A4)
        for page in range(pages):
            canvas.setFont("Helvetica-Bold", 14)
            canvas.drawString(70, HIGH - 70, f"Section {page + 1}")
            y = HIGH - 95
            if name == "mixed":
                y = table(canvas, 70, y, rows_of(dice, 4, 8), "ruled") - 25
            while y > 110:
                y = prose(canvas, 70, y, 455, "Times-Roman", 10.5, paragraph(dice)) - 8
            canvas.showPage()
        canvas.save()


if __name__ == "__main__":
    names = fonts()
    scans(sys.argv[1], names)
    tables(sys.argv[1])
    texts(sys.argv[1])
