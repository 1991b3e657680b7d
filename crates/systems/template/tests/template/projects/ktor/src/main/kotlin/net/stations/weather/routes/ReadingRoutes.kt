package net.stations.weather.routes

import io.ktor.http.*
import io.ktor.server.application.*
import io.ktor.server.response.*
import io.ktor.server.routing.*
import net.stations.weather.Readings

fun Application.readingRoutes(readings: Readings) {
    routing {
        get("/stations/{name}") {
            val found = readings.latest(call.parameters["name"].orEmpty())
            if (found == null) call.respond(HttpStatusCode.NotFound) else call.respond(found.celsius)
        }
    }
}
