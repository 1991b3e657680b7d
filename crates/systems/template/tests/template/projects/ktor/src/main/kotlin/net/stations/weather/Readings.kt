package net.stations.weather

import net.stations.weather.model.Reading

interface Readings {
    fun latest(station: String): Reading?
    fun add(reading: Reading)
}

class InMemoryReadings : Readings {
    private val known = mutableMapOf<String, Reading>()

    override fun latest(station: String): Reading? = known[station]

    override fun add(reading: Reading) {
        require(reading.celsius > -100) { "colder than the sensor can tell" }
        known[reading.station] = reading
    }
}
