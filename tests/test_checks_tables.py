"""Checks of tables. Expected findings: added up by hand, each sum written beside its table."""

import pytest

from findlib import checks
from findlib.records import Answer

NUMERIC = ("footing", "cross-footing", "percent change", "percent of total", "ratio", "same row")


def find(text: str) -> list[Answer]:
    """All findings of the table checks; every span is verbatim at its place."""
    found = checks.find(text, [k for k in checks.KINDS if k in NUMERIC])
    for answer in found:
        assert [text[s:e] for s, e in answer.places] == answer.evidence
        assert list(answer.places) == sorted(answer.places)
        assert answer.score is not None
        assert 0 < answer.score < 1
    return found


def rows(*lines: str) -> str:
    return "\n".join(lines)


LOSS = rows(
    "|Operating loss| |$|(1,412|)| |$|(987|)|",
    "|Interest|||(231|)|||(198|)|",
    "|Other|||64||||51||",
    "|Total loss before taxes||$|(1,597|)||$|(1,134|)|",
)


def test_signs_in_cells_of_their_own():
    """1,412 + 231 - 64 = 1,579; 987 + 198 - 51 = 1,134."""
    [answer] = find(LOSS)
    assert answer.kind == "footing"
    assert answer.evidence == ["(1,412", "(231", "64", "(1,597"]
    assert answer.description.startswith("1,412 + 231 - 64 = 1,579, but 1,597 is stated")
    assert find(LOSS.replace("1,597", "1,579")) == []


def test_header_row_and_other_labels_change_nothing():
    text = rows("| | | | 2023 | | | | 2022 | |", "|---|---|---|---|---|---|---|---|---|", LOSS)
    [answer] = find(text)
    assert "2023" in answer.description
    assert len(find(LOSS.replace("Total loss before taxes", "Loss before taxes"))) == 1


CHANGES = rows(
    "|Retail|4,120|4,000|120|3|%|", "|Group|2,310|2,200|110|5||", "|Total|6,430|6,200|230|4||"
)


def test_change_and_percent_under_one_header():
    """120 / 4,000 = 3%, 110 / 2,200 = 5%, 230 / 6,200 = 3.7%."""
    assert find(CHANGES) == []
    assert find(rows("| |2023|2022|Change| | |", "|---|---|---|---|---|---|", CHANGES)) == []


def test_wrong_change_is_named_by_row_and_column():
    """4,120 - 4,000 = 120, and 120 + 110 = 230: 150 spoils both."""
    found = find(CHANGES.replace("|120|", "|150|"))
    assert any("150" in a.evidence and "120" in a.description for a in found)


EQUITY = rows(
    "| |RE|Treasury|AOCI|Total|",
    "|---|---|---|---|---|",
    "|Opening|5,120|(1,300)|(412)|3,408|",
    "|Net income|640|||640|",
    "|OCI|||37|37|",
    "|Total comprehensive income||||677|",
    "|Dividends ($1.20 per share)|(255)|||(255)|",
    "|Repurchases||(410)||(410)|",
    "|Closing|5,505|(1,710)|(375)|3,420|",
)
BARE_EQUITY = rows(
    "Opening 5,120|(1,300)|(412)|3,408",
    "Net income 640|||640",
    "OCI ||37|37",
    "Total comprehensive income |||677",
    "Dividends ($1.20 per share) (255)|||(255)",
    "Repurchases |(410)||(410)",
    "Closing 5,505|(1,710)|(375)|3,420",
)


@pytest.mark.parametrize("text", [EQUITY, BARE_EQUITY])
def test_subtotal_in_one_column_only(text):
    """5,120 + 640 - 255 = 5,505; 3,408 + 677 - 255 - 410 = 3,420; 5,505 - 1,710 - 375 = 3,420."""
    assert find(text) == []
    [answer] = find(text.replace("5,505", "5,550"))
    assert "5,550" in answer.evidence
    assert "5,505" in answer.description


SHARES = rows(
    "|Period|Shares|Remaining|",
    "|---|---|---|",
    "|July|204,100|812,400,115|",
    "|August|151,900|802,763,579|",
    "|September|98,250|796,277,114|",
    "|Total|454,250|796,277,114|",
)


def test_a_column_that_does_not_add():
    """204,100 + 151,900 + 98,250 = 454,250; what remains is a balance, not a sum."""
    assert find(SHARES) == []


REGIONS = rows("|U.S.|309|72|512|131|", "|Int'l|148|61|274|118|", "|Worldwide|455|133|786|249|")


def test_small_table_without_the_word_total():
    """309 + 148 = 457; 72 + 61 = 133; 512 + 274 = 786; 131 + 118 = 249."""
    for text in (REGIONS, REGIONS.replace("|U.S.|", "U.S. ").replace("|Int'l|", "Int'l ")
                 .replace("|Worldwide|", "Worldwide ").replace("|\n", "\n")):  # fmt: skip
        [answer] = find(text)
        assert answer.evidence == ["309", "148", "455"]
        assert "309 + 148 = 457, but 455 is stated" in answer.description
    assert find(REGIONS.replace("455", "457")) == []


SEGMENTS = rows(
    "|Network|2,310|845|-|-|3,137|",
    "|Sensors|870|22|-|5|915|",
    "|Devices|4,401|35|-|(12)|4,424|",
    "|Storage|1,090|-|-|-|1,090|",
    "|Total|8,671|902|-|(7)|9,566|",
)


def test_two_rows_that_offset_each_other():
    """2,310 + 845 = 3,155 (+18 against 3,137); 870 + 22 + 5 = 897 (-18 against 915)."""
    found = find(SEGMENTS)
    evidence = {e for a in found for e in a.evidence}
    words = " ".join(a.description for a in found)
    assert {"3,137", "915"} <= evidence
    assert not {"4,424", "1,090", "9,566"} & evidence
    assert "3,155" in words
    assert "897" in words
    assert "18" in words
    assert find(SEGMENTS.replace("3,137", "3,155").replace("915", "897")) == []


INDUSTRIES = rows(
    "|Total|48,210|47,655|555|",
    "|Goods|9,115|9,045|70|",
    "|Mining|402|405|-3|",
    "|Construction|3,988|3,902|86|",
    "|Manufacturing|4,725|4,738|-31|",
    "|Services|39,095|38,610|485|",
)


def test_totals_that_come_first_and_the_cell_where_two_relations_meet():
    """4,725 - 4,738 = -13, and -3 + 86 - 13 = 70: -31 should be -13."""
    bare = INDUSTRIES.replace("\n|", "\n").strip("|").replace("|\n", "\n").replace("|", " ", 1)
    for text in (INDUSTRIES, bare):
        [answer] = find(text)
        assert "-31" in answer.evidence
        assert "-13" in answer.description
        assert "Manufacturing" in answer.description
    assert find(INDUSTRIES.replace("-31", "-13")) == []


def test_several_levels_less_and_indentation():
    """1,204 + 688 = 1,892; 2,950 - 1,110 = 1,840; 1,892 + 1,840 + 415 = 4,147 and so on."""
    right = rows(
        "|Assets|2023|2022|", "|---|---|---|", "|Current assets:|||", "|Cash|1,204|998|",
        "|Receivables|688|702|", "|Total current assets|1,892|1,700|", "|Plant|2,950|2,871|",
        "|Less: accumulated depreciation|1,110|1,023|", "|Plant, net|1,840|1,848|",
        "|Goodwill|415|415|", "|Total assets|4,147|3,963|",
    )  # fmt: skip
    assert find(right) == []
    for old, new in [("1,110", "1,170"), ("1,892", "1,982"), ("4,147", "4,417"), ("688", "638")]:
        found = find(right.replace(old, new))
        assert found, (old, new)
        assert new in found[0].evidence


def test_one_column_since_the_section_began():
    """12,450 + 8,120 + 23,908 + 4,415 = 48,893; 48,833 is one digit off."""
    right = rows("Maturities", "", "|2024|$12,450|", "|2025|8,120|", "|2026|23,908|",
                 "|Thereafter|4,415|", "|Total|$48,893|")  # fmt: skip
    assert find(right) == []
    [answer] = find(right.replace("48,893", "48,833"))
    assert answer.evidence[-1] == "48,833"
    assert find(right.replace("48,893", "31,207")) == []  # no slip: another structure


def test_rounding_is_no_error():
    """12.4 + 7.6 + 5.3 = 25.3 beside 25.4: three parts and a total may be off by .2."""
    text = rows("|a|12.4|10.1|", "|b|7.6|8.1|", "|c|5.3|4.4|", "|Total|25.4|22.6|")
    assert find(text) == []


@pytest.mark.parametrize(
    ("old", "new"), [("24.2%", "29.2%"), ("18.7%", "13.7%"), ("11.0%", "11.6%")]
)
def test_percent_of_revenue_rows_and_columns(old, new):
    """968 / 4,000 = 24.2%, 748 / 4,000 = 18.7%, 440 / 4,000 = 11.0%, 220 / 3,500 = 6.3%..."""
    right = rows(
        "| |2023| |2022| |", "|---|---|---|---|---|", "|Revenue|4,000|100.0%|3,500|100.0%|",
        "|Cost of goods|3,032|75.8%|2,660|76.0%|", "|Gross profit|968|24.2%|840|24.0%|",
        "|Selling|748|18.7%|620|17.7%|", "|Other|440|11.0%|385|11.0%|",
    )  # fmt: skip
    assert find(right) == []
    found = find(right.replace(old, new, 1))
    assert any(new in a.evidence or new.rstrip("%") in a.evidence for a in found)


def test_growth_column():
    """(5,120 - 4,800) / 4,800 = 6.7%; (910 - 840) / 840 = 8.3%; and so on."""
    right = rows(
        "| |2023|2022|% change|", "|---|---|---|---|", "|North|5,120|4,800|6.7|",
        "|South|910|840|8.3|", "|East|2,210|2,340|(5.6)|", "|West|3,075|2,950|4.2|",
        "|Islands|—|12|n/m|",
    )  # fmt: skip
    assert find(right) == []
    [answer] = find(right.replace("8.3", "3.8"))
    assert answer.kind == "percent change"
    assert answer.evidence == ["910", "840", "3.8"]
    assert "(910 - 840) / 840 = 8.33%, but 3.8% is stated" in answer.description


def test_find_is_deterministic_and_ranked():
    text = rows(LOSS, "", REGIONS, "", INDUSTRIES, "", SEGMENTS)
    found = checks.find(text)
    assert found == checks.find(text)
    assert [a.score for a in found] == sorted((a.score for a in found), reverse=True)
    assert len(found) >= 4


def test_unknown_kind_is_one_line():
    with pytest.raises(checks.FindlibError, match="no kind 'fotting'"):
        checks.find("", ["fotting"])
    assert checks.find("") == []
    assert checks.find("no table here") == []


NET_INCOME = rows(
    "Statement of income", "", "| |2023|2022|2021|", "|---|---|---|---|",
    "|Revenue|41,204|38,117|36,950|", "|Expenses|35,871|33,502|32,464|",
    "|Net income|5,333|4,615|4,486|", "", "Cash flow", "", "| |2023|2022|2021|", "|---|---|---|---|",
    "|Net income|5,333|4,615|4,486|", "|Depreciation|1,208|1,190|1,077|",
    "|Cash from operations|6,541|5,805|5,563|",
)  # fmt: skip


def test_same_item_and_period_in_two_tables():
    """Copied: Net income is 5,333, 4,615 and 4,486 in both; only the second table is changed."""
    assert find(NET_INCOME) == []
    memo = rows("| |2021|2022|2023|", "|---|---|---|---|", "|Net income|4,486|4,651|5,333|",
                "|Headcount|812|803|799|")  # fmt: skip
    [answer] = find(NET_INCOME.split("Cash flow")[0] + "\nHighlights\n\n" + memo)
    assert answer.kind == "same row"
    assert answer.evidence == ["4,615", "4,651"]
    adjusted = memo.replace("Net income", "Adjusted net income")
    assert find(NET_INCOME.split("Cash flow")[0] + "\nHighlights\n\n" + adjusted) == []
    section = memo.replace("|Net income", "|Non-GAAP results:||||\n|Net income")
    assert find(NET_INCOME.split("Cash flow")[0] + "\nHighlights\n\n" + section) == []
    other = memo.replace("4,651", "4,702").replace("4,486", "4,511")  # two periods differ
    assert find(NET_INCOME.split("Cash flow")[0] + "\nHighlights\n\n" + other) == []


def test_same_item_for_two_registrants():
    one = rows("Alpha Holdings Inc.", "", "| |2023|2022|2021|", "|---|---|---|---|",
               "|Net income|5,333|4,615|4,486|", "|Headcount|10|12|14|")  # fmt: skip
    two = one.replace("Alpha Holdings Inc.", "Beta Power Company").replace("4,615", "4,651")
    assert find(one + "\n\n" + two) == []


CONTINGENCY = rows(
    r"\begin{tabular}{l rrr}", r"& low & high & Total \\ \hline",
    r"yes & $140/360 = 0.389$ & $220/360 = 0.611$ & 1.000 \\",
    r"no & $410/1150 = 0.357$ & $740/1150 = 0.643$ & 1.000 \\",
    r"Total & $550/1510 = 0.364$ & $960/1510 = 0.636$ & 1.000 \\", r"\end{tabular}",
)  # fmt: skip


def test_fractions_in_cells():
    """140 + 220 = 360; 410 + 740 = 1,150; 140 + 410 = 550; 220 + 740 = 960."""
    assert find(CONTINGENCY) == []
    found = find(CONTINGENCY.replace("$410/1150 = 0.357$", "$401/1150 = 0.357$"))
    assert "401" in found[0].evidence
    assert "410" in found[0].description
    [answer] = checks.find(CONTINGENCY.replace("0.643", "0.634"), ["share"])
    assert answer.evidence == ["740/1150 = 0.634"]
    assert answer.description == "740 / 1,150 = 0.6435, but 0.634 is stated"


def test_counts_with_percentages():
    """61 / 124 = 49.2%, 63 / 124 = 50.8%, 40 / 124 = 32.3%; 55 / 118 = 46.6% and so on."""
    right = rows(
        "| |Drug (N = 124)|Placebo (N = 118)|", "|---|---|---|", "|Female|61 (49.2%)|55 (46.6%)|",
        "|Male|63 (50.8%)|63 (53.4%)|", "|Smoker|40 (32.3%)|37 (31.4%)|",
    )  # fmt: skip
    assert find(right) == []
    assert checks.find(right, ["share"]) == []
    [answer] = checks.find(right.replace("32.3%", "35.3%"), ["share"])
    assert "40 / 124 = 32.26%, but 35.3% is stated" in answer.description


def test_one_row_under_a_total():
    """12 + 31 + 48 + 205 = 296; 292 is 4 off."""
    text = r"\begin{tabular}{cccc c} Woods & Grass & Forest & Other & Total \\ 12 & 31 & 48 & 205 & %d \\ \end{tabular}"
    assert find(text % 296) == []
    [answer] = find(text % 292)
    assert answer.evidence == ["12", "31", "48", "205", "292"]
    assert find(text % 512) == []  # not near: something else


@pytest.mark.parametrize(
    "text",
    [
        # average price: the last column does not add
        "| |Shares|Average price paid|\n|---|---|---|\n|July|10,400|41.20|\n|August|8,150|39.85|\n|Total|18,550|40.61|",
        # units mixed by row, per-share rows, percentages between amounts
        "| |2023|2022|\n|---|---|---|\n|Net sales|1,250|1,190|\n|Units sold (thousands)|88|91|\n|Net income per share|2.11|1.98|\n|Tax rate|21.4%|22.0%|",
        # assets = liabilities + equity, with a total that comes after either
        "|Total assets|9,410|8,775|\n|Debt|4,100|4,020|\n|Other|1,210|1,105|\n|Total liabilities|5,310|5,125|\n|Equity|4,100|3,650|\n|Total liabilities and equity|9,410|8,775|",
        # labels with numbers that add all the same
        "|Class A - 102 and 101 shares outstanding|1,020|1,010|\n|Class B - 305 and 309 shares outstanding|3,050|3,090|\n|Retained|417|398|\n|Total|4,487|4,498|",
        # blank is not dash: the last part is blank in one column only
        "|Level 1|410|390|\n|Level 2|77|—|\n|Level 3||61|\n|Total|487|451|",
        # a row that the converter left without its columns
        "Cash 1,204 998\nReceivables 688 702\nGoodwill 57\nOther 12 11\nTotal 1,904 1,768\n",
        # two rows on one line
        "Cash 1,204 998\nReceivables 688 702\nPrepaid taxes - 38   Other 12 11\nTotal 1,904 1,749\n",
        # notes in a one-row table, run-in headings, a contents list
        "|(1)|Includes 1,204 of cash and 688 of receivables, 1,900 in total.|\n",
        "Item 1. Business 4\nItem 1A. Risk Factors 12\nItem 2. Properties 31\nTotal pages 44\n",
        # no line break at all
        "| a | 1 | | b | 2 | | Total | 4 | " * 30,
        "Revenue 410 Costs 380 Total 33 " * 40,
        # three-month and six-month columns are no sum
        "| |Three Months Ended June 30, 2023|Three Months Ended June 30, 2022|Six Months Ended June 30, 2023|\n|---|---|---|---|\n|Lease cost|103|99|202|\n|Short-term|61|59|120|\n|Variable|66|33|132|\n|Other|51|47|98|",
        # zero-width and no-break spaces
        "|\u200bNorth|\u00a01,204\u200b|998|\n|South|688\u00a0|702|\n|Total\u200b|1,892|1,700|",
    ],
)  # fmt: skip
def test_what_is_right_gives_nothing(text):
    assert find(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "<table><tr><td>Cash<td>1,204<td>998<tr><td>Receivables<td>688<td>702<tr><td>Total<td>{}<td>1,700</table>",
        "\\begin{{tabular}}{{lrr}} Cash & 1,204 & 998 \\\\ Receivables & 688 & 702 \\\\ \\hline Total & {} & 1,700 \\\\ \\end{{tabular}}",
        "Cash ........ $ 1,204 $ 998\nReceivables ....... 688 702\nTotal ......... $ {} $ 1,700\n",
        "Cash                1,204      998\n\nReceivables           688      702\n\nTotal               {}    1,700\n",
        "|\u200bCash|\u00a01,204\u200b|998|\n|Receivables|688\u00a0|702|\n|Total\u200b|{}|1,700|",
        "|Cash|**1,204**|**998**|\n|Receivables|_688_|_702_|\n|Total|**{}**|**1,700**|",
        "|Cash|$|1,204||$|998||\n|Receivables||688|||702||\n|Total|$|{}||$|1,700||",
    ],
)  # fmt: skip
def test_every_format(text):
    """1,204 + 688 = 1,892; 998 + 702 = 1,700."""
    assert find(text.format("1,892")) == []
    [answer] = find(text.format("1,982"))
    assert answer.evidence == ["1,204", "688", "1,982"]
    assert "1,204 + 688 = 1,892, but 1,982 is stated" in answer.description


def test_costs_in_parentheses_and_periods_either_way():
    """8,410 - 5,120 = 3,290; 3,290 - 1,205 - 410 = 1,675; 7,980 - 4,875 = 3,105; 3,105 - 1,150 - 395 = 1,560."""
    right = rows("| |2023|2022|", "|---|---|---|", "|Net sales|8,410|7,980|",
                 "|Cost of sales|(5,120)|(4,875)|", "|Gross profit|3,290|3,105|",
                 "|Selling|(1,205)|(1,150)|", "|Research|(410)|(395)|",
                 "|Operating income|1,675|1,560|")  # fmt: skip
    positive = right.replace("(", "").replace(")", "")
    swapped = rows(
        *("|".join([*r.split("|")[:2], *r.split("|")[3:1:-1], ""]) for r in right.split("\n"))
    )
    for text in (right, positive, swapped):
        assert find(text) == [], text
        [answer] = find(text.replace("1,205", "1,255"))
        assert "1,255" in " ".join(answer.evidence)
        [answer] = find(text.replace("3,105", "3,150"))
        assert "3,105" in answer.description


def test_findings_survive_the_text_around_them():
    text = "Some words.\n\n" * 50 + LOSS + "\n\nMore words with 1,597 in them.\n" + "Again.\n" * 50
    [answer] = find(text)
    assert answer.places[-1] == (text.index("(1,597"), text.index("(1,597") + 6)
