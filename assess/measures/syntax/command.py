"""`assess syntax`: how captions are built."""

from __future__ import annotations

from assess.cli import options
from assess.cli.options import AS_FOUND, HERE, CaptionFields, EngineOptions, bundled
from assess.cli.output import PRINTED, Outputs
from assess.measures.settings import SyntaxSettings

_AS_USUAL = SyntaxSettings()


@bundled
def syntax(
    files: options.Files,
    references: options.References = None,
    settings: SyntaxSettings = _AS_USUAL,
    processes: options.Processes = None,
    engine: EngineOptions = HERE,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
    outputs: Outputs = PRINTED,
) -> None:
    """How captions are built: compounds, prepositional phrases, parts of speech, complexity.

    The columns of van Miltenburg et al. (2018), Table 3; Yngve and Frazier complexity; with --lexicon, how
    abstract the words are.

    Example: assess syntax model1.json model2.json --references val2014.json
    """
    from assess.cli.output import running
    from assess.measures.measure import Inputs
    from assess.measures.syntax.run import run_syntax

    outputs.check()
    systems, humans = fields.sources(files, references)
    request = engine.request(processes=processes, no_cache=no_cache)
    with running(request, settings.model, [*systems, *humans]) as (where, progress):
        result = run_syntax(Inputs(systems, humans), settings, engine=where, progress=progress)
    outputs.present(result, warnings=result.warnings)
