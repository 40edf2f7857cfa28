"""`assess diversity`: how varied the language of captions is."""

from __future__ import annotations

from assess.cli import options
from assess.cli.options import AS_FOUND, HERE, CaptionFields, EngineOptions, bundled
from assess.cli.output import PRINTED, Outputs
from assess.measures.settings import DiversitySettings

_AS_USUAL = DiversitySettings()


@bundled
def diversity(
    files: options.Files,
    references: options.References = None,
    train: options.Train = None,
    settings: DiversitySettings = _AS_USUAL,
    engine: EngineOptions = HERE,
    fields: CaptionFields = AS_FOUND,
    outputs: Outputs = PRINTED,
) -> None:
    """How varied captions are: lengths, types, type-token ratios, novelty, curves.

    The columns of van Miltenburg et al. (2018), Table 1, and later measures. References are a row of their
    own, measured for each parallel description and averaged.

    Example: assess diversity model1.json model2.json --references val2014.json --train train2014.json
    """
    from assess.cli.output import running
    from assess.corpus import parse_source
    from assess.measures.diversity.run import run_diversity
    from assess.measures.measure import Inputs

    outputs.check()
    systems, humans = fields.sources(files, references)
    training = [parse_source(argument) for argument in train or ()]
    request, everything = engine.request(no_cache=True), [*training, *systems, *humans]
    with running(request, settings.model, everything) as (where, progress):
        inputs = Inputs(systems, humans, training)
        result = run_diversity(inputs, settings, progress=progress, engine=where)
    outputs.present(result, warnings=[*result.warnings, *_order_notes(result.notes)])


def _order_notes(notes: tuple[str, ...]) -> list[str]:
    return [note for note in notes if note.startswith("the order of the file")]
