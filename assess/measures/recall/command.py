"""`assess recall`: what people say of the same images, and captions leave out."""

from __future__ import annotations

from assess.cli import options
from assess.cli.options import AS_FOUND, HERE, CaptionFields, EngineOptions, bundled
from assess.cli.output import PRINTED, Outputs
from assess.measures.settings import RecallSettings

_AS_USUAL = RecallSettings()


@bundled
def recall(
    files: options.Files,
    references: options.References = None,
    train: options.Train = None,
    settings: RecallSettings = _AS_USUAL,
    processes: options.Processes = None,
    engine: EngineOptions = HERE,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
    outputs: Outputs = PRINTED,
) -> None:
    """Which words of the references captions use: coverage, local recall, omitted words.

    Global recall (of words that could be learned, with --train), local recall by how many people say a
    word of an image, local precision, rankings of omitted words, over- and under-used words.

    Example: assess recall model1.json model2.json --references val2014.json --train train2014.json
    """
    from assess.cli.output import running
    from assess.corpus import parse_source
    from assess.measures.measure import Inputs
    from assess.measures.recall.run import run_recall

    outputs.check()
    systems, humans = fields.sources(files, references)
    training = [parse_source(argument) for argument in train or ()]
    request = engine.request(processes=processes, no_cache=no_cache)
    with running(request, settings.model, [*training, *systems, *humans]) as (where, progress):
        inputs = Inputs(systems, humans, training)
        result = run_recall(inputs, settings, engine=where, progress=progress)
    outputs.present(result, warnings=result.warnings)
