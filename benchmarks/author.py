"""How many decisions a domain takes: a simulated author who knows food answers a session's questions.

    python benchmarks/author.py DEVELOP ASIDE [--decisions 150] [--no-wordnet]

The author begins with the 21 words of SEED, reads DEVELOP, and answers what the session asks, in its order,
by the lists below and by nothing else: no list and no draft is added in bulk. A word has the category of its
list; a word of no list is refused. Of a group, what does not go with most of its words is dropped (one
decision), and the rest accepted or refused (another one). A shared list or a pattern that the session offers
is put where most of the chunks with its words belong, or refused, as a whole (one decision). Captions are
read anew after ten changes.

What counts is the share of food phrases of ASIDE, captions that no decision saw, that the taxonomy then reads
in full. A food phrase is a chunk that ends in a noun of the lists and of which every other word is one that
the author knows (or is built in). Beside it stands how many of the food phrases get the categories of the
lists and no others, and how much of what the taxonomy takes for food ends in a noun of the lists.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

from assess.corpus import parse_source
from assess.domain.advice import Adviser, Candidate, domain_gaps
from assess.domain.session import Item, Session
from assess.domain.survey import Survey, survey, way_of
from assess.domain.wordnet import find_wordnet
from assess.engine.annotating import AnnotationService
from assess.grammar import Parser
from assess.records import Role
from assess.taxonomy import Taxonomy
from assess.taxonomy.edit import TaxonomyFile
from assess.taxonomy.load import taxonomy_of
from assess.taxonomy.phrases import normal_form
from assess.taxonomy.words import singular_of

SEED = """\
taxonomy: food
version: 0.1.0
description: What captions say about food.
heads:
  dish: {description: Cooked or put together., words: [pizza, sandwich, soup]}
  produce: {description: Fruit and vegetables., words: [apple, banana, carrot]}
  sweet: {description: Cakes and sweets., words: [cake, donut]}
  drink: {description: Something to drink., words: [coffee, wine]}
modifiers:
  color: {description: Its color., evidence: visible, sensitivity: none, words: [red, green]}
  size: {description: How big., evidence: visible, sensitivity: none, words: [large, small]}
  state: {description: Cut or cooked., evidence: visible, sensitivity: none, words: [fresh, sliced]}
  ingredient: {description: What is in it., evidence: visible, sensitivity: none, words: [chocolate, cheese]}
  amount: {description: How much., evidence: visible, sensitivity: none, words: [slice of, two]}
  look: {description: How it looks or tastes., evidence: inferred, sensitivity: none, words: [delicious]}
examples: []
"""
HEADS = {
    "dish": """food meal dish breakfast lunch dinner salad pasta spaghetti noodle burger
        hamburger cheeseburger hotdog taco burrito omelet omelette stew curry sushi lasagna
        casserole quesadilla wrap sub pie fry appetizer snack entree buffet stir-fry chili
        pancake waffle toast pizzas bread bun roll bagel biscuit loaf cracker tortilla pretzel
        croissant dough crust rice cereal oatmeal meat beef chicken steak ham bacon sausage
        pepperoni turkey salmon shrimp fish tuna egg cheese yogurt butter tofu nut sauce ketchup
        mustard topping ingredient gravy dressing mayonnaise syrup dip honey jam meatball rib
        chip popcorn crab lobster""",
    "produce": """fruit vegetable veggie orange broccoli tomato potato onion pepper lettuce
        cucumber bean pea corn mushroom cabbage cauliflower spinach celery pumpkin squash
        zucchini eggplant asparagus radish beet garlic olive avocado lemon lime grape strawberry
        berry blueberry raspberry cherry peach pear plum pineapple watermelon melon mango kiwi
        grapefruit tangerine basil parsley herb pickle green turnip cilantro artichoke
        cantaloupe coconut nectarine kale""",
    "sweet": """dessert doughnut cookie cupcake pastry brownie muffin pudding candy chocolate
        ice-cream icing frosting tart cheesecake sweet pie sprinkle cream""",
    "drink": """tea beer milk juice beverage drink soda cocktail lemonade smoothie liquor
        champagne cappuccino latte espresso water cider""",
}
MODIFIERS = {
    "color": "yellow brown white black orange purple pink blue golden dark colorful bright colored",
    "size": "big huge little tiny giant long thick thin mini miniature medium sized tall whole massive bite",
    "state": """cooked baked fried grilled toasted cut chopped peeled eaten half-eaten steamed
        raw ripe unripe frozen hot cold iced roasted boiled uncooked mashed diced shredded
        melted stuffed frosted glazed prepared uneaten bitten rotten cooking sliced half
        decorated topped powdered iced covered loaded unpeeled warm homemade finished burnt
        scrambled dried bruised partially sprinkled layered wrapped packaged assorted mixed
        different various other""",
    "ingredient": """chicken meat beef tomato vegetable veggie fruit pepperoni ham bacon mushroom
        apple banana carrot lemon orange egg potato broccoli rice tuna fish turkey sausage
        strawberry vanilla cream berry blueberry pumpkin cherry coconut spinach onion pepper
        garlic peanut butter bean corn noodle bread wheat rye pita milk coffee tea grape salad
        soup crust birthday wedding breakfast lunch dinner dessert deli layer sandwich pizza
        donut cake hotdog""",
    "amount": """three four five six seven eight nine ten one several many few some multiple
        numerous couple single half-dozen dozen plate-of bowl-of piece-of cup-of glass-of
        bunch-of pile-of bottle-of box-of basket-of pan-of tray-of slices-of pieces-of bowls-of
        plates-of assortment-of variety-of stack-of mug-of lot-of loaf-of container-of bag-of
        row-of carton-of dish-of couple-of selection-of group-of display-of bite-of head-of
        table-of collection-of pot-of side-of serving-of number-of cluster-of jar-of pair-of
        set-of rack-of crate-of case-of bucket-of platter-of array-of""",
    "look": """tasty yummy healthy gourmet fancy good nice spicy sweet savory greasy crispy
        juicy cheesy plain appetizing looking delicious-looking italian chinese mexican french
        asian deep-dish vegetarian vegan organic traditional creamy shaped shiny beautiful
        creative simple interesting empty full odd ugly""",
}


class Author:
    """Answers by the lists above."""

    def __init__(self, taxonomy: Taxonomy, *, trace: bool = False) -> None:
        self.trace = trace
        self._taxonomy = taxonomy
        self._known: dict[Role, dict[str, str]] = {"head": {}, "modifier": {}}
        for role, lists in (("head", HEADS), ("modifier", MODIFIERS)):
            for category, words in lists.items():
                for word in words.split():
                    self._known["head" if role == "head" else "modifier"].setdefault(
                        self._form(word), category
                    )

    def _form(self, word: str) -> str:
        return normal_form(self._taxonomy, word)

    def category(self, candidate: Candidate) -> str | None:
        """Return where a word belongs, or None."""
        known = self._known[candidate.role]
        forms = (candidate.word, singular_of(candidate.word))
        return next((known[self._form(form)] for form in forms if self._form(form) in known), None)

    def cost(self, item: Item) -> int:
        """Return how many decisions an item takes."""
        return 1 if item.offer is not None else min(2, len({self.category(each) for each in item.members}))

    def decide(self, session: Session, item: Item) -> None:
        """Answer one question."""
        found = Counter(self.category(member) for member in item.members)
        if item.offer is not None:  # a list goes where most of what it reads goes, or nowhere
            found = sum((Counter({self.category(each): each.count}) for each in item.members), Counter())
        common = found.most_common(1)[0][0]
        if self.trace:
            print("    ", item.role, [(member.word, self.category(member)) for member in item.members])
        if (
            len(found) > 1 and item.offer is None
        ):  # what does not go with the rest is dropped, and waits by itself
            session.drop(n for n, member in enumerate(item.members) if self.category(member) != common)
            session.decisions += 1
        if common is None:
            session.ignore()
        else:
            session.accept(common)

    def whole(self) -> Taxonomy:
        """Return the taxonomy with everything that the author knows: what the phrases aside are told by."""
        text = taxonomy_of(SEED, "food.yaml")
        lists = {"heads": HEADS, "modifiers": MODIFIERS}
        changed = {
            part: {
                name: category.model_copy(
                    update={"words": _entries(category.words, lists[part].get(name, ""))}
                )
                for name, category in getattr(text, part).items()
            }
            for part in lists
        }
        return text.model_copy(update=changed)


def _entries(words: tuple[object, ...], more: str) -> tuple[object, ...]:
    from assess.taxonomy.model import Entry

    listed = {entry.word for entry in words if isinstance(entry, Entry)}
    new = dict.fromkeys(word.replace("-of", " of") for word in more.split())
    return (*words, *(Entry(word=word) for word in new if word not in listed))


def aside_shares(gold: Survey, taxonomy: Taxonomy) -> tuple[float, float, float]:
    """Return three shares: of food phrases aside that a taxonomy reads in full, of those that it reads with
    the right categories, and of food among all that it takes for food.
    """
    parser, truth = Parser(taxonomy), Parser(gold.taxonomy)
    counts = Counter[str]()
    for text, seen in gold.whole.labels.items():
        if way_of(gold.analyses[text]) == "full":
            counts["phrases"] += seen.count
            found = parser.analyse(text)
            if found.in_domain and way_of(found) == "full":
                counts["full"] += seen.count
                best, right = found.best, gold.analyses[text].best
                same = set(best.heads) == set(right.heads) and set(best.modifiers) == set(right.modifiers)
                counts["right"] += seen.count * same
    for text, seen in gold.read_with(taxonomy).whole.labels.items():
        counts["labels"] += seen.count
        counts["food"] += seen.count * truth.analyse(text).in_domain
    return (
        counts["full"] / counts["phrases"],
        counts["right"] / counts["phrases"],
        counts["food"] / counts["labels"],
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("develop")
    parser.add_argument("aside")
    parser.add_argument("--decisions", type=int, default=150)
    parser.add_argument("--no-wordnet", action="store_true")
    parser.add_argument("--no-groups", action="store_true")
    parser.add_argument("--trace", action="store_true")
    arguments = parser.parse_args()
    wordnet = None if arguments.no_wordnet else find_wordnet()
    seed = taxonomy_of(SEED, "food.yaml")
    author = Author(seed, trace=arguments.trace)
    with tempfile.TemporaryDirectory() as folder, closing(AnnotationService(processes=1)) as annotations:
        path = Path(folder) / "food.yaml"
        path.write_text(SEED)
        develop, aside = (
            survey([parse_source(name)], seed, annotations=annotations)
            for name in (arguments.develop, arguments.aside)
        )
        gold = aside.read_with(author.whole())
        session = Session(
            TaxonomyFile(path),
            Adviser(seed, develop.contexts, wordnet=wordnet),
            domain_gaps(develop, wordnet),
            read=lambda taxonomy: domain_gaps(develop.read_with(taxonomy), wordnet),
            wanted=lambda item: item.count >= 3,
            grouped=not arguments.no_groups,
        )
        shown = 0
        while session.decisions < arguments.decisions:
            if session.changes >= 10 or session.current is None:
                if session.current is None and not session.changes:
                    break
                session.reread()
            if session.decisions >= shown:
                _print(session, gold)
                shown += 25
            if session.current is not None:
                if session.decisions + author.cost(session.current) > arguments.decisions:
                    break
                author.decide(session, session.current)
        _print(session, gold)
        print(session.tally)
    return 0


def _print(session: Session, gold: Survey) -> None:
    full, right, food = aside_shares(gold, session.taxonomy)
    print(
        f"{session.decisions:>4} decisions: {full:.1%} read in full, {right:.1%} with the same categories;"
        f" {food:.1%} of labels are food",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
