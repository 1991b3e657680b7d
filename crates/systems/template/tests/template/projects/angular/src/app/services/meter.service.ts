import { Injectable } from '@angular/core'
import { Meter } from '../models/meter'

@Injectable({ providedIn: 'root' })
export class MeterService {
  private readonly known: Meter[] = []

  all(): Meter[] {
    return this.known
  }

  add(meter: Meter): void {
    if (meter.kwh < 0) {
      throw new Error('a meter does not run backwards')
    }
    this.known.push(meter)
  }
}
