"""A project in PostgreSQL does as one in a file."""

from __future__ import annotations

from itertools import count

import pytest
import sqlalchemy as sa

from wayword.errors import StoreError
from wayword.guidance.actions import AddLabel, Label
from wayword.workbench.project import Project

_numbers = count()


@pytest.fixture
def database(postgres):
    """Return the address of an empty database."""
    name = f"project{next(_numbers)}"
    engine = sa.create_engine(f"postgresql+psycopg://postgres@/postgres?host={postgres}", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0"))
    engine.dispose()
    return f"postgresql://postgres@/{name}?host={postgres}"


def test_a_project_in_a_database_is_made_shared_and_opened_again(database, planted):
    corpus, truth = planted
    with Project.create(database, corpus, language="none", n_topics=4) as one, Project.open(database) as two:
        with pytest.raises(StoreError, match="there is a project already"):
            Project.create(database, corpus, language="none", n_topics=4)
        one.apply([AddLabel(f"theme{k}", f"Theme{k}") for k in range(4)], annotator="ada")
        for row in range(10):
            project, who = ((one, "ada"), (two, "ben"))[row % 2]
            document = project.question(who, wait=10.0).document
            assert document is not None
            id = document.id
            project.apply(Label((id,), (truth[int(id[1:])],)), annotator=who)
        assert one.view().n_labelled == two.view().n_labelled == 10
        one.refresh()
        topics = one.topics()
    with Project.open(database) as again:
        again.refresh()
        assert [(topic.id, topic.anchors, topic.label) for topic in again.topics()] == [
            (topic.id, topic.anchors, topic.label) for topic in topics
        ]
