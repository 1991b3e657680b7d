import pytest

from greenhouse.repositories.sensors import SensorRepository
from greenhouse.services.sensors import SensorService


def test_a_sensor_without_a_name_is_refused():
    service = SensorService(SensorRepository())
    with pytest.raises(ValueError):
        service.create(type("Wanted", (), {"name": ""}))
