"""A shop."""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from .items import Item, price as cost

__all__ = ["Order", "load"]

LIMIT = 5


class Gone(Exception):
    """It is gone."""


@dataclass(frozen=True)
class Order(Base, metaclass=Meta):
    """An order.

    def not_code(self): ...
    """

    number: int
    lines: list[Item] = field(default_factory=list)

    def __init__(self, number: int = 1) -> None:
        self.number = number

    @property
    def total(self) -> int:
        return sum(line.price for line in self.lines)

    @total.setter
    def total(self, value: int) -> None:
        if value < 0:
            raise Gone(value)
        self._total = value

    async def sell(
        self,
        item: Item,
        *,
        count: int = 1,  # how many
    ) -> None:
        def inner(x):
            return x

        await inner(item)

    class Kind:
        SMALL = 1

        def label(self):
            return {
                1: "small",
            }[self.SMALL]


def load(path: str, *rest, mode="r", **options) -> Order:
    with open(path, mode) as file:
        data = json.load(file)
    for name, value in data.items():
        print(name, value)
    return Order(data["number"])


def _hidden():
    text = """
def not_code_either():
    pass
"""
    return text


if __name__ == "__main__":
    import sys

    load(sys.argv[1])
