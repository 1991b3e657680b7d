package io.tides.app.ui

import androidx.compose.material3.Text
import androidx.compose.runtime.Composable

@Composable
fun TideScreen(model: TideViewModel = TideViewModel()) {
    Text(text = model.title())
}
