package io.tides.app.data

data class Tide(val hour: Int, val metres: Double)
