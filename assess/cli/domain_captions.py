"""`assess domain coverage` and `assess domain suggest`: what captions say that a taxonomy lacks."""

from __future__ import annotations

from assess.cli import domain_survey, options
from assess.cli.bundles import bundled
from assess.cli.caption_fields import AS_FOUND, CaptionFields

SHOWN, ADVISED = 20, 10
"""Words on a terminal; JSON has them all, unless --most says otherwise."""


@bundled
def coverage(
    files: options.Files,
    domain: options.Domain = "people",
    most: domain_survey.Most = None,
    model: options.Model = None,
    processes: options.Processes = None,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
    as_json: options.AsJson = False,
) -> None:
    """How much of the captions a taxonomy reads, and which words it lacks.

    Shares of the domain's chunks that are read in full, in part or not at all; unknown words and nouns that
    may be heads, with captions that have them.

    Example: assess domain coverage captions.json --domain food.yaml
    """
    from assess.cli.console import output, print_parts
    from assess.engine.gaps import domain_gaps
    from assess.report.domain_shapes import coverage_shape
    from assess.report.domain_terminal import coverage_report
    from assess.report.json_text import dump

    request = domain_survey.SurveyRequest(files, domain, model, processes, no_cache, fields)
    found = domain_survey.run_survey(request)
    gaps = domain_gaps(found)
    console = output()
    if as_json:
        console.file.write(dump(coverage_shape(found.signature, gaps, most=most)) + "\n")
    else:
        name = found.taxonomy.taxonomy
        parts = coverage_report(gaps, domain=name, most=most or SHOWN, width=console.width)
        print_parts(console, parts)


@bundled
def suggest(
    files: options.Files,
    domain: options.Domain = "people",
    most: domain_survey.Most = None,
    least: domain_survey.Least = 1,
    role: domain_survey.RoleOption = None,
    no_vectors: domain_survey.NoVectors = False,
    model: options.Model = None,
    processes: options.Processes = None,
    no_cache: options.NoCache = False,
    fields: CaptionFields = AS_FOUND,
    as_json: options.AsJson = False,
) -> None:
    """Where the words that a taxonomy lacks probably belong, and why.

    The evidence: how a word is made, the company it keeps in these captions, word vectors and WordNet where
    they are installed.

    Example: assess domain suggest captions.json --domain food.yaml
    """
    from assess.cli.console import output, print_parts
    from assess.engine.advice import candidates
    from assess.report.domain_shapes import suggestions_shape
    from assess.report.domain_terminal import suggestions_report
    from assess.report.json_text import dump

    wanted = domain_survey.role_of(role)
    request = domain_survey.SurveyRequest(files, domain, model, processes, no_cache, fields)
    found = domain_survey.run_survey(request)
    adviser, signature = domain_survey.make_adviser(found, no_vectors=no_vectors)
    lacking = {each: candidates(found, role=each, least=least) for each in wanted}
    console = output()
    if as_json:
        advice = [adviser.advise(item) for each in wanted for item in lacking[each][:most]]
        console.file.write(dump(suggestions_shape(signature, advice, adviser.kinds)) + "\n")
        return
    for each in wanted:
        title = "Unknown words before a head" if each == "modifier" else "Nouns that may be heads"
        shown = [adviser.advise(item) for item in lacking[each][: most or ADVISED]]
        print_parts(console, suggestions_report(shown, title=title))
    console.print(f"evidence: {', '.join(adviser.kinds)}", style="dim")
