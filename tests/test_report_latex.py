"""LaTeX tables: valid, escaped, with the rules of booktabs."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from assess.report.latex import escaped, latex_document, latex_table
from assess.report.section import Column, Table, decimal, undefined, whole, words

TABLE = Table(
    "diversity",
    "Diversity of A & B",
    (
        Column("system", "system", words=True),
        Column("c2", "2", "Compounds"),
        Column("c3", "3", "Compounds"),
        Column("ratio", "Ratio"),
    ),
    ((words("A_1"), whole(1234), whole(5), decimal(0.5)), (words("people"), whole(1), whole(2), undefined())),
    ("50% of it",),
    apart=1,
)


def test_a_table_has_rules_groups_and_a_line_before_the_references() -> None:
    lines = latex_table(TABLE).splitlines()
    assert r"\begin{tabular}{lrrr}" in lines
    assert r" & \multicolumn{2}{c}{Compounds} &  \\" in lines
    assert r"\cmidrule(lr){2-3}" in lines
    assert r"system & 2 & 3 & Ratio \\" in lines
    assert r"A\_1 & 1,234 & 5 & 0.50 \\" in lines
    assert lines[lines.index(r"people & 1 & 2 & -- \\") - 1] == r"\midrule"
    assert r"\caption{Diversity of A \& B. 50\% of it.}" in lines
    assert r"\label{tab:diversity}" in lines


def test_every_row_has_as_many_cells_as_columns() -> None:
    rows = [line for line in latex_table(TABLE).splitlines() if line.endswith(r"\\") and "multi" not in line]
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {3}


def test_signs_of_our_own_reports_are_commands() -> None:
    assert escaped("R² ≥ 1 … – ρ") == r"R$^2$ $\geq$ 1 \ldots{} -- $\rho$"


def test_a_document_names_what_it_depends_on_in_a_comment() -> None:
    text = latex_document([TABLE, TABLE], signature="assess 1\nevil")
    assert text.startswith("% needs \\usepackage{booktabs,graphicx}\n% assess 1 evil\n")
    assert text.count(r"\begin{table}") == 2


@given(st.text())
def test_escaped_text_has_no_bare_special_characters(text: str) -> None:
    shown = escaped(text)
    bare = re.sub(r"\\(?:text[a-z]+|ldots)\{\}|\\[{}$&#%_]|\$\^2\$|\$\\[a-z]+\$|\$-\$", "", shown)
    assert not set(bare) & set("\\{}$&#%_~^<>\n\r\x1b")
