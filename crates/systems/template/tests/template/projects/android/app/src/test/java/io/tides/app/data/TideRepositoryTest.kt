package io.tides.app.data

import org.junit.Assert.assertEquals
import org.junit.Test

class TideRepositoryTest {
    @Test
    fun theNextTideIsTheEarliest() {
        val tides = TideRepository(listOf(Tide(9, 1.0), Tide(3, 2.0)))
        assertEquals(3, tides.next()?.hour)
    }
}
