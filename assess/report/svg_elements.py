"""Drawing in SVG: elements whose texts are always escaped. Colours are classes, for the page's themes."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from assess.report.html_labels import shown


def element(name: str, *children: Markup | str, **attributes: str | float) -> Markup:
    """Return an element. An attribute's `_` stands for `-`; `class_` is a class."""
    given = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _value(value))
        for key, value in attributes.items()
    )
    inside = Markup("").join(
        child if isinstance(child, Markup) else escape(shown(child)) for child in children
    )
    return Markup("<{0}{1}>{2}</{0}>").format(name, given, inside)


def _value(value: str | float) -> str:
    return shown(value) if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")


def picture(width: float, height: float, parts: Iterable[Markup], *, title: str, class_: str = "") -> Markup:
    """Return a drawing with a title that screen readers tell."""
    return element(
        "svg",
        element("title", title),
        *parts,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        role="img",
        aria_label=title,
        class_=class_,
    )


def ornament(
    width: float, height: float, parts: Iterable[Markup], *, class_: str = "", stretch: bool = False
) -> Markup:
    """Return a drawing of a number that stands beside it, so that screen readers pass over it."""
    return element(
        "svg",
        *parts,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        preserveAspectRatio="none" if stretch else "xMidYMid",
        aria_hidden="true",
        class_=class_,
    )


def label(text: str, x: float, y: float, *, anchor: str = "start", class_: str = "") -> Markup:
    """Return a piece of text."""
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=class_)


MOST_OF_A_NAME = 18


def shortened(text: str, most: int = MOST_OF_A_NAME) -> str:
    """Return text that fits, with both of its ends: names of models often begin alike."""
    if len(text) <= most:
        return text
    last = most // 2
    return f"{text[: most - last - 1]}…{text[-last:]}"


def name_width(names: Iterable[str]) -> float:
    """Return the room for names to the left of a drawing."""
    return 14.0 + 7.4 * max((min(len(name), MOST_OF_A_NAME) for name in names), default=0)
