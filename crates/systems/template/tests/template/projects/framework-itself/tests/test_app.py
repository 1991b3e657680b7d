import pytest
from flask import Flask


def test_a_rule_begins_with_a_slash():
    with pytest.raises(ValueError):
        Flask("x").route("no")(lambda: None)
