package net.stations.weather

import io.kotest.core.spec.style.StringSpec
import io.kotest.matchers.shouldBe
import net.stations.weather.model.Reading

class ReadingsTest : StringSpec({
    "the latest reading is kept" {
        val readings = InMemoryReadings()
        readings.add(Reading("pier", 11.5, 1))
        readings.latest("pier")?.celsius shouldBe 11.5
    }
})
