package io.tides.app.data

class TideRepository(private val known: List<Tide> = emptyList()) {
    fun next(): Tide? = known.minByOrNull { it.hour }
}
