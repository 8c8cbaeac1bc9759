"""Whether a fix that turned its tests green may land: what the tamper checks saw, and what the gate advised."""

from collections.abc import Sequence
from dataclasses import replace

from reknit.core.check_answer import CheckAnswer, has_held, shows_harmless, tampering
from reknit.core.gate.verdict import GateVerdict, Refusal, refuse_advised
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import WHOLE_SUITE

_TAMPERING = "tampering seen by the check "
UNPROVEN_BY_EXIT_CODE = "UNPROVEN by exit code"


def is_by_exit_code(tests: Sequence[str]) -> bool:
    return any(test.endswith(WHOLE_SUITE) for test in tests)


def judged(proof: Proof, answers: tuple[CheckAnswer, ...], advice: Sequence[Refusal]) -> Proof:
    """Refuse what the checks saw, and by `advice`, what rules only suspect, if no check shows that it is harmless."""
    proof = replace(proof, checks=answers)
    if seen := tampering(answers):
        return _refused(proof, f"{_TAMPERING}{seen.check}: {seen.sentence}")
    if is_by_exit_code(proof.fixed) and not has_held("canaries", answers):
        why = next((each.sentence for each in answers if each.check == "canaries"), "nothing shows a failure")
        return replace(proof, word="unproven", sentence=f"{UNPROVEN_BY_EXIT_CODE}: {why}", fixed=())
    if counting := [each for each in advice if not shows_harmless(each.rule, answers)]:
        first = counting[0]
        more = f" (and {len(counting) - 1} more)" if len(counting) > 1 else ""
        said = f"refused [{first.rule}]: {first.sentence}{more}; no check could show that it is harmless"
        return _refused(proof, said)
    return proof


def with_counting_advice(gate: GateVerdict, proof: Proof | None) -> GateVerdict:
    """What refused a fix: the gate's advice too, if it counted."""
    if proof is None or proof.word != "refused" or tampering(proof.checks):
        return gate
    harmless = tuple(each for each in gate.advice if shows_harmless(each.rule, proof.checks))
    counting = tuple(each for each in gate.advice if each not in harmless)
    return replace(refuse_advised(replace(gate, advice=counting)), advice=harmless)


def why_refused_by_checks(said: str) -> str:
    """For the ending of a run whose last change was refused although its tests turned green."""
    check = said.removeprefix(_TAMPERING).partition(":")[0] if said.startswith(_TAMPERING) else ""
    more = f" (`reknit explain {check}`)" if check else ""
    return f"the last one turned its tests green, but was refused{more}: {said.removeprefix('refused ')}"


def _refused(proof: Proof, sentence: str) -> Proof:
    return replace(proof, word="refused", sentence=sentence, fixed=(), still_red=())
