import { Component } from '@angular/core'
import { MeterListComponent } from './components/meter-list/meter-list.component'

@Component({ selector: 'app-root', standalone: true, imports: [MeterListComponent], template: '<app-meter-list />' })
export class AppComponent {}
