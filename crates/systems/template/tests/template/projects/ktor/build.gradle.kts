plugins {
    alias(libs.plugins.kotlin.jvm)
    application
}

group = "net.stations"

application {
    mainClass.set("net.stations.weather.ApplicationKt")
}

dependencies {
    implementation(libs.ktor.server.core)
    implementation(libs.ktor.server.netty)
    testImplementation(libs.kotest.runner)
}

tasks.test {
    useJUnitPlatform()
}
