package io.tides.app.ui

import androidx.lifecycle.ViewModel
import io.tides.app.data.TideRepository

class TideViewModel(private val tides: TideRepository = TideRepository()) : ViewModel() {
    fun title(): String = tides.next()?.let { "Next tide ${it.hour}:00" } ?: "No tide"
}
