from fastapi import APIRouter, Depends, HTTPException

from greenhouse.schemas.sensor import SensorIn, SensorOut
from greenhouse.services.sensors import SensorService, get_service

router = APIRouter(prefix="/sensors")


@router.post("", response_model=SensorOut)
def create_sensor(sensor: SensorIn, service: SensorService = Depends(get_service)):
    return service.create(sensor)


@router.get("/{sensor_id}", response_model=SensorOut)
def read_sensor(sensor_id: int, service: SensorService = Depends(get_service)):
    found = service.find(sensor_id)
    if found is None:
        raise HTTPException(status_code=404)
    return found
