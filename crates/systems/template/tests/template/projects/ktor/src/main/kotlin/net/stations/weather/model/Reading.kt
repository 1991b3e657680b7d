package net.stations.weather.model

data class Reading(val station: String, val celsius: Double, val takenAt: Long)
