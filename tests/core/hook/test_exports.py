from reknit.core.hook.exports import EXPORTS, FOLDER


def test_every_export_is_in_the_folder_of_the_agent() -> None:
    assert all(path.startswith(f"{FOLDER}/") for path in EXPORTS)
    assert len(set(EXPORTS)) == 6
