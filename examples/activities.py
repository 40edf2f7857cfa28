"""What the people of the invented images do, and where.

In every tuple of deeds and places the plainest wording comes first and the richest last.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Activity:
    """Something to do somewhere, in several wordings."""

    deeds: tuple[str, ...]
    places: tuple[str, ...]
    extra: str


OF_ALL_AGES = (
    Activity(
        ("riding a bike", "riding a bicycle", "riding a shiny bicycle"),
        ("on a street", "on a city street", "down a narrow city street"),
        "past a parked car",
    ),
    Activity(
        ("walking a dog", "walking a brown dog", "walking a small brown dog"),
        ("in a park", "on a path", "along a shady path in a park"),
        "near a wooden bench",
    ),
    Activity(
        ("eating a pizza", "eating a slice of pizza", "eating a large slice of pizza"),
        ("at a table", "at a small table", "at a small round table"),
        "next to a glass of water",
    ),
    Activity(
        ("riding a horse", "riding a brown horse", "riding a beautiful brown horse"),
        ("in a field", "on a beach", "along a sandy beach"),
        "beside a white fence",
    ),
    Activity(
        ("flying a kite", "flying a colorful kite", "flying a large colorful kite"),
        ("on a beach", "in an open field", "in a wide open field"),
        "under a cloudy sky",
    ),
    Activity(
        ("hitting a tennis ball", "swinging a tennis racket", "swinging a bright tennis racket"),
        ("on a court", "on a tennis court", "on a sunny tennis court"),
        "behind a low net",
    ),
    Activity(
        ("riding a skateboard", "standing on a skateboard", "standing on an old skateboard"),
        ("on a ramp", "on a sidewalk", "on a steep concrete ramp"),
        "in front of a blue van",
    ),
    Activity(
        ("throwing a frisbee", "tossing a frisbee", "tossing a yellow frisbee"),
        ("in a park", "on the grass", "on the green grass of a park"),
        "near a tall tree",
    ),
    Activity(
        ("holding an umbrella", "carrying an umbrella", "carrying a large striped umbrella"),
        ("in the rain", "on a wet street", "in the heavy rain"),
        "next to a yellow taxi",
    ),
    Activity(
        ("sitting on a bench", "resting on a bench", "resting on an old wooden bench"),
        ("in a park", "by a lake", "by a quiet lake"),
        "with a gray cat",
    ),
    Activity(
        ("reading a book", "looking at a book", "reading a thick book"),
        ("on a couch", "in a living room", "on a soft couch in a living room"),
        "beside a sleeping kitten",
    ),
    Activity(
        ("feeding ducks", "feeding a duck", "feeding several hungry ducks"),
        ("at a pond", "near the water", "at the edge of a pond"),
        "under an old bridge",
    ),
    Activity(
        ("petting a cat", "stroking a cat", "stroking a fluffy orange cat"),
        ("on a sofa", "in a kitchen", "in a bright kitchen"),
        "next to an open window",
    ),
    Activity(
        ("brushing a horse", "grooming a horse", "grooming a tall black horse"),
        ("in a barn", "at a farm", "in a dusty barn"),
        "beside an old tractor",
    ),
)

OF_ADULTS = (
    Activity(
        ("riding a motorcycle", "driving a motorcycle", "riding a black motorcycle"),
        ("on a road", "on a highway", "along a winding mountain road"),
        "behind a red truck",
    ),
    Activity(
        ("waiting for a bus", "waiting for the bus", "waiting for a crowded bus"),
        ("at a bus stop", "on a corner", "on a busy street corner"),
        "with a heavy suitcase",
    ),
    Activity(
        ("washing a car", "cleaning a car", "washing a dirty white car"),
        ("in a driveway", "outside a house", "outside a brick house"),
        "with a green hose",
    ),
    Activity(
        ("cooking a meal", "making a meal", "cooking a delicious meal"),
        ("in a kitchen", "on a stove", "in a small modern kitchen"),
        "next to a bowl of tomatoes",
    ),
    Activity(
        ("talking on a phone", "talking on a cell phone", "talking on a silver cell phone"),
        ("on a sidewalk", "in an office", "on a crowded sidewalk"),
        "in front of a tall building",
    ),
    Activity(
        ("using a laptop", "typing on a laptop", "typing on a silver laptop"),
        ("at a desk", "in an office", "at a messy desk in an office"),
        "beside a cup of tea",
    ),
    Activity(
        ("surfing a wave", "riding a wave", "riding a huge wave on a surfboard"),
        ("in the ocean", "on a surfboard", "in the deep blue ocean"),
        "near a rocky shore",
    ),
    Activity(
        ("skiing down a hill", "skiing down a slope", "skiing down a steep slope"),
        ("in the snow", "on a mountain", "in the fresh snow"),
        "between tall pine trees",
    ),
    Activity(
        ("cutting a cake", "slicing a cake", "slicing a large chocolate cake"),
        ("at a party", "on a table", "at a birthday party"),
        "with a long knife",
    ),
    Activity(
        ("rowing a boat", "paddling a boat", "rowing a small wooden boat"),
        ("on a lake", "on the water", "across a calm lake"),
        "past two white swans",
    ),
    Activity(
        ("loading a truck", "unloading a truck", "loading boxes into a truck"),
        ("on a street", "in a parking lot", "in an empty parking lot"),
        "next to a delivery van",
    ),
    Activity(
        ("playing a guitar", "strumming a guitar", "strumming an acoustic guitar"),
        ("on a stage", "on a porch", "on a dimly lit stage"),
        "behind a tall microphone",
    ),
    Activity(
        ("drinking some coffee", "drinking a cup of coffee", "sipping a hot cup of coffee"),
        ("at a table", "in a cafe", "in a cozy cafe"),
        "beside a vase of flowers",
    ),
    Activity(
        ("herding sheep", "feeding some sheep", "herding a flock of sheep"),
        ("in a field", "on a hill", "across a green hill"),
        "with a loyal dog",
    ),
)

OF_CHILDREN = (
    Activity(
        ("kicking a ball", "kicking a soccer ball", "kicking a dirty soccer ball"),
        ("on a field", "in a yard", "across a muddy field"),
        "toward an empty goal",
    ),
    Activity(
        ("building a sandcastle", "making a sandcastle", "building a huge sandcastle"),
        ("on a beach", "in the sand", "in the wet sand"),
        "with a plastic shovel",
    ),
    Activity(
        ("eating a banana", "holding a banana", "eating a ripe banana"),
        ("in a kitchen", "at a table", "at a wooden kitchen table"),
        "next to a box of cereal",
    ),
    Activity(
        ("hugging a teddy bear", "holding a teddy bear", "hugging a worn teddy bear"),
        ("on a bed", "in a bedroom", "on a neatly made bed"),
        "beside a bright lamp",
    ),
    Activity(
        ("playing with a toy truck", "pushing a toy truck", "pushing a bright toy truck"),
        ("on the floor", "on a rug", "across a wooden floor"),
        "near a pile of blocks",
    ),
    Activity(
        ("chasing a puppy", "playing with a puppy", "chasing a spotted puppy"),
        ("in a yard", "on the grass", "through the tall grass"),
        "past a wooden swing",
    ),
    Activity(
        ("feeding a goat", "petting a goat", "feeding a small white goat"),
        ("at a farm", "in a pen", "at a busy petting zoo"),
        "through a metal gate",
    ),
)
