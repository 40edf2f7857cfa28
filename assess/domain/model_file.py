"""The file of a trained model: arrays and a text with a checksum, and nothing that could be executed."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from assess.corpus.files import check_regular
from assess.domain.learning import WEIGHTS, Block, DomainModel, RoleModel
from assess.domain.suggestions import Kind
from assess.errors import AssessError, InputError, Place, UsageError
from assess.limits import FILE_SIZE
from assess.records import Role
from assess.taxonomy.compose import find_taxonomy, known_domains
from assess.whole_files import write_whole

ENDING = ".model.npz"
FORM = "domain model 3"


def save_model(model: DomainModel, path: Path) -> None:
    """Write the model: arrays and a text, with a checksum."""
    arrays: dict[str, np.ndarray] = {}
    about: dict[str, Any] = {"form": FORM, "taxonomy": model.taxonomy, "captions": model.captions}
    about |= {"vectors": model.vectors, "roles": {}}
    for role, own in model.roles.items():
        about["roles"][role] = {
            "combinations": own.combinations,
            "numbers": [own.sharpness, own.none, own.listed],
            "judged": own.judged,
            "blocks": {kind: list(block.columns) for kind, block in own.blocks.items()},
        }
        arrays[f"{role} usual"] = own.usual
        arrays[f"{role} dual"] = own.dual.astype(np.float32)
        for kind, block in own.blocks.items():
            arrays[f"{role} {kind} rarity"] = block.rarity
            arrays[f"{role} {kind} values"] = block.rows.data.astype(np.float32)
            arrays[f"{role} {kind} columns"] = block.rows.indices.astype(np.int32)
            arrays[f"{role} {kind} ends"] = block.rows.indptr.astype(np.int64)
    text = json.dumps(about, sort_keys=True).encode()
    arrays["about"] = np.frombuffer(text, dtype=np.uint8)
    arrays["sha256"] = np.frombuffer(digest_of(arrays), dtype=np.uint8)
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    write_whole(path, file.getvalue())


def model_path(domain: str) -> Path | None:
    """Return where the model of an author's own taxonomy is kept; None for one that comes with a package."""
    if any(known.name == domain for known in known_domains()):
        return None
    return find_taxonomy(domain).with_suffix(ENDING)


def digest_of(arrays: Mapping[str, np.ndarray]) -> bytes:
    """Return the checksum of all arrays but the checksum itself."""
    digest = hashlib.sha256()
    for name in sorted(arrays.keys() - {"sha256"}):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.digest()


def load_model(path: Path) -> DomainModel:
    """Read a model; a file that is damaged, or no model, is an error."""
    if not path.exists():
        raise UsageError("the model does not exist", place=Place(str(path)), hint="assess domain train")
    check_regular(path, "a model")
    try:
        return _read_model(path)
    except AssessError:
        raise
    # The header of an array is parsed as Python, so it can fail in any way that Python can.
    except Exception as error:
        raise InputError(
            "this is not a model, or it is damaged",
            place=Place(str(path)),
            hint="write it again with assess domain train",
        ) from error


def _read_model(path: Path) -> DomainModel:
    with zipfile.ZipFile(path) as packed:
        size = sum(part.file_size for part in packed.infolist())
        FILE_SIZE.check(size, "the model is too large", Place(str(path)))
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    digest = digest_of(arrays)
    if arrays["sha256"].tobytes() != digest:
        raise ValueError("damaged")
    about = json.loads(arrays["about"].tobytes())
    if about["form"] != FORM:
        raise InputError(
            "the model was trained by another version of assess",
            place=Place(str(path)),
            hint="train it again with assess domain train",
        )
    return _model_of(about, arrays, digest.hex()[:12])


def _model_of(about: Mapping[str, Any], arrays: Mapping[str, np.ndarray], identity: str) -> DomainModel:
    roles: dict[Role, RoleModel] = {}
    for role, told in about["roles"].items():
        blocks: dict[Kind, Block] = {}
        combinations = tuple(tuple(map(str, names)) for names in told["combinations"])
        usual, dual = (np.asarray(arrays[f"{role} {name}"], dtype=float) for name in ("usual", "dual"))
        if usual.shape != (len(combinations) + 1,) or not all(combinations):
            raise ValueError("a share for each combination, and one for none")
        if dual.shape != (len(dual), len(usual)):
            raise ValueError("a column for each combination, and one for none")
        for kind, names in told["blocks"].items():
            rarity, values = (
                np.asarray(arrays[f"{role} {kind} {name}"], dtype=float) for name in ("rarity", "values")
            )
            columns, ends = (arrays[f"{role} {kind} {name}"] for name in ("columns", "ends"))
            rows = sparse.csr_matrix((values, columns, ends), shape=(len(dual), len(names)))
            rows.check_format(full_check=True)
            if rarity.shape != (len(names),) or kind not in WEIGHTS:
                raise ValueError("columns of different lengths")
            blocks[kind] = Block({name: column for column, name in enumerate(names)}, rarity, rows)
        judged = {
            word: (tuple(map(str, names)), float(belief)) for word, (names, belief) in told["judged"].items()
        }
        if not blocks:
            raise ValueError("no features")
        sharpness, none, listed = map(float, told["numbers"])
        parts = (
            usual,
            dual,
            *(part for block in blocks.values() for part in (block.rarity, block.rows.data)),
        )
        if not (0 < listed <= 1 and np.isfinite([sharpness, none]).all() and all(map(_is_finite, parts))):
            raise ValueError("numbers that no training gives")
        roles[role] = RoleModel(combinations, blocks, dual, usual, sharpness, none, listed, judged)
    return DomainModel(about["taxonomy"], about["captions"], about["vectors"], roles, identity)


def _is_finite(numbers: np.ndarray) -> bool:
    return bool(np.isfinite(numbers).all())
