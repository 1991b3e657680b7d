from greenhouse.models.sensor import Sensor
from greenhouse.repositories.sensors import SensorRepository


class SensorService:
    def __init__(self, sensors: SensorRepository):
        self.sensors = sensors

    def create(self, wanted):
        if not wanted.name:
            raise ValueError("a sensor has a name")
        return self.sensors.add(Sensor(name=wanted.name))

    def find(self, sensor_id):
        return self.sensors.by_id(sensor_id)


def get_service() -> SensorService:
    return SensorService(SensorRepository())
