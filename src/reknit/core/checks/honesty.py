"""Whether a fix that turned its tests green may land: what the tamper checks saw, and what the gate advised."""

from collections.abc import Sequence
from dataclasses import replace

from reknit.core.check_answer import CheckAnswer, has_second_harness_held, tampering
from reknit.core.gate.verdict import GateVerdict, Refusal, refuse_advised
from reknit.core.testing.proof import Proof
from reknit.core.testing.report import WHOLE_SUITE

_TAMPERING = "tampering seen by the check "
UNPROVEN_BY_EXIT_CODE = "UNPROVEN by exit code"


def is_by_exit_code(tests: Sequence[str]) -> bool:
    return any(test.endswith(WHOLE_SUITE) for test in tests)


def judged(proof: Proof, answers: tuple[CheckAnswer, ...], advice: Sequence[Refusal]) -> Proof:
    """`advice`: what rules only suspect. It refuses nothing if the code did its work where no test runner was."""
    proof = replace(proof, checks=answers)
    if seen := tampering(answers):
        return _refused(proof, f"{_TAMPERING}{seen.check}: {seen.sentence}")
    if is_by_exit_code(proof.fixed) and not any(each.check == "canaries" and each.word == "held" for each in answers):
        why = next((each.sentence for each in answers if each.check == "canaries"), "nothing shows a failure")
        return replace(proof, word="unproven", sentence=f"{UNPROVEN_BY_EXIT_CODE}: {why}", fixed=())
    if advice and not has_second_harness_held(answers):
        first = advice[0]
        more = f" (and {len(advice) - 1} more)" if len(advice) > 1 else ""
        said = f"refused [{first.rule}]: {first.sentence}{more}; no check could show that it is harmless"
        return _refused(proof, said)
    return proof


def with_counting_advice(gate: GateVerdict, proof: Proof | None) -> GateVerdict:
    """What refused a fix: the gate's advice too, if it counted."""
    counts = proof is not None and proof.word == "refused" and not tampering(proof.checks)
    return refuse_advised(gate) if counts else gate


def why_refused_by_checks(said: str) -> str:
    """For the ending of a run whose last change was refused although its tests turned green."""
    check = said.removeprefix(_TAMPERING).partition(":")[0] if said.startswith(_TAMPERING) else ""
    more = f" (`reknit explain {check}`)" if check else ""
    return f"the last one turned its tests green, but was refused{more}: {said.removeprefix('refused ')}"


def _refused(proof: Proof, sentence: str) -> Proof:
    return replace(proof, word="refused", sentence=sentence, fixed=(), still_red=())
