from greenhouse.models.sensor import Sensor


class SensorRepository:
    def __init__(self):
        self._known: dict[int, Sensor] = {}

    def add(self, sensor: Sensor) -> Sensor:
        sensor.id = len(self._known) + 1
        self._known[sensor.id] = sensor
        return sensor

    def by_id(self, sensor_id: int) -> Sensor | None:
        return self._known.get(sensor_id)
