"""`monitor verify` and `monitor evidence`: what is proved about captures, and by what."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli import USER, complain
from monitor.cli.console import Bars
from monitor.cli.options import AsJson, Config
from monitor.config.settings import load_settings
from monitor.domain.moments import utc_second
from monitor.errors import MonitorError
from monitor.pipeline.bench import open_bench
from monitor.pipeline.exporting import write_text
from monitor.pipeline.line import load_run
from monitor.pipeline.proving import prove_run, signing_key
from monitor.pipeline.proving_checks import trusted_by, verify_capture, verify_file
from monitor.pipeline.stamping import stamp_run
from monitor.pipeline.verifying import (
    StoreVerified,
    Verified,
    run_manifest,
    verify_run,
    verify_store,
)
from monitor.proofs.findings import Checked, checked_json, finding_json, seal_json, shown_by
from monitor.proofs.keys import make_key
from monitor.store import runs

_SOUND = "This shows that nothing was altered or lost since it was stored, not who sent it."
_UNSOUND = "What is named above is no evidence any more: restore those files from a backup."
_REFUSED = "What is named above is no evidence: ask whoever handed it over for another copy."
_SHOWN = 100
"""Findings that are printed; the rest is counted, and in the JSON."""
_FILES = (".zip", ".wacz")

RunId = Annotated[
    str | None, typer.Argument(help="Public id or slot of a run; default: the newest.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("verify")(verify)
    group = typer.Typer(
        no_args_is_help=True, help="Manifests of captures: made, signed, stamped with the time."
    )
    group.command("keygen")(evidence_keygen)
    group.command("seal")(evidence_seal)
    group.command("timestamp")(evidence_timestamp)
    app.add_typer(group, name="evidence")


def verify(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN|FILE]",
            help="Public id or slot of a run, or a bundle FILE.zip or FILE.wacz; default: the "
            "newest run.",
        ),
    ] = None,
    config: Config = None,
    capture: Annotated[int | None, typer.Option(help="Check this capture alone.")] = None,
    key: Annotated[
        Path | None, typer.Option(help="Public key (PEM) that everything must be signed by.")
    ] = None,
    certificates: Annotated[
        Path | None,
        typer.Option(help="Certificates (PEM) of the time stamp service; default: the settings'."),
    ] = None,
    manifest: Annotated[Path | None, typer.Option(help="Saved manifest to hold against.")] = None,
    write_manifest: Annotated[Path | None, typer.Option(help="Write the manifest here.")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Check what all runs refer to, each file once.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Check that stored or handed over evidence is unchanged.

    Every changed byte, missing or extra file, edited manifest, wrong key and time stamp of
    something else is named. It says what each proof shows and does not. A file needs no store.
    """
    is_file = target is not None and target.lower().endswith(_FILES)
    _refuse_mixed(
        {
            "a run": target is not None and not is_file,
            "a file": is_file,
            "--capture": capture is not None,
            "--all": everything,
            "--manifest": manifest is not None,
            "--write-manifest": write_manifest is not None,
            "--key": key is not None,
            "--certificates": certificates is not None,
        }
    )
    if everything:
        return _verify_all(config, as_json=as_json)
    settings = load_settings(config)
    trusted = trusted_by(settings, key, certificates)
    if is_file:
        return _tell(verify_file(Path(target or ""), trusted), _REFUSED, as_json=as_json)
    with Bars() as bars, open_bench(settings, bars) as bench:
        if capture is not None:
            return _tell(verify_capture(bench, capture, trusted), _UNSOUND, as_json=as_json)
        run = load_run(bench, target)
        found = verify_run(bench, run, manifest, trusted)
        if write_manifest is not None:
            write_text(write_manifest, run_manifest(bench, run).decode("ascii"))
    return _tell_run(run, found, pinned=key is not None, as_json=as_json)


_ALONE = {
    "--all": ("a run", "a file", "--capture", "--manifest", "--write-manifest", "--key",
              "--certificates"),
    "a file": ("--capture", "--manifest", "--write-manifest"),
    "--capture": ("a run", "--manifest", "--write-manifest"),
}  # fmt: skip
"""What says by itself what is checked, and what cannot stand beside it."""


def _refuse_mixed(given: Mapping[str, bool]) -> None:
    """MonitorError where words were given that cannot both be meant."""
    for word, others in _ALONE.items():
        beside = [one for one in others if given[one]]
        if given[word] and beside:
            raise MonitorError(
                f"{word} says what is checked: leave out {', '.join(beside)}, or leave out {word}"
            )


def evidence_keygen(
    file: Annotated[Path, typer.Argument(help="File of the private key; must not be there yet.")],
) -> int:
    """Make a key that signs manifests; prints its public part.

    The private key stays in the file, which only you may read. Name it as
    evidence.signing_key_file, keep a copy in a safe place, and give the public part to those who
    are to check your evidence.
    """
    made = make_key(file)
    print(made.public_pem.decode("ascii"), end="")
    complain(f"{file}: private key, for you alone; key id {made.key_id}")
    return 0


def evidence_seal(run_id: RunId = None, config: Config = None) -> int:
    """Make the manifests that captures of a run lack, and sign them.

    They are made while a run goes on or answers are handed in; this is for runs of before, and for
    a key that came later.
    """
    settings = load_settings(config)
    key = signing_key(settings)
    with Bars() as bars, open_bench(settings, bars) as bench:
        run = load_run(bench, run_id)
        made = prove_run(bench, run, key)
    if made and key is None:
        print(
            f"{run.public_id}: {len(made)} manifests made; none signed, for "
            "evidence.signing_key_file is not set"
        )
        return 0
    signed = f", signed by {key.key_id}" if made and key else ""
    print(f"{run.public_id}: {len(made)} manifests made or signed{signed}")
    return 0


def evidence_timestamp(run_id: RunId = None, config: Config = None) -> int:
    """Ask for the time stamps that manifests of a run lack."""
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        run = load_run(bench, run_id)
        found = stamp_run(bench, run)
    for line in dict.fromkeys(found.failed):
        complain(line)
    left = f", {found.left} still with unsigned time" if found.left else ""
    print(f"{run.public_id}: {found.stamped} time stamps added{left}")
    return USER if found.left else 0


def _tell(checked: Checked, unsound: str, *, as_json: bool) -> int:
    """Print what became of a bundle, a WACZ or a capture."""
    if as_json:
        print(json.dumps(checked_json(checked), ensure_ascii=True))
        return 0 if checked.sound else USER
    _list(map(str, checked.findings))
    word = "sound" if checked.sound else "NOT sound"
    print(f"{checked.target}: {checked.entries} files, {len(checked.seals)} manifests, {word}")
    for file, day in list(checked.removed.items())[:_SHOWN]:
        print(f"removed by retention on {day}, as its owner says: {file}")
    for seal in checked.seals[:_SHOWN]:
        print(f"manifest {seal.manifest_sha256} {seal.name}")
    notes = [*checked.notes, *(note for seal in checked.seals for note in seal.notes)]
    for line in dict.fromkeys(notes):
        print(f"note: {line}")
    if checked.sound:
        for line in shown_by(checked.seals, pinned=checked.pinned):
            print(line)
    else:
        print(unsound)
    return 0 if checked.sound else USER


def _tell_run(run: runs.Run, found: Verified, *, pinned: bool, as_json: bool) -> int:
    """Print what became of a run."""
    code = 0 if found.sound else USER
    if as_json:
        print(json.dumps(_run_json(run, found, pinned=pinned), ensure_ascii=True))
        return code
    checked = found.proofs
    _list(
        [
            *(f"missing: {one}" for one in found.missing),
            *(f"altered: {one}" for one in found.altered),
            *map(str, checked.findings),
        ]
    )
    word = "sound" if found.sound else "NOT sound"
    print(f"{run.public_id}: {found.entries} artifacts, {word}; manifest {found.manifest_sha256}")
    if found.removed:
        print(f"removed by retention: {len(found.removed)}, among them {found.removed[-1]}")
    keys = sorted({one.key_id for one in checked.seals if one.key_id})
    stamped = sum(one.stamped_at is not None for one in checked.seals)
    signed = sum(one.key_id is not None for one in checked.seals)
    by = f" by {', '.join(keys)}" if keys else ""
    print(
        f"captures with a manifest: {len(checked.seals)}, signed: {signed}{by}, with a time stamp: "
        f"{stamped}"
    )
    if checked.unproved:
        print(
            f"captures without: {checked.unproved}; `monitor evidence seal` makes what is missing"
        )
    for line in dict.fromkeys(note for one in checked.seals for note in one.notes):
        print(f"note: {line}")
    print(_SOUND if found.sound else _UNSOUND)
    if found.sound and checked.seals:
        for line in shown_by(checked.seals, pinned=pinned):
            print(line)
    return code


def _run_json(run: runs.Run, found: Verified, *, pinned: bool) -> dict[str, object]:
    """A run for programs."""
    times = [one.stamped_at for one in found.proofs.seals if one.stamped_at]
    return {
        "schema": 1,
        "target": run.public_id,
        "sound": found.sound,
        "entries": found.entries,
        "missing": list(found.missing),
        "altered": list(found.altered),
        "findings": [finding_json(one) for one in found.proofs.findings],
        "removed": list(found.removed),
        "manifest_sha256": found.manifest_sha256,
        "manifests": [seal_json(one) for one in found.proofs.seals],
        "unproved": found.proofs.unproved,
        "stamped_from": utc_second(min(times)) if times else None,
        "shows": list(shown_by(found.proofs.seals, pinned=pinned)) if found.proofs.seals else [],
    }


def _verify_all(config: Path | None, *, as_json: bool) -> int:
    """Check everything that the store refers to."""
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        found = verify_store(bench)
    if as_json:
        print(json.dumps(_store_json(found), ensure_ascii=True))
        return 0 if found.sound else USER
    _list(
        [
            *(f"missing: {one}" for one in found.missing),
            *(f"altered: {one}" for one in found.altered),
        ]
    )
    print(
        f"{found.entries} artifacts, {'sound' if found.sound else 'NOT sound'}; {found.removed} "
        f"removed by retention, {found.orphans} that nothing here refers to"
    )
    print(_SOUND if found.sound else _UNSOUND)
    return 0 if found.sound else USER


def _store_json(found: StoreVerified) -> dict[str, object]:
    """A store for programs."""
    return {
        "schema": 1,
        "target": "store",
        "sound": found.sound,
        "entries": found.entries,
        "missing": list(found.missing),
        "altered": list(found.altered),
        "removed": found.removed,
        "orphans": found.orphans,
    }


def _list(lines: Iterable[str]) -> None:
    """Print findings, so many that a person reads them."""
    every = list(lines)
    for line in every[:_SHOWN]:
        print(line)
    if len(every) > _SHOWN:
        print(f"and {len(every) - _SHOWN} more; --json has them all")
