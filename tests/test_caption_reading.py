"""Analysing whole captions: who is mentioned, and what is said about each person."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from assess.annotate.extract import Annotator
from assess.corpus import parse_source, read_captions
from assess.grammar import Parser, repairs
from assess.grammar.captions import Unit
from assess.grammar.clauses import Clauses
from assess.grammar.doubts import choose_signs
from assess.grammar.draft import KnownWords
from assess.grammar.labels import LabelFinder
from assess.grammar.objects import Statement
from assess.grammar.repairs import repaired
from assess.grammar.statements import StatementReader
from assess.grammar.tree import Tree, joined_nouns
from assess.grammar.verbs import participle
from assess.records import Annotation, Chunk, PersonInCaption
from assess.taxonomy import load_taxonomy, parse_taxonomy

model = pytest.mark.model
Read = Callable[[str], list[PersonInCaption]]


@pytest.fixture(scope="module")
def annotator() -> Annotator:
    return Annotator()


@pytest.fixture(scope="module")
def finder() -> LabelFinder:
    return LabelFinder(Parser(load_taxonomy("people")))


@pytest.fixture
def read(annotator: Annotator, finder: LabelFinder) -> Read:
    def people(caption: str) -> list[PersonInCaption]:
        (annotation,) = annotator.annotate([caption])
        return finder.describe(caption, annotation)

    return people


def said(people: list[PersonInCaption]) -> list[tuple[str, str]]:
    """Return each person by the first mention, with the modifier categories told anywhere."""
    return [(person.mentions[0].lower(), " ".join(person.analysis.best.modifiers)) for person in people]


@model
@pytest.mark.parametrize(
    ("caption", "clothes"),
    [
        ("A man wearing a suit and a hat stands by a lake.", ["a suit", "a hat"]),
        ("A girl dressed in a red coat wears a helmet.", ["a red coat", "a helmet"]),
        ("A man without a shirt sits on a bench.", ["a shirt"]),
    ],
)
def test_what_is_no_person_may_be_a_thing_of_another_domain(
    annotator: Annotator, caption: str, clothes: list[str]
) -> None:
    (annotation,) = annotator.annotate([caption])
    found = LabelFinder(Parser(load_taxonomy("clothing"))).describe(caption, annotation)
    assert [thing.mentions[0] for thing in found] == clothes


@model
@pytest.mark.parametrize(
    ("caption", "people"),
    [
        # verbs, finite and not
        ("A woman sits on a bench.", [("a woman", "pose")]),
        ("Two boys stand in a field.", [("two boys", "number pose")]),
        ("The waiters are setting tables.", [("the waiters", "activity")]),
        ("a girl brushing a horse", [("a girl", "activity")]),
        ("a man standing on a beach flying a kite", [("a man", "activity pose")]),
        ("A kid has eaten a cake.", [("a kid", "activity")]),
        ("a horse ridden by a jockey", [("a jockey", "activity")]),
        ("a man striking a ball", [("a man", "activity")]),
        ("A nurse laughs.", [("a nurse", "mood")]),
        # predicates and clauses
        ("The girl is tall and happy.", [("the girl", "height mood")]),
        ("A woman who is wearing a hat smiles.", [("a woman", "kind-of-clothing mood")]),
        ("a boy that has a beard", [("a boy", "facial-hair")]),
        ("A man in a suit who is reading.", [("a man", "activity kind-of-clothing")]),
        # what people have, wear and hold
        ("a man with a beard and glasses", [("a man", "accessories facial-hair")]),
        ("a boy wearing a red shirt", [("a boy", "clothing-color kind-of-clothing")]),
        ("a man in formal attire", [("a man", "clothing-other kind-of-clothing")]),
        ("a man with his shirt off", [("a man", "amount-of-clothing")]),
        ("a woman holding an umbrella", [("a woman", "accessories")]),
        ("a woman holding a puppy", [("a woman", "activity")]),
        ("a boy holding a hot dog", [("a boy", "accessories")]),
        ("a cook cutting bread with a knife", [("a cook", "activity")]),
        ("a soldier on horseback", [("a soldier", "activity")]),
        ("a woman on her phone", [("a woman", "activity")]),
        ("a man with a dog", [("a man", "")]),
        ("a dog with a man", [("a man", "")]),
        # X of Y
        ("a group of people riding motorcycles", [("a group of people", "activity group")]),
        ("a photo of a man with a beard", [("a photo of a man", "facial-hair meta")]),
        ("a couple of men are cooking", [("a couple of men", "activity number")]),
        ("a photo of a boy hanging on a wall", [("a photo of a boy", "meta")]),
        ("a group of men and women in suits", [("a group of men and women", "group kind-of-clothing")]),
        # words that the tagger mistakes for nouns
        ("A woman in a red dress walks home.", [("a woman", "activity clothing-color kind-of-clothing")]),
        ("a man wearing a helmet riding on a truck", [("a man", "activity kind-of-clothing")]),
        ("people at an ice skating rink", [("people", "")]),
        ("A woman holding tulips stands by a gate.", [("a woman", "accessories pose")]),
        ("a girl water skiing on a lake", [("a girl", "activity")]),
        ("A man in a shirt and green trousers has left.",
            [("a man", "activity clothing-color kind-of-clothing")]),
        ("a close up of a man wearing a grey shirt and a yellow tie",
            [("a close up of a man", "clothing-color kind-of-clothing meta")]),
        ("A coach is helping a small child swing a racket.",
            [("a coach", "activity"), ("a small child", "activity age")]),
        ("one cook holding a pan and another holding a bowl",
            [("one cook", "accessories number"), ("another", "accessories")]),
        ("A nurse in a grey shirt and jeans kneels by a cot.",
            [("a nurse", "clothing-color kind-of-clothing pose")]),
        ("Two cooks in white clothing stand by a stove.",
            [("two cooks", "clothing-color kind-of-clothing number pose")]),
        ("A player in purple kicks the ball.", [("a player", "activity clothing-color")]),
        ("Three sailors dressed in white and blue.", [("three sailors", "clothing-color number")]),
        ("An old lady selling tickets", [("an old lady", "activity age")]),
        ("A waiter is standing on a terrace and pointing.", [("a waiter", "activity pose")]),
        ("A small girl with blue eyes hugs a Teddy bear.", [("a small girl", "activity age eyes")]),
        ("Rugby player # 12 is running.", [("rugby player", "activity")]),
        ("A clerk in a suit and tie standing in a yard.", [("a clerk", "kind-of-clothing pose")]),
        ("A baker in white shirt kneading dough.",
            [("a baker", "activity clothing-color kind-of-clothing")]),
        ("a woman surfer riding a wave", [("a woman surfer", "activity gender")]),
        ("Marathon runners sprinting past a bank.", [("marathon runners", "activity")]),
        ("An acrobat in white spins through the air.", [("an acrobat", "activity clothing-color")]),
        ("Fans in red congratulate each other.", [("fans", "activity clothing-color")]),
        ("A cook prays while a young waiter lights candles.",
            [("a cook", "activity"), ("a young waiter", "activity age")]),
        ("One man hums while another drums on a box.",
            [("one man", "activity number"), ("another", "activity")]),
        ("A girl digs as a farmer milks a cow.", [("a girl", "activity"), ("a farmer", "activity")]),
        ("A boy in a harness lands in the lake.", [("a boy", "activity")]),
        ("A dog barks while a boy in the backseat watches.", [("a boy", "activity")]),
        ("Two people chatting surrounded by snow.", [("two people", "activity number")]),
        ("A pirate with a beard and sunglasses leans on a rail.",
            [("a pirate", "accessories facial-hair pose")]),
        ("A nun in jeans rock climbing.", [("a nun", "activity kind-of-clothing")]),
        ("A boy with no shirt juggling on a pier.", [("a boy", "activity amount-of-clothing")]),
        ("Three nuns stand on stage and sing.", [("three nuns", "activity number pose")]),
        ("Pupils in grey uniforms in a city stand in rows.",
            [("pupils", "clothing-color kind-of-clothing pose")]),
        ("A clown on a surfboard paddling through a bay.", [("a clown", "activity")]),
        ("The clerk is skate boarding in a park.", [("the clerk", "activity")]),
        ("Two nuns in a hall as adults look on.", [("two nuns", "number"), ("adults", "activity")]),
        ("A nun and a clerk surf in the bay.", [("a nun", "activity"), ("a clerk", "activity")]),
        ("A small group of nuns are out flying kites.", [("a small group of nuns", "activity group size")]),
        ("a clerk with stubble on his face", [("a clerk", "facial-hair")]),
        ("A clerk drinking juice on a sunny day.", [("a clerk", "activity")]),
        ("A nun opening letters in a hall.", [("a nun", "activity")]),
        ("Two boys crouch near a pond.", [("two boys", "number pose")]),
        ("The clerk is metal detecting.", [("the clerk", "activity")]),
        ("A clerk and a nun both wearing white standing in a row.",
            [("a clerk", "clothing-color pose"), ("a nun", "clothing-color pose")]),
        ("Men, women and children sing at a fair.",
            [("men", "activity"), ("women", "activity"), ("children", "activity")]),
        # subjects of participles
        ("Men on rival teams playing chess.", [("men", "activity"), ("rival teams", "relation")]),
        ("The clown stands outside of a shop eating bread.", [("the clown", "activity pose")]),
        ("Two nuns walk past a man on a bike.", [("two nuns", "activity number"), ("a man", "activity")]),
        # people who are present, in a picture, or absent
        ("A clown takes a photo of a young nurse.", [("a clown", "activity"), ("a young nurse", "age")]),
        ("There are no people on the pier.", []),
        ("No people are sitting on the bench.", []),
        ("A mother and baby giraffe eat leaves.", []),
        ("A bear and her babies cross a road.", []),
        ("A nurse next to a tree drinking tea.", [("a nurse", "activity")]),
        ("A girl with wooden legs posing.", [("a girl", "disability pose")]),
        ("A baker wearing a uniform and pink glasses waves.",
            [("a baker", "accessories activity kind-of-clothing")]),
        ("Two sailors are competing in a regatta.", [("two sailors", "activity number")]),
        ("A sailor runs along a pier with no shirt on.", [("a sailor", "activity amount-of-clothing")]),
        ("Two sailors wave while one leans on the other.",
            [("two sailors", "activity number"), ("one", "pose"), ("other", "")]),
        ("TWO WOMEN SIT ON A BENCH", [("two women", "number pose")]),
        ("A baker on a swing.", [("a baker", "activity")]),
        ("A woman with a blue apron on waves at a nurse.",
            [("a woman", "activity clothing-color kind-of-clothing"), ("a nurse", "")]),
        ("A girl in pink and white dancing on a stage.", [("a girl", "activity clothing-color")]),
        ("Man holding girl in a garden.", [("man", "activity"), ("girl", "")]),
        ("The skater in red waves at the skater in blue.",
            [("the skater", "activity clothing-color"), ("the skater", "clothing-color")]),
        ("A nurse is sprayed with water.", [("a nurse", "")]),
        ("A pitcher on a table and pitchers of milk.", []),
        ("A nurse is waving in public.", [("a nurse", "activity")]),
        ("A goalkeeper for a handball team catching the ball.",
            [("a goalkeeper", "activity"), ("a handball team", "activity")]),
        ("Two nurses in a crowd holding flags.", [("two nurses", "accessories number"), ("a crowd", "")]),
        ("A sailor in a cap that says hello.", [("a sailor", "kind-of-clothing")]),
        ("A baker wearing glasses and a pink apron sitting on a step.",
            [("a baker", "accessories clothing-color kind-of-clothing pose")]),
        ("A clerk wearing a grey suit with a green tie.", [("a clerk", "clothing-color kind-of-clothing")]),
        ("A boy sitting on a wall with a ball in front of him.", [("a boy", "pose")]),
        ("A nurse crosses a yard pushing a cart.", [("a nurse", "activity")]),
        ("Two sailors with red vests seated in a boat.",
            [("two sailors", "clothing-color kind-of-clothing number pose")]),
        ("A photographer watching a train passing by", [("a photographer", "activity")]),
        ("Two nurses are standing in a hall, each holding a tray.",
            [("two nurses", "accessories number pose")]),
        ("A family of five posing.", [("a family", "pose")]),
        ("A man with a beard standing next to a horse", [("a man", "facial-hair pose")]),
        ("A pilot dressed as a clown is waving.", [("a pilot", "activity kind-of-clothing")]),
        ("One of the cooks is laughing.", [("one of the cooks", "mood number")]),
        ("A crowd of men, women and children.", [("a crowd of men, women and children", "group")]),
        # postures of parts of the body
        ("A cook with his hands on his hips", [("a cook", "pose")]),
        ("A cook stirring soup with his left hand", [("a cook", "activity")]),
        ("A singer whose arms are crossed", [("a singer", "pose")]),
        ("A girl who has blonde hair tied back", [("a girl", "hair-color hair-style")]),
        ("a baby with bare feet on a rug", [("a baby", "amount-of-clothing")]),
        ("a pilot with a shocked expression", [("a pilot", "mood")]),
        ("a miner covered in mud", [("a miner", "cleanliness")]),
        ("a woman with a child on her shoulders", [("a woman", "activity"), ("a child", "")]),
        ("The cook is wearing a green sh", [("the cook", "clothing-color kind-of-clothing")]),
        # possessions
        ("a pilot wearing a scarf that is yellow", [("a pilot", "clothing-color kind-of-clothing")]),
        ("A judge whose hair is long and grey", [("a judge", "hair-color hair-length")]),
        ("Her dress is red.", [("her", "clothing-color kind-of-clothing")]),
        ("a singer brushing her long hair", [("a singer", "activity hair-length")]),
        ("a man asleep on a couch with a book in his hand", [("a man", "accessories state")]),
        ("two girls on a hill with a kite in the sky", [("two girls", "number")]),
        ("a woman in a skirt on a phone", [("a woman", "activity kind-of-clothing")]),
        ("a boy wearing a helmet and elbow pads", [("a boy", "accessories kind-of-clothing")]),
        (
            "A cook and a nurse. The cook's apron is white and the nurse's hair is long.",
            [("a cook", "clothing-color kind-of-clothing"), ("a nurse", "hair-length")],
        ),
        ("The clerk's beard is grey and he is laughing.", [("the clerk", "facial-hair hair-color mood")]),
        ("A nun. Her jeans are torn and the nun's eyes are closed.",
            [("a nun", "clothing-other eyes kind-of-clothing")]),
        ("A cook holds a man's hand.", [("a cook", "activity"), ("a man", "")]),
        ("A nun holding a tray with both arms raised .", [("a nun", "accessories pose")]),
        ("A nun is crossing the street with a basket.", [("a nun", "accessories activity")]),
        ("A nun sits by the phone she is holding.", [("a nun", "accessories pose")]),
        ("Two clerks wrestle in a hall as a dog walks by.", [("two clerks", "activity number")]),
        ("A cook in a yellow cap and a clerk in a pink gown play on the beach.",
            [("a cook", "activity clothing-color kind-of-clothing"),
            ("a clerk", "activity clothing-color kind-of-clothing")]),
        ("A nun stands wearing a red, green and blue cap smiling.",
            [("a nun", "clothing-color kind-of-clothing mood pose")]),
        ("A clerk on a bench wraps his arms around a nun.", [("a clerk", "activity"), ("a nun", "")]),
        ("A nun in black spoons soup from a pot.", [("a nun", "activity clothing-color")]),
        ("A cook with a bag standing with boxes next to her.", [("a cook", "accessories pose")]),
        ("Two nuns sing while five others wait.",
            [("two nuns", "activity number"), ("others", "activity number")]),
        ("A mother sheep feeding her baby.", []),
        ("Two nuns are holding a rehearsal.", [("two nuns", "activity number")]),
        ("A clerk who is over sixty.", [("a clerk", "age")]),
        ("I see a down-to-earth clerk.", [("a down-to-earth clerk", "judgment")]),
        ("A MOMMA AND BABY ELEPHANT ARE BY A POND", []),
        ("a clerk is being helped", [("a clerk", "activity")]),
        ("A nun being towed over the snow.", [("a nun", "activity")]),
        ("a male chess player playing chess on a green and blue court",
            [("a male chess player", "activity gender")]),
        ("a nun holding an umbrella with her coat on", [("a nun", "accessories kind-of-clothing")]),
        ("a group of nuns in line head down a mountain", [("a group of nuns", "activity group")]),
        ("A nun in red rock climbing, a mountain in the background.", [("a nun", "activity clothing-color")]),
        ("The women's entrance is closed.", []),
        ("A cook is washing the child's long hair.",
            [("a cook", "activity"), ("the child", "hair-length")]),
        # some of those named before, by a number alone
        ("Five nuns are in a hall. Two are standing, one is sitting and two are reading.",
            [("five nuns", "number"), ("two", "pose"), ("one", "pose"), ("two", "activity")]),
        ("Three nuns, two of whom are wearing hats", [("three nuns", "number"), ("two", "kind-of-clothing")]),
        ("Two cooks sit and a third waits.", [("two cooks", "number pose"), ("third", "activity")]),
        ("Four pilots at a bar, two standing and two sitting",
            [("four pilots", "number"), ("two", "pose"), ("two", "pose")]),
        ("Two nuns talking, one on a scooter and one on a horse.",
            [("two nuns", "activity number"), ("one", "activity"), ("one", "activity")]),
        ("Three nuns play chess. One is bald, the other two are barefoot, and all of them are laughing.",
            [("three nuns", "activity mood number"), ("one", "hair-length"), ("two", "amount-of-clothing")]),
        ("Four clerks, two standing and two reading",
            [("four clerks", "number"), ("two", "pose"), ("two", "activity")]),
        ("Two nuns on a bench, one sleeps and the other reads a book.",
            [("two nuns", "number"), ("one", "state"), ("other", "activity")]),
        ("Two nuns on a bench. One is bald; the other reads.",
            [("two nuns", "number"), ("one", "hair-length"), ("other", "activity")]),
        ("Two cooks are at a stove. Both are muscular.", [("two cooks", "build number")]),
        ("A jug and two bowls on a shelf. Two are green.", []),
        ("two sailors in racing uniforms", [("two sailors", "kind-of-clothing number")]),
        ("a woman without a helmet riding a bike", [("a woman", "activity")]),
        # multi-word modifiers
        ("A man who is hard of hearing sits there.", [("a man", "disability pose")]),
        ("The woman is left-handed.", [("the woman", "ability")]),
        # people whom the tagger mistakes for a modifier or a part of the verb
        ("A skateboarder doing flips in a park.", [("a skateboarder", "activity")]),
        ("Shirtless skateboarder on the edge of a ramp.", [("shirtless skateboarder", "amount-of-clothing")]),
        ("A skier barrels down a hill.", [("a skier", "activity")]),
        ("A kid ready for skating.", [("a kid", "")]),
        ("A man white water rafting down a river", [("a man", "activity")]),
        ("The photo depicts someone cross country skiing.", [("someone", "activity")]),
        ("A girl ice skates on a pond.", [("a girl", "activity")]),
        ("A young woman spray paints letters on a wall.", [("a young woman", "activity age")]),
        ("A tennis player practices hitting a ball.", [("a tennis player", "activity")]),
        ("Lady talks on a phone in a kitchen", [("lady", "activity")]),
        ("A family of 6 poses in a garden", [("a family", "pose")]),
        ("a couple bears walking through a field", []),
        # texts in capitals
        ("MAN IN BLUE SHIRT", [("man", "clothing-color kind-of-clothing")]),
        ("TWO MEN PLAYING SOCCER ON A FIELD", [("two men", "activity number")]),
        ("A WOMAN IS ON A COURT PLAYING TENNIS", [("a woman", "activity")]),
        # things that are used or elsewhere are not carried
        ("a man juggling with pins", [("a man", "activity")]),
        ("a man on a bike with a basket on the front of it", [("a man", "activity")]),
        ("people sitting on a rug, with plates of food in front of them", [("people", "pose")]),
        ("Lady holding a baby standing in a room", [("lady", "activity pose"), ("a baby", "")]),
        ("a bench without people", []),
        ("A man, his arms crossed, looks on.", [("a man", "activity pose")]),
        ("a man with a brown band on his wrist", [("a man", "accessories")]),
        # costumes and hats are not people
        ("Women dressed as knights are sitting on a wall.", [("women", "kind-of-clothing pose")]),
        ("A man wearing a bowler and a vest stands there.", [("a man", "kind-of-clothing pose")]),
        ("A shirtless , bearded man", [("a shirtless , bearded man", "amount-of-clothing facial-hair")]),
        ("A tall, thin man walks.", [("a tall, thin man", "activity height weight")]),
        (
            "A woman who is wearing red lipstick and has curly hair sits.",
            [("a woman", "accessories hair-style pose")],
        ),
        ("A couple wearing kimonos walk along a lane.", [("a couple", "activity kind-of-clothing")]),
        ("A woman with dark hair in jeans stands.", [("a woman", "hair-color kind-of-clothing pose")]),
        ("A woman with a box of sweets standing there.", [("a woman", "accessories pose")]),
        ("Kids and a few adults are playing.", [("kids", "activity"), ("a few adults", "activity number")]),
        # "in the dark" is not a colour of clothes; "in dark blue" is
        ("A nurse sits in the dark.", [("a nurse", "pose")]),
        ("A nurse in dark blue waves.", [("a nurse", "activity clothing-color")]),
        ("A nurse in a dark suit", [("a nurse", "clothing-color kind-of-clothing")]),
        # rights are not an action
        ("a gay rights banner on a wall", []),
        ("a nurse holding a gay rights banner", [("a nurse", "accessories")]),
        ("A gay man rights a boat.", [("a gay man", "activity identity")]),
        # a statement about one arm says nothing about the other
        ("a clown holding himself with one arm", [("a clown", "activity")]),
        ("a clown with one hand in his pocket", [("a clown", "pose")]),
        ("A nurse lifts a baby with one arm.", [("a nurse", "activity"), ("a baby", "")]),
        ("A clown with one arm sits on a step.", [("a clown", "disability pose")]),
        # activities in clothes at the end of a caption, but not names of things
        ("a nurse in a skirt dancing", [("a nurse", "activity kind-of-clothing")]),
        ("a nurse in a swimming costume", [("a nurse", "kind-of-clothing")]),
        ("a man in a hat and a woman in a skirt dancing",
            [("a man", "activity kind-of-clothing"), ("a woman", "activity kind-of-clothing")]),
        ("a clown and a girl holding console controllers", [("a clown", ""), ("a girl", "accessories")]),
        ("a guitar playing man", [("a guitar playing man", "activity")]),
        # "her back" versus "back"
        ("A nurse is standing with her back to the wall.", [("a nurse", "pose")]),
        ("A nurse walks her back to the bus.", [("a nurse", "activity"), ("her", "")]),
        ("A clown throws another clown in a green gi to the ground.",
            [("a clown", "activity"), ("another clown", "clothing-color contrast kind-of-clothing")]),
        # what a scene does, people do not
        ("The presence of two clowns suggests a party.", [("two clowns", "number")]),
        ("The presence of two clowns adds to the lively atmosphere.", [("two clowns", "number")]),
        ("Two clowns stand around, creating a lively atmosphere.", [("two clowns", "number pose")]),
        ("Two clowns stand around, adding to the fun.", [("two clowns", "number pose")]),
        ("A clown is adding sugar to a bowl.", [("a clown", "activity")]),
        ("A clown holding his belly.", [("a clown", "pose")]),
        ("A clown with tears in his eyes.", [("a clown", "mood")]),
        ("A clown is soaking wet.", [("a clown", "state")]),
        ("A clown is dressed casually in jeans.", [("a clown", "clothing-other kind-of-clothing")]),
        ("A clown clad in a red singlet.", [("a clown", "clothing-color kind-of-clothing")]),
        ("A clown in a business suit.", [("a clown", "kind-of-clothing")]),
        ("A dozen of clowns are smiling.", [("a dozen of clowns", "mood number")]),
        ("All of the clowns are smiling.", [("the clowns", "mood")]),
    ],
)  # fmt: skip
def test_what_a_caption_says_of_a_person(read: Read, caption: str, people: list[tuple[str, str]]) -> None:
    assert said(read(caption)) == people


@model
@pytest.mark.parametrize(
    ("caption", "people"),
    [
        ("a young man and woman sitting", [("a young man", "age pose"), ("woman", "age pose")]),
        ("A man and a woman are smiling.", [("a man", "mood"), ("a woman", "mood")]),
        ("A man sits and a woman stands.", [("a man", "pose"), ("a woman", "pose")]),
        (
            "a man and a woman in a red dress",
            [("a man", ""), ("a woman", "clothing-color kind-of-clothing")],
        ),
        ("A man and a woman dressed in black.", [("a man", "clothing-color"), ("a woman", "clothing-color")]),
        (
            "A man and a woman, formally dressed.",
            [("a man", "clothing-other"), ("a woman", "clothing-other")],
        ),
        ("Two men, one in red.", [("two men", "number"), ("one", "clothing-color")]),
        ("A nurse and her dog on a surfboard.", [("a nurse", "activity")]),
        ("a man in a hat and a woman reading", [("a man", "kind-of-clothing"), ("a woman", "activity")]),
        ("a man and his dog are walking", [("a man", "activity")]),
        ("A woman watches a boy climbing a tree.", [("a woman", "activity"), ("a boy", "activity")]),
        ("A woman talks to a man in a suit.", [("a woman", "activity"), ("a man", "kind-of-clothing")]),
        (
            "A drummer and guitar player perform on stage.",
            [("a drummer", "activity"), ("guitar player", "activity")],
        ),
        (
            "a man in black and a woman in red dancing",
            [("a man", "activity clothing-color"), ("a woman", "activity clothing-color")],
        ),
        ("a man and woman each holding a flag", [("a man", "accessories"), ("woman", "accessories")]),
        ("a girl and a boy, who is crying", [("a girl", ""), ("a boy", "mood")]),
        (
            "a man, a woman and a child eating",
            [("a man", "activity"), ("a woman", "activity"), ("a child", "activity")],
        ),
        (
            "Two men, one of whom is reading, sit on a sofa.",
            [("two men", "number pose"), ("one", "activity")],
        ),
    ],
)
def test_what_is_shared_goes_to_all_and_what_is_not_stays(
    read: Read, caption: str, people: list[tuple[str, str]]
) -> None:
    assert said(read(caption)) == people


@model
@pytest.mark.parametrize(
    ("caption", "mentions"),
    [
        (
            "Many people are in a hall. Some are reading, others are asleep.",
            [["Many people"], ["Some"], ["others"]],
        ),
        ("A man sits. The man wears a hat. He smiles.", [["A man", "The man", "He"]]),
        ("A man and a woman sit. She reads, he sleeps.", [["A man", "he"], ["a woman", "She"]]),
        ("A boy and a girl play. They laugh.", [["A boy", "They"], ["a girl", "They"]]),
        ("Two girls wait. They are bored.", [["Two girls", "They"]]),
        ("A skier adjusts her goggles.", [["A skier", "her"]]),
        ("An umpire stands behind a batter. He swings.", [["An umpire", "He"], ["a batter"]]),
        ("A batter is swinging and an umpire stands behind him.", [["A batter", "him"], ["an umpire"]]),
        ("Two men talk, one of them is standing.", [["Two men", "them"], ["one"]]),
        ("A boy sits. Another boy stands.", [["A boy"], ["Another boy"]]),
        ("A man rides a wave. The surfer is wet.", [["A man", "The surfer"]]),
        ("The man is a famous surfer.", [["The man", "a famous surfer"]]),
        ("He is riding a bike.", [["He"]]),
        (
            "The man on the left is eating and the man on the right is drinking.",
            [["The man"], ["the man"]],
        ),
        ("A boy and two girls are running. They laugh.", [["A boy", "They"], ["two girls", "They"]]),
        # pronouns for animals and things
        ("A dog shakes his head.", []),
        ("Two zebras stand with their young.", []),
        ("A man feeds two horses. They are brown.", [["A man"]]),
        ("A cat sleeps while a girl brushes her hair.", [["a girl", "her"]]),
    ],
)
def test_mentions_lead_to_their_person(read: Read, caption: str, mentions: list[list[str]]) -> None:
    assert [list(person.mentions) for person in read(caption)] == mentions


@model
@pytest.mark.parametrize(
    ("caption", "told"),
    [
        ("a woman", ("female", "nouns")),
        ("a female tennis player", ("female", "modifiers")),
        ("a male nurse", ("male", "modifiers")),
        ("A skier adjusts her goggles.", ("female", "pronouns")),
        ("a person", None),
        ("a group of men and women", ("mixed", "nouns")),
        ("A surfer rides a wave. The woman is wet.", ("female", "nouns")),
        ("The player is a woman.", ("female", "nouns")),
        ("The skier is female.", ("female", "modifiers")),
        ("The skier is not a woman.", None),
    ],
)
def test_gender_is_told_by_nouns_modifiers_and_pronouns(
    read: Read, caption: str, told: tuple[str, str] | None
) -> None:
    (person,) = read(caption)
    found = {name: (value, by) for name, value, by in person.groups}
    assert found.get("gender") == told


@model
@pytest.mark.parametrize(
    ("caption", "modifiers", "hedged"),
    [
        ("a boy is not smiling", "", ()),
        ("a cyclist without a helmet", "", ()),
        ("a man with no hat", "", ()),
        ("a man with no shirt", "amount-of-clothing", ()),
        ("A batter is about to swing.", "", ("swinging",)),
        ("A man who is neither tall nor happy.", "", ()),
        ("It looks like the man is sleeping.", "", ("sleeping",)),
        ("A man holding no bag and an umbrella.", "accessories", ()),
        ("A child is trying to catch a ball.", "", ("catching (something)",)),
        ("The girl seems to be writing or drawing.", "", ("writing", "drawing")),
        ("The nurse is determined to win.", "mood", ("winning",)),
        ("There is bread for guests to eat.", "", ("eating",)),
        ("A person is possibly eating.", "", ("eating",)),
        ("A man bends down to tie his shoes.", "activity pose", ()),
        ("a man not wearing a shirt", "amount-of-clothing", ()),
        ("a woman with neither hat nor gloves", "", ()),
        ("a group of people, none of them smiling", "group", ()),
        ("a man unable to stand", "", ("standing",)),
        ("a dog waiting for someone to throw a ball", "", ("throwing (something)",)),
        ("A clown who appears to be in a red coat is sitting.", "pose", ("in red coat",)),
        ("A clown is not in a suit.", "", ()),
        ("The clown almost falls.", "", ("falling",)),
        ("A clown stopped smoking.", "", ()),
        ("Two clowns may walk hand in hand.", "number", ("walking",)),
        ("A clown stops to smoke.", "activity", ()),
        ("A clown without shoes or a shirt stands there.", "amount-of-clothing pose", ()),
    ],
)
def test_only_what_is_asserted_counts(
    read: Read, caption: str, modifiers: str, hedged: tuple[str, ...]
) -> None:
    (person,) = read(caption)
    assert (" ".join(person.analysis.best.modifiers), person.hedged) == (modifiers, hedged)


@model
def test_what_is_not_understood_is_told(read: Read) -> None:
    (person,) = read("A man with a blorp is wugged.")
    assert person.unread == ("with blorp", "wugged")


@model
@pytest.mark.parametrize(("unit", "labels"), [("person", 1), ("mention", 2)])
def test_people_or_mentions_are_counted(annotator: Annotator, unit: Unit, labels: int) -> None:
    caption = "A man sits. The man wears a hat. He smiles."
    finder = LabelFinder(Parser(load_taxonomy("people")), unit=unit)
    (annotation,) = annotator.annotate([caption])
    counted = [found for found in finder.find(caption, annotation) if found.person and not found.repeats]
    assert len(counted) == labels


@model
def test_without_what_follows_only_the_chunk_counts(annotator: Annotator, finder: LabelFinder) -> None:
    caption = "a man with a beard"
    bare = LabelFinder(finder.parser, after=False)
    (annotation,) = annotator.annotate([caption])
    (found, _) = bare.find(caption, annotation)
    assert (found.key, bare.analyse(found.key).best.modifiers) == ("a man", ())


@model
def test_what_is_said_is_kept_with_its_place(annotator: Annotator, finder: LabelFinder) -> None:
    caption = "A girl in a hat waves to a boy. The boy wears a hat and his shirt is blue."
    (annotation,) = annotator.annotate([caption])
    boy = next(found for found in finder.find(caption, annotation) if found.key.startswith("a boy"))
    assert [caption[start:end] for start, end in boy.places] == ["wears a hat", "his shirt is blue"]


STRANGE = [
    "",
    "   ",
    "MAN RIDING HORSE",
    "man",
    "a man a man a man",
    "he she they",
    "... ... ...",
    "¿un hombre?",
    "一个男人在骑马",
    "a man \u202e with a hat",
    "a man is is is is",
    "and and a man and",
    "of of a man of",
    "his his his",
    "the man the man the man of the man",
    "a man … with beard",
    "\x00 a man \x00",
]


@model
@pytest.mark.parametrize("caption", STRANGE)
def test_strange_texts_are_read_somehow(annotator: Annotator, finder: LabelFinder, caption: str) -> None:
    (annotation,) = annotator.annotate([caption])
    for found in finder.find(caption, annotation):
        assert 0 <= found.start < found.end <= len(caption)
        assert finder.analyse(found.key).text == found.key


def calls(finder: LabelFinder, text: str, annotation: Annotation) -> int:
    """Return how many lines of Python run to read a text, regardless of the load."""
    count = 0

    def tally(_frame: FrameType, _event: str, _argument: object) -> Any:
        nonlocal count
        count += 1
        return tally

    before = sys.gettrace()
    sys.settrace(tally)
    try:
        finder.find(text, annotation)
    finally:
        sys.settrace(before)
    return count


@model
@pytest.mark.parametrize(
    "repeated",
    [
        "a man with a hat and ",
        "a man is tall and ",
        "he sees her and ",
        "the man, ",
        "a man riding a horse, ",
    ],
)
def test_work_grows_with_the_length_of_a_text(
    annotator: Annotator, finder: LabelFinder, repeated: str
) -> None:
    texts = [(20 * repeated + ". ") * times for times in (1, 10, 20)]
    annotations = list(annotator.annotate(texts))
    _, short, long = (calls(finder, text, parse) for text, parse in zip(texts, annotations, strict=True))
    assert long < 2.6 * short


# The parts, on parses built by hand.

AFTER = """\
taxonomy: tiny
version: 1.0.0
description: A tiny domain.
sets: {color: [red, dark blue], garment: [shirt, dress]}
heads:
  person: {description: Someone., words: [man: men, crowd]}
modifiers:
  age: {description: How old., evidence: visible, sensitivity: none, words: [old], not_with: [crowd]}
  mood: {description: How they feel., evidence: inferred, sensitivity: none, words: [happy, smiling]}
  clothes:
    description: What they wear.
    evidence: visible
    sensitivity: none
    after: ["in|wearing {color} {garment}", "in {color}"]
    words: [well dressed]
says_nothing: [seen]
"""
DOING = '  doing: {description: D., evidence: visible, sensitivity: none, after: ["{verb}"], words: [busy]}\n'


@pytest.fixture(scope="module")
def reader() -> StatementReader:
    return StatementReader(Parser(parse_taxonomy(AFTER, "tiny.yaml")[0]))


def quality(word: str) -> Statement:
    return Statement(0, 0, word, (0,))


def relation(phrase: str) -> Statement:
    return Statement(0, 0, phrase, (0,), object=1)


def categories(reader: StatementReader, label: str, statement: Statement) -> tuple[str, ...] | None:
    found = reader.read(label, statement, of_domain=False)
    return None if found is None else found[1]


def test_a_quality_is_read_as_if_it_stood_before_the_noun(reader: StatementReader) -> None:
    assert categories(reader, "a man", quality("old")) == ("age",)
    assert categories(reader, "a man", quality("blorpy")) is None
    # The head's constraints hold after the noun too.
    assert categories(reader, "a crowd", quality("old")) is None


@pytest.mark.parametrize(
    ("phrase", "read"),
    [
        ("wearing red shirt", True),
        ("in dark blue dresses", True),
        ("in dark-blue dress", True),
        ("wearing long red cotton shirt", True),
        ("in red", True),
        ("wearing red", False),
        ("with red shirt", False),
        ("in red car", False),
    ],
)
def test_patterns_allow_words_between_their_parts_only(
    reader: StatementReader, phrase: str, read: bool
) -> None:
    assert categories(reader, "a man", relation(phrase)) == (("clothes",) if read else None)


def test_verbs_are_an_open_class_where_a_taxonomy_says_so(reader: StatementReader) -> None:
    listed = Statement(0, 0, "smiling", (0,), verb="smiling")
    other = Statement(0, 0, "petting", (0,), verb="petting")
    nothing = Statement(0, 0, "seen", (0,), verb="seen")
    assert categories(reader, "a man", listed) == ("mood",)
    assert categories(reader, "a man", other) is None
    open_too = StatementReader(
        Parser(parse_taxonomy(AFTER.replace("says_", DOING + "says_"), "tiny.yaml")[0])
    )
    assert [categories(open_too, "a man", verb) for verb in (listed, other, nothing)] == [
        ("mood",),
        ("doing",),
        (),
    ]


def test_spans_count_the_tokens_after_those_of_the_chunk(reader: StatementReader) -> None:
    analysis = reader.analyse("a happy man … wearing red shirt")
    (span,) = (span for span in analysis.spans if span.position == "after")
    assert analysis.tokens[span.start : span.end] == ("wearing", "red", "shirt")


def parse(*rows: tuple[str, str, int, str], chunks: tuple[Chunk, ...] = ()) -> Annotation:
    """Build an annotation from (word, tag, head, relation) rows."""
    words, tags, heads, deps = zip(*rows, strict=True)
    offsets, position = [], 0
    for word in words:
        offsets.append(position)
        position += len(word) + 1
    return Annotation(words, tuple(offsets), tags, chunks, heads, deps)


def phrases(annotation: Annotation, reader: StatementReader, *nouns: int) -> list[tuple[str, int, int]]:
    tree = Tree(annotation)
    found = Clauses(tree, joined_nouns(tree, nouns), reader).statements()
    return [(statement.phrase, statement.start, statement.at) for statement in found]


def test_joined_objects_are_statements_of_their_own(reader: StatementReader) -> None:
    annotation = parse(
        ("a", "DT", 1, "det"),
        ("man", "NN", 1, "ROOT"),
        ("in", "IN", 1, "prep"),
        ("red", "NN", 2, "pobj"),
        ("and", "CC", 3, "cc"),
        ("boots", "NNS", 3, "conj"),
    )
    # A joined object is marked by itself: its preposition stands before another one.
    assert phrases(annotation, reader, 1) == [("in red", 2, 3), ("in boots", 5, 5)]


def test_what_no_pattern_reads_after_a_preposition_is_no_statement(reader: StatementReader) -> None:
    annotation = parse(
        ("man", "NN", 0, "ROOT"), ("in", "IN", 0, "prep"), ("a", "DT", 3, "det"), ("room", "NN", 1, "pobj")
    )
    assert phrases(annotation, reader, 0) == []


def test_the_subject_of_a_copula_has_its_adjectives(reader: StatementReader) -> None:
    annotation = parse(
        ("the", "DT", 1, "det"),
        ("man", "NN", 2, "nsubj"),
        ("is", "VBZ", 2, "ROOT"),
        ("old", "JJ", 2, "acomp"),
        ("and", "CC", 3, "cc"),
        ("happy", "JJ", 3, "conj"),
    )
    assert phrases(annotation, reader, 1) == [("old", 3, 3), ("happy", 5, 5)]


def test_a_parse_that_goes_round_in_a_circle_says_nothing(reader: StatementReader) -> None:
    annotation = parse(("man", "NN", 0, "ROOT"), ("runs", "VBZ", 2, "conj"), ("jumps", "VBZ", 1, "conj"))
    assert phrases(annotation, reader, 0) == []


def test_a_plural_after_an_article_for_one_is_a_verb() -> None:
    annotation = parse(
        ("a", "DT", 2, "det"),
        ("man", "NN", 2, "compound"),
        ("hovers", "NNS", 2, "ROOT"),
        ("above", "IN", 2, "prep"),
        chunks=(Chunk(0, 12),),
    )
    known = KnownWords(frozenset(), lambda _phrase: False, choose_signs)
    mended = repaired(Tree(annotation), known)
    assert (mended.tags[2], mended.heads[2], mended.chunks) == ("VBZ", 1, (Chunk(0, 5),))
    assert repaired(mended, known) is mended


DOUBTED = (
    "A man in a red shirt jumps over a fence.",
    "A woman in a blue coat strolls past a shop.",
    "A boy in a shirt and shorts lunges for the ball.",
    "A man in a blue shirt and jeans kneels on the grass.",
    "A girl in pink playing with a kite",
    "Players in red congratulate each other.",
    "Two girls crouch beside a puddle.",
    "Old lady selling tickets",
    "a man water skiing behind a boat",
    "A woman in an apron shopping",
    "Three women and a dog stand by a lake.",
    "Men in white clothing stand in a row.",
    "Women in a room wear hats.",
    "People on a beach play with a kite.",
    "Hockey player # 44 skates past the goal.",
    "A man with a hat on sits on a bench.",
    "He wears a suit and tie.",
    "A man in a white shirt and bow tie sings.",
    "Two men, one sitting and another standing",
    "A man drinks while another drums.",
    "A farmer watches as a boy milks a cow.",
    "two cooks chopping onions, one stirs a pot",
    "A family of four posing by a car",
    "A man, a woman and a child looking on",
    "boys in a tent eating beans",
    "People are out flying kites.",
    "He smiles and dances.",
    "musicians entertaining people in a square",
    "Woman surfer on a wave",
    "A skateboarder doing flips in a park.",
    "Shirtless skateboarder on the edge of a ramp.",
    "A kid ready for skating.",
    "A man white water rafting down a river",
    "A girl ice skates on a pond.",
    "Lady talks on a phone in a kitchen",
    "A family of 6 poses in a garden",
    "MAN IN BLUE SHIRT",
    "Women dressed as knights are sitting on a wall.",
    "Kids and a few adults are playing.",
    "A couple wearing kimonos walk along a lane.",
)


@model
def test_every_word_that_a_repair_would_change_is_doubted(
    annotator: Annotator, finder: LabelFinder, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Skipping words without signs of an error only saves time: checking every word gives the same result."""
    source = parse_source(str(shared_data / "flickr30k_entities" / "sentences.tsv.gz"))
    texts = [caption.text for caption in islice(read_captions(source), 1_000)]
    annotations = annotator.annotate_distinct([*DOUBTED, *texts])
    quick = {text: finder.people(text, annotation) for text, annotation in annotations.items()}
    monkeypatch.setattr(repairs, "doubtful_words", lambda tree, _known: set(range(len(tree.words))))
    assert {text: finder.people(text, annotation) for text, annotation in annotations.items()} == quick


@pytest.mark.parametrize(
    ("word", "tag", "form"),
    [
        ("sits", "VBZ", "sitting"),
        ("sat", "VBD", "sitting"),
        ("lies", "VBZ", "lying"),
        ("carries", "VBZ", "carrying"),
        ("watches", "VBZ", "watching"),
        ("uses", "VBZ", "using"),
        ("stopped", "VBD", "stopping"),
        ("plays", "VBZ", "playing"),
        ("patrols", "VBZ", "patrolling"),
        ("control", "VBP", "controlling"),
        ("ridden", "VBN", "riding"),
        ("skis", "VBZ", "skiing"),
        ("smiling", "VBG", "smiling"),
    ],
)
def test_every_form_of_a_verb_has_its_participle(word: str, tag: str, form: str) -> None:
    assert participle(word, tag) == form
