"""The components that later tests stand on are there and work."""

import subprocess


def test_chromium_renders_a_page(chromium, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<p id=p></p><script>document.getElementById('p').textContent = 6 * 7</script>")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    shown = subprocess.run(
        [chromium, *flags, profile, "--dump-dom", page.as_uri()],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert '<p id="p">42</p>' in shown.stdout


def test_postgres_answers(postgres):
    command = ["psql", "-h", str(postgres), "-U", "postgres", "-Atc", "select 6 * 7"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip() == "42"


def test_with_ci_nothing_may_be_missing(monkeypatch):
    import pytest

    from programs import missing

    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="the moon is missing"):
        missing("the moon")
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="the moon is missing"):
        missing("the moon")
