from pydantic import BaseModel


class SensorIn(BaseModel):
    name: str


class SensorOut(SensorIn):
    id: int
