"""`assess domain assign`: the loop with a scripted user, and the command in a real terminal."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest
from rich.console import Console, RenderableType

from assess.domain.advice import Adviser, Candidate, DomainGaps
from assess.domain.assign_loop import AssignLoop
from assess.domain.cooccurrence import TokenColumns, WordContexts
from assess.domain.session import REFUSED, Item, Session
from assess.domain.survey import UnreadAfter
from assess.errors import AssessError
from assess.taxonomy import edit
from assess.taxonomy.edit import Addition, TaxonomyFile
from assess.taxonomy.model import Entry
from assess.taxonomy.phrases import phrases_of
from tests.commands import assess, heed_signals, small_disk
from tests.test_taxonomy_edit import SMALL

CAPTIONS = "a sour pie\na salty pie\na salty stew\na tangy stew\na plate of curry\n"


class Person:
    """Answers with keys and lines that were decided before."""

    def __init__(self, *answers: str) -> None:
        self._answers: Iterator[str] = iter(answers)
        self._console = Console(width=100, record=True, file=io.StringIO())

    def show(self, part: RenderableType) -> None:
        self._console.print(part)

    def key(self) -> str:
        return next(self._answers, "q")

    def line(self, question: str) -> str:
        self._console.print(question)
        return next(self._answers)

    @property
    def screen(self) -> str:
        return " ".join(self._console.export_text(clear=False).split())


def candidate(word: str, role: str = "modifier") -> Candidate:
    kind = "head" if role == "head" else "modifier"
    return Candidate(word, "head" if kind == "head" else "modifier", 3, 1.0, (f"a {word} pie",))


@pytest.fixture
def file(tmp_path: Path) -> TaxonomyFile:
    path = tmp_path / "food.yaml"
    path.write_text(SMALL)
    return TaxonomyFile(path)


def session(file: TaxonomyFile, candidates: Iterable[Candidate]) -> Session:
    """Return a session whose captions have nothing more than these candidates."""
    listed = list(candidates)
    gaps = DomainGaps({}, [c for c in listed if c.role == "modifier"],
                      [c for c in listed if c.role == "head"], (), UnreadAfter(), None)  # fmt: skip
    none = DomainGaps({}, [], [], (), UnreadAfter(), None)
    return Session(file, Adviser(file.read(), WordContexts(TokenColumns())), gaps, read=lambda taxonomy: none)


def run(file: TaxonomyFile, candidates: Iterable[Candidate], *answers: str) -> str:
    person = Person(*answers)
    AssignLoop(session(file, candidates), person).run()
    return person.screen


def words(file: TaxonomyFile, category: str) -> list[str]:
    taxonomy = file.read()
    part = taxonomy.heads if category in taxonomy.heads else taxonomy.modifiers
    return [entry.word for entry in part[category].words]


def test_one_key_accepts_a_suggestion(file: TaxonomyFile) -> None:
    screen = run(file, [candidate("bittersweet"), candidate("curry", "head")], "1", "\r")
    assert words(file, "taste") == ["bitter", "bittersweet", "sour", "sweet"]
    assert words(file, "dish") == ["pie", "loaf", "stew", "curry"]
    assert "bittersweet → modifier taste" in screen
    assert "2 words added to food.yaml, 0 skipped" in screen
    assert "a bittersweet pie" in screen


def test_skip_and_quit_change_nothing(file: TaxonomyFile) -> None:
    screen = run(file, [candidate("salty"), candidate("tangy"), candidate("tart")], "s", "q", "1")
    assert file.path.read_text() == SMALL
    assert "0 words added to food.yaml, 1 skipped" in screen
    assert "tart" not in screen


def test_another_category_is_chosen_by_the_beginning_of_its_name(file: TaxonomyFile) -> None:
    run(file, [candidate("rotten"), candidate("salty")], "o", "ag", "o", "taste")
    assert words(file, "age") == ["stale", "fresh", "rotten"]
    assert words(file, "taste") == ["bitter", "salty", "sour", "sweet"]


def test_a_word_may_go_to_the_other_role(file: TaxonomyFile) -> None:
    run(file, [candidate("goulash")], "o", "head.dish")
    assert words(file, "dish")[-1] == "goulash"


@pytest.mark.parametrize(
    ("answer", "told"),
    [("nonsense", "no such category"), ("", "no such category"), ("head.", "no such category")],
)
def test_an_answer_that_is_no_category_asks_again(file: TaxonomyFile, answer: str, told: str) -> None:
    assert told in run(file, [candidate("salty")], "o", answer, "s")
    assert file.path.read_text() == SMALL


def test_an_ambiguous_beginning_asks_which(file: TaxonomyFile) -> None:
    text = SMALL.replace(
        "  look:", "  looks-2: {description: L., evidence: visible, sensitivity: none, words: [odd]}\n  look:"
    )
    file.path.write_text(text)
    assert "which of looks-2, look?" in run(file, [candidate("salty")], "o", "lo", "q")
    run(file, [candidate("shiny")], "o", "look")
    assert words(file, "look") == ["shiny"]


def test_undo_goes_back_to_the_word(file: TaxonomyFile) -> None:
    screen = run(file, [candidate("salty"), candidate("tangy")], "1", "u", "o", "age", "q")
    assert words(file, "taste") == ["bitter", "sour", "sweet"]
    assert words(file, "age") == ["stale", "fresh", "salty"]
    assert screen.count("1/2 salty") == 2
    assert "1 word added" in screen


def test_an_of_phrase_brings_its_plural_and_both_are_taken_back(file: TaxonomyFile) -> None:
    jar = Candidate("jar of", "modifier", 3, 1.0, ("a jar of pie",), ("jar of",))
    assert "jar of, jars of → modifier" in run(file, [jar], "1")
    assert "jars of" in file.path.read_text()
    run(file, [replace(jar, word="cup of"), candidate("tart")], "1", "u")
    assert "cup" not in file.path.read_text()


def test_where_a_category_makes_of_phrases_the_noun_is_enough(file: TaxonomyFile) -> None:
    text = file.path.read_text().replace("  taste:", "  taste:\n    of: [bowl]")
    file.path.write_text(text)
    jar = Candidate("jar of", "modifier", 3, 1.0, ("a jar of pie",), ("jar of",))
    screen = run(file, [jar, candidate("tart")], "o", "taste", "q")
    assert file.path.read_text() == text.replace("[bowl]", "[bowl, jar]")
    assert "jar of → modifier taste" in screen
    assert {"jar of", "jars of"} <= {phrase.text for phrase in phrases_of(file.read())}


def test_undo_with_nothing_done_says_so(file: TaxonomyFile) -> None:
    assert "nothing to undo" in run(file, [candidate("salty")], "u", "q")


def test_a_word_that_another_author_added_is_not_asked_for_again(file: TaxonomyFile) -> None:
    class Slow(Person):
        def key(self) -> str:
            if words(file, "taste") == ["bitter", "sour", "sweet"]:
                file.path.write_text(file.path.read_text().replace("bitter,", "bitter, salty,"))
            return super().key()

    person = Slow("1", "1")
    AssignLoop(session(file, [candidate("salty"), candidate("tangy")]), person).run()
    assert "decided elsewhere in the meantime" in person.screen
    assert sorted(words(file, "taste")) == ["bitter", "salty", "sour", "sweet", "tangy"]
    assert "1 word added" in person.screen


def test_a_word_can_be_edited_before_it_is_added(file: TaxonomyFile) -> None:
    run(file, [candidate("currys", "head")], "e", "  Thai  curry ", "1")
    assert words(file, "dish")[-1] == "thai curry"


def test_a_noun_that_becomes_an_of_phrase_is_a_modifier(file: TaxonomyFile) -> None:
    working = session(file, [candidate("piece", "head")])
    working.reword("Piece  of")
    assert working.current is not None
    assert [(each.word, each.role) for each in working.current.members] == [("piece of", "modifier")]


def test_keys_that_mean_nothing_show_the_keys(file: TaxonomyFile) -> None:
    screen = run(file, [candidate("salty")], "9", "z", "²", "\x1b[A", "q")
    assert screen.count("1-9 accept") == 5
    assert file.path.read_text() == SMALL


def test_a_word_that_became_known_is_not_asked_again(file: TaxonomyFile) -> None:
    screen = run(file, [candidate("semi sweet"), candidate("semi-sweet"), candidate("tart")], "1", "s")
    assert "2/3" not in screen
    assert "3/3 tart" in screen


def test_a_word_that_the_file_refuses_is_told_and_asked_again(file: TaxonomyFile) -> None:
    # An edit makes it a word that the category has already.
    screen = run(file, [candidate("salty")], "e", "{taste} salt", "1", "s")
    assert "looks like a pattern" in screen
    assert file.path.read_text() == SMALL


def test_an_undo_that_would_lose_somebody_elses_work_is_refused(file: TaxonomyFile) -> None:
    class Meddler(Person):
        def key(self) -> str:
            key = super().key()
            if key == "u":
                file.path.write_text(file.path.read_text() + "# theirs\n")
            return key

    person = Meddler("1", "u", "q")
    AssignLoop(session(file, [candidate("salty"), candidate("tart")]), person).run()
    assert "the file was changed by another program since the last edit, so the" in person.screen
    assert file.path.read_text().endswith("# theirs\n")
    assert "salty" in file.path.read_text()


def test_words_of_two_authors_are_both_kept(file: TaxonomyFile, monkeypatch: pytest.MonkeyPatch) -> None:
    real, others = edit.add_word, list[Thread]()

    def slow(text: str, addition: Addition, *, file: str) -> str:
        if not others:
            # Between reading and writing somebody else adds a word, and is waited for in vain.
            second = TaxonomyFile(Path(file))
            others.append(Thread(target=second.add, args=(replace(addition, entry=Entry(word="tart")),)))
            others[0].start()
            others[0].join(0.5)
        return real(text, addition, file=file)

    monkeypatch.setattr(edit, "add_word", slow)
    file.add(Addition("modifier", "taste", Entry(word="salty")))
    others[0].join()
    assert {"salty", "tart"} <= set(words(file, "taste"))


def test_what_an_editor_saves_meanwhile_is_kept(file: TaxonomyFile, monkeypatch: pytest.MonkeyPatch) -> None:
    real = edit.add_word

    def meddled(text: str, addition: Addition, *, file: str) -> str:
        if "# theirs" not in text:
            Path(file).write_text(text + "# theirs\n")
        return real(text, addition, file=file)

    monkeypatch.setattr(edit, "add_word", meddled)
    file.add(Addition("modifier", "taste", Entry(word="salty")))
    assert file.path.read_text().endswith("# theirs\n")
    assert "salty" in file.path.read_text()


def test_a_full_disk_is_told_and_loses_nothing(file: TaxonomyFile) -> None:
    with small_disk(1 << 6):
        screen = run(file, [candidate("salty")], "1", "s")
    assert "cannot be written: File too large" in screen
    assert file.path.read_text() == SMALL
    assert [path.name for path in file.path.parent.iterdir()] == [file.path.name]


def test_new_categories_exclusions_and_refusals_are_decisions_that_can_be_taken_back(
    file: TaxonomyFile,
) -> None:
    words_ = ("salty", "smoky", "crisp")
    run(file, map(candidate, words_), "n", "texture", "How it feels.", "x", "pie chart", "i", "q")
    taxonomy = file.read()
    assert [entry.word for entry in taxonomy.modifiers["texture"].words] == ["crisp"]
    assert taxonomy.modifiers["texture"].description == "How it feels."
    assert taxonomy.excluded == ("pie chart",)
    # What was refused is not asked again, by anybody with this file.
    again = session(file, map(candidate, words_))
    assert [item.word for item in again.queue] == ["salty"]
    again.ignore()
    assert again.position == len(again.queue)
    assert again.undo()
    assert again.current is not None
    assert again.current.word == "salty"
    assert "salty" not in (file.path.parent / REFUSED).read_text()
    (file.path.parent / REFUSED).write_text("{")
    with pytest.raises(AssessError, match="cannot be read"):
        session(file, [])


def test_a_group_is_one_decision_and_can_be_thinned(file: TaxonomyFile) -> None:
    done = session(file, [])
    done.queue = [Item(tuple(map(candidate, ("salty", "tangy", "zesty", "odd"))))]
    done.drop([3])
    assert [item.word for item in done.queue] == ["salty +2", "odd"]
    assert done.accept("taste") == ("salty", "tangy", "zesty")
    assert words(file, "taste") == ["bitter", "salty", "sour", "sweet", "tangy", "zesty"]
    assert done.tally.added == 3
    assert done.undo()
    assert file.path.read_text() == SMALL
    assert done.tally.added == done.decisions == 0
    done.split()
    assert [item.word for item in done.queue] == ["salty", "tangy", "zesty", "odd"]
    file.path.write_text(SMALL.replace("stale", "stale, old"))
    assert done.notice_edits()
    assert not done.notice_edits()


def test_what_is_dropped_waits_where_its_own_gain_puts_it(file: TaxonomyFile) -> None:
    done = session(file, [])
    rare, common = replace(candidate("odd"), count=2), replace(candidate("bland"), count=90)
    done.queue = [Item((candidate("salty"), rare)), Item((common,))]
    done.drop([1])
    assert [item.word for item in done.queue] == ["salty", "bland", "odd"]


def test_several_dropped_words_stay_together_and_join_no_other_group(file: TaxonomyFile) -> None:
    done = session(file, [])
    done.queue = [Item(tuple(map(candidate, ("salty", "old", "odd", "flat"))))]
    done.drop([1, 2, 3])
    assert [item.word for item in done.queue] == ["salty", "old +2"]


COLORS = ("brown", "green", "red", "yellow")


def test_a_shared_list_is_one_decision_and_adds_one_line(file: TaxonomyFile) -> None:
    done = session(file, map(candidate, ("salty", *COLORS)))
    assert [item.word for item in done.queue] == ["colors", "salty"]
    assert done.accept("age") == ("colors",)
    assert "words: [stale, fresh], use: [colors]}" in file.path.read_text()
    assert {"stale", "fresh", "brown", "purple"} <= set(words(file, "age"))
    assert done.tally.added == 4
    assert done.current is not None
    assert done.current.word == "salty"
    assert done.undo()
    assert file.path.read_text() == SMALL
    assert done.new_category("color", "Its color.") == ("colors",)
    assert {"brown", "purple"} <= set(words(file, "color"))
    added = file.path.read_text().partition("Its color.")[2].partition("examples:")[0]
    assert "use: [colors]" in added
    assert "words:" not in added
    assert done.undo()
    assert file.path.read_text() == SMALL


def test_a_new_category_has_all_words_of_a_group_in_one_list(file: TaxonomyFile) -> None:
    openings = [replace(candidate(f"{noun} of"), forms=(f"{noun}s of",)) for noun in ("side", "front")]
    done = session(file, map(candidate, ("salty", "dry")))
    done.queue = [Item(tuple(openings)), Item(tuple(map(candidate, ("salty", "dry"))))]
    assert done.new_category("place", "Where it is.") == ("front of", "side of")
    assert "of: [front, side]" in file.path.read_text()
    assert done.new_category("flavour", "") == ("dry", "salty")
    assert "words: [dry, salty]" in file.path.read_text()
    assert done.undo()
    assert done.undo()
    assert file.path.read_text() == SMALL


def test_a_list_is_suggested_for_the_category_that_has_words_of_it(file: TaxonomyFile) -> None:
    file.path.write_text(SMALL.replace("[stale, fresh]", "[stale, fresh, purple]"))
    done = session(file, map(candidate, COLORS))
    assert done.current is not None
    assert done.advice(done.current).suggestions[0].category == "age"


def test_a_list_that_is_refused_is_not_offered_again_and_its_words_are(file: TaxonomyFile) -> None:
    done = session(file, map(candidate, COLORS))
    with pytest.raises(AssessError, match="as a whole"):
        done.drop([0])
    done.ignore()
    again = session(file, map(candidate, COLORS))
    assert {item.word for item in again.queue} == set(COLORS)
    assert again.undo() is False


def test_an_offer_can_be_decided_word_by_word(file: TaxonomyFile) -> None:
    screen = run(file, map(candidate, COLORS), "g", "o", "age", "q")
    assert "words of the shared list colors" in screen
    assert len(words(file, "age")) == 3


def test_heads_before_heads_and_numbers_are_offered_as_patterns(file: TaxonomyFile) -> None:
    done = session(file, map(candidate, ("pie", "loaf", "stew", "two", "three", "four")))
    assert [item.word for item in done.queue] == ["{number}", "{dish}"]
    assert done.new_category("amount", "How many.") == ("{number}",)
    assert file.read().modifiers["amount"].words == ()
    assert file.read().modifiers["amount"].patterns == ("{number}",)
    assert done.undo()
    done.accept("age")
    done.accept("taste")
    taxonomy = file.read()
    assert taxonomy.modifiers["taste"].patterns == ("{dish}",)
    assert taxonomy.modifiers["age"].patterns == ("{number}",)
    assert all(done.is_known(candidate(word)) for word in ("stew", "seven"))


def test_what_is_refused_teaches_what_nouns_are_worth(file: TaxonomyFile) -> None:
    likely, unlikely = (
        replace(candidate(word, "head"), count=count, chance=chance, score=score)
        for word, count, chance, score in (("curry", 20, 0.2, 0.9), ("street", 90, 0.2, 0.1))
    )
    refused = replace(unlikely, word="road", count=5)
    done = session(file, [likely, unlikely, refused])
    done.gaps = replace(done.gaps, head_scores=(0.8, 0.85, 0.9, 0.9, 0.95))
    assert [item.word for item in done.queue] == ["street", "curry", "road"]
    done.position = 2
    done.ignore()
    done.renew(done.gaps)
    assert [item.word for item in done.queue] == ["curry", "street"]


def test_nothing_to_do_is_said(file: TaxonomyFile) -> None:
    assert "The taxonomy already contains every word of these captions" in run(file, [])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "food.yaml").write_text(SMALL)
    (tmp_path / "captions.txt").write_text(CAPTIONS)
    return tmp_path


@pytest.mark.model
def test_keys_may_come_from_a_script(folder: Path) -> None:
    domain = folder / "food.yaml"
    done = assess(
        "domain",
        "assign",
        str(folder / "captions.txt"),
        "--domain",
        str(domain),
        "--no-vectors",
        stdin="1\ns\n",
    )
    assert done.code == 0, done.stderr
    assert "salty → modifier" in done.stdout
    assert "1 word added to food.yaml, 1 skipped" in done.stdout
    assert "salty" in domain.read_text()


@pytest.mark.model
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-", "--domain", "x.yaml"), "standard input"),
        (("x.txt", "--domain", "people"), "and cannot be edited in place"),
    ],
)
def test_what_cannot_work_is_told_before_any_work(arguments: tuple[str, ...], message: str) -> None:
    done = assess("domain", "assign", *arguments)
    assert done.code == 2
    assert message in done.stderr


PATIENCE = 300
"""Seconds until a test gives up on a command; on no machine does one take nearly as long."""


AT_A_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs a command that has its input as its controlling terminal: without one, Ctrl-C is just a character.

Not a function for Popen to run before the command: that is not safe where other tests have left threads.
"""


class RealTerminal:
    """The command in a pseudo-terminal, with somebody at the keys."""

    def __init__(self, folder: Path) -> None:
        self._output = b""
        self._master, slave = pty.openpty()
        command = ["assess", "domain", "assign", "captions.txt", "--domain", "food.yaml", "--no-vectors"]
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "PYTHONWARNINGS": "error"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", AT_A_TERMINAL, sys.executable, "-m", *command],
            cwd=folder,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
            start_new_session=True,
            preexec_fn=heed_signals,
        )
        os.close(slave)

    def wait_for(self, text: str, *, times: int = 1) -> str:
        """Read until a text has appeared so many times; return all that was shown, without colours."""
        deadline = time.monotonic() + PATIENCE
        while self.screen.count(text) < times:
            assert time.monotonic() < deadline, f"{text!r} never appeared in:\n{self.screen}"
            assert self._read(), f"the command ended before {text!r} appeared in:\n{self.screen}"
        return self.screen

    def _read(self) -> bool:
        """Read what is there, or wait a moment for it; False once the terminal is closed at the other end."""
        ready, _, _ = select.select([self._master], [], [], 0.2)
        if not ready:
            return True
        try:
            found = os.read(self._master, 65536)
        except OSError:
            return False
        self._output += found
        return bool(found)

    @property
    def screen(self) -> str:
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self._output.decode("utf-8", errors="replace"))

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def end(self) -> int:
        """Wait for the end; a terminal that nobody reads would hold the program up."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None and self._read():
            assert time.monotonic() < deadline, f"the command never ended:\n{self.screen}"
        return self.process.wait(timeout=PATIENCE)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)


@pytest.fixture
def terminal(folder: Path) -> Iterator[RealTerminal]:
    opened = RealTerminal(folder)
    yield opened
    opened.close()


@pytest.mark.model
def test_a_person_at_a_terminal_needs_one_key_a_word(folder: Path, terminal: RealTerminal) -> None:
    terminal.wait_for("1/")
    assert "salty" in terminal.screen
    terminal.type("1")
    terminal.wait_for("salty → modifier")
    terminal.wait_for("2/")
    terminal.type("o")
    terminal.wait_for("category:")
    terminal.type("taste\n")
    terminal.wait_for("tangy → modifier taste")
    terminal.wait_for("3/")
    terminal.type("u")
    terminal.wait_for("2/", times=2)
    terminal.type("q")
    terminal.wait_for("1 word added to food.yaml")
    assert terminal.end() == 0
    text = (folder / "food.yaml").read_text()
    assert "salty" in text
    assert "tangy" not in text


@pytest.mark.model
@pytest.mark.parametrize("how", ["key", "signal"])
def test_an_interrupt_ends_with_130_and_a_whole_file(folder: Path, terminal: RealTerminal, how: str) -> None:
    terminal.wait_for("1/")
    terminal.type("1")
    terminal.wait_for("2/")
    if how == "key":
        terminal.type("\x03")
    else:
        terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 130
    assert sorted(path.name for path in folder.iterdir()) == ["captions.txt", "food.yaml"]
    TaxonomyFile(folder / "food.yaml").read()
    assert "salty" in (folder / "food.yaml").read_text()
