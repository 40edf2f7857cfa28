"""Answers that are worked out once: captions repeat most words and phrases, but have endlessly many."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Memory(dict[Question, Answer]):
    """Answers by question; unlike `lru_cache`, it can be pickled, and a known answer costs no call.

    It is emptied when it has as many answers as it may keep.
    """

    def __init__(self, ask: Callable[[Question], Answer], *, most: int) -> None:
        self._ask = ask
        self._most = most

    def __missing__(self, question: Question) -> Answer:
        if len(self) >= self._most:
            self.clear()
        answer = self[question] = self._ask(question)
        return answer
