"""Reading tables. Expected cells: read off the small tables written here, by eye."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from findlib.checks import doc, grid, numbers


def shape(text: str) -> list[list[tuple[str, list[str | None]]]]:
    """Labels and cell texts of every table; checks that every cell is verbatim."""
    found = []
    for table in doc.read(text).tables:
        for row in (*table.header_rows, *table.rows):
            for cell in [c for c in row.cells if c] + list(row.loose):
                assert text[cell.start : cell.end] == cell.text
                assert row.start <= cell.start <= cell.end <= row.end
        found.append([(r.label, [c.text if c else None for c in r.cells]) for r in table.rows])
    return found


@pytest.mark.parametrize(
    ("text", "value", "decimals"),
    [
        ("(1,234)", -1234, 0), ("$ (1,234.50 )", -1234.5, 2), ("−3", -3, 0), ("-3", -3, 0),
        ("–0.5%", -0.5, 1), ("(12.5)%", -12.5, 1), ("12.5 %", 12.5, 1), ("$1,234", 1234, 0),
        ("US$ 5", 5, 0), (".0173", 0.0173, 4), ("1 234 567", 1234567, 0), ("(1,597", -1597, 0),
        ("1,234 (a)", 1234, 0), ("12*", 12, 0), ("3", 3, 0), ("-$5", -5, 0), ("$-5", -5, 0),
    ],
)  # fmt: skip
def test_numbers(text, value, decimals):
    number = numbers.parse(text)
    assert number is not None
    assert (number.value, number.decimals) == (value, decimals)


@pytest.mark.parametrize("text", ["", "up 3", "3 of 4", "1,23", "12-15", "1.2.3", "Q3", "3rd", "("])
def test_not_numbers(text):
    assert numbers.parse(text) is None


def test_dash_is_a_number_and_blank_is_none():
    [table] = doc.read("|a|—|1|\n|b||2|\n|c|0|3|").tables
    dash = table.number(0, 0)
    assert dash is not None
    assert dash.dash
    assert dash.value == 0
    assert table.number(1, 0) is None
    zero = table.number(2, 0)
    assert zero is not None
    assert not zero.dash


def test_split_signs_are_one_column():
    text = (
        "|Operating loss| |$|(1,412|)| |$|(987|)|\n|Interest|||(231|)|||(198|)|\n"
        "|Other|||64||||51||\n|Total loss before taxes||$|(1,597|)||$|(1,134|)|"
    )
    [rows] = shape(text)
    assert rows == [
        ("Operating loss", ["(1,412", "(987"]),
        ("Interest", ["(231", "(198"]),
        ("Other", ["64", "51"]),
        ("Total loss before taxes", ["(1,597", "(1,134"]),
    ]
    [table] = doc.read(text).tables
    assert [table.number(i, 0).value for i in range(4)] == [-1412, -231, 64, -1597]


def test_currency_in_the_column_of_the_numbers_without_it():
    text = "|Products| | |$|60,584| | | | |$|63,355|\n|Services| | |21,213| | | | | |19,604| |"
    assert shape(text) == [[("Products", ["60,584", "63,355"]), ("Services", ["21,213", "19,604"])]]


def test_percent_in_its_own_cell_and_headers_over_columns():
    text = (
        "| | 2023 | 2022 | Change | |\n|---|---|---|---|---|\n|Retail|4,120|4,000|120|3 %|\n"
        "|Group|2,310|2,200|110|5|"
    )
    [table] = doc.read(text).tables
    assert table.headers == ("2023", "2022", "Change", "Change")
    assert table.number(0, 3).percent
    assert [r.label for r in table.rows] == ["Retail", "Group"]


def test_blank_header_rows():
    assert shape("|  |  |\n| --- | --- |\n|  |  |\n| a | 1 |\n| b | 2 |") == [
        [("a", ["1"]), ("b", ["2"])]
    ]


def test_stacked_headers_make_two_tables():
    text = "| |2023|2022|\n|a|1|2|\n|b|3|4|\n| |2021|2020|\n|a|5|6|\n|b|7|8|"
    tables = doc.read(text).tables
    assert [t.headers for t in tables] == [("2023", "2022"), ("2021", "2020")]


def test_bare_pipes_and_labels_that_hold_the_first_number():
    text = "Total 48,210|47,655|555\nGoods 9,115|9,045|70\nServices 39,095|38,610|485\n"
    assert shape(text)[0][1] == ("Goods", ["9,115", "9,045", "70"])
    blanks = (
        "Opening 5,120|(1,300)|(412)|3,408\nOCI ||37|37\nRepurchases |(410)||(410)\nEnd 1|2|3|4"
    )
    assert shape(blanks)[0][1] == ("OCI", [None, None, "37", "37"])


def test_html_with_spans():
    text = (
        "Revenue by region\n<table><tr><th rowspan=2>Region</th><th colspan='2'>2023</th></tr>"
        "<tr><th>Q1</th><th>Q2</th></tr><tr><td>North<td><b>1,200</b></td><td>&#8212;</td></tr>"
        "<tr><td>South</td><td>(3)</td><td>&nbsp;4&nbsp;</td></tr></table>"
    )
    [table] = doc.read(text).tables
    assert table.headers == ("2023 Q1", "2023 Q2")
    assert shape(text) == [[("North", ["1,200", "&#8212;"]), ("South", ["(3)", "4"])]]
    assert table.number(0, 1).dash
    assert table.title == ("Revenue by region",)


def test_latex():
    text = (
        r"\begin{tabular}{l r@{.}l r}\hline & \multicolumn{2}{c}{\textit{Group}} \\ \cline{2-3}"
        "\n& Yes & No & All \\\\\n\\textbf{Old} & 1{,}154 & $-3$ & \\$12 \\\\[2pt] % note & 9\n"
        "New & 5 \\% & 6 & 7 \\\\\n\\end{tabular}"
    )
    [table] = doc.read(text).tables
    assert [r.label for r in table.rows] == ["Old", "New"]
    assert [table.number(0, i).value for i in range(3)] == [1154, -3, 12]
    assert table.number(1, 0).percent
    assert table.headers == ("Group Yes", "Group No", "All")


def test_plain_text_columns():
    text = (
        "Assets\n\n                            2023      2022\n"
        "Cash ............ $        1,000   $   900\n"
        "Receivables, net ......       20         -\n"
        "Goodwill                                 7\n"
        "  Total assets             1,020       907\n"
    )
    [table] = doc.read(text).tables
    assert table.kind == "text"
    assert table.headers == ("2023", "2022")
    assert shape(text) == [[
        ("Assets", [None, None]), ("Cash", ["1,000", "900"]), ("Receivables, net", ["20", "-"]),
        ("Goodwill", [None, "7"]), ("Total assets", ["1,020", "907"]),
    ]]  # fmt: skip
    assert [r.indent for r in table.rows] == [0, 0, 0, 0, 2]


def test_a_row_whose_columns_cannot_be_told_is_loose():
    text = "Cash 1,000 900\nReceivables 20 30\nGoodwill 7\nTotal 1,027 930\n"
    [table] = doc.read(text).tables
    goodwill = table.rows[2]
    assert goodwill.cells == (None, None)
    assert [c.text for c in goodwill.loose] == ["7"]


def test_prose_is_no_table():
    text = (
        "In 2021 we sold 5\nof the 17 units to 30\nbuyers; the price was 40\nand we kept 12\n" * 3
    )
    assert doc.read(text).tables == ()


@pytest.mark.parametrize(
    "text",
    [
        "|" * 1_000_000,
        "|\n" * 200_000,
        "|a" * 300_000,
        "<table><tr>" + "<td>1" * 200_000,
        "<td " * 250_000,
        "<" * 1_000_000,
        "&" * 1_000_000,
        "\\begin{tabular}{" + "{" * 500_000,
        "\\begin{tabular}{lr}" + "a & 1 \\\\ " * 100_000,
        "\\begin{tabular}" * 60_000,
        "\\multicolumn{2}{c" * 60_000,
        "$ (" * 300_000,
        "(1 " * 300_000,
        "." * 1_000_000,
        "a 1 2\n" * 60_000,
        "|a|1|\n" * 60_000,
        " " * 1_000_000,
        "a" * 1_000_000 + " 1 2 3",
    ],
    ids=lambda t: t[:12].strip() + "...",
)
def test_hostile_input_takes_linear_time(text):
    begin = time.process_time()
    doc.read(text)
    assert time.process_time() - begin < 20


@settings(max_examples=200, deadline=None)
@given(st.text("|-$()% 12,.\nab\\&<td>/r", max_size=200))
def test_any_text_gives_verbatim_cells(text):
    shape(text)
    for table in grid.tables(text):
        assert all(len(r.cells) == table.width for r in table.rows)
