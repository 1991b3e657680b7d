import { Component, inject } from '@angular/core'
import { MeterService } from '../../services/meter.service'

@Component({ selector: 'app-meter-list', standalone: true, template: '' })
export class MeterListComponent {
  private readonly meters = inject(MeterService)

  total(): number {
    return this.meters.all().reduce((sum, meter) => sum + meter.kwh, 0)
  }
}
