import pytest

from linkshelf import create_app


@pytest.fixture
def client():
    return create_app().test_client()
