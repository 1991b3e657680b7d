from fastapi import FastAPI

from greenhouse.routers import sensors

app = FastAPI(title="Greenhouse")
app.include_router(sensors.router)
