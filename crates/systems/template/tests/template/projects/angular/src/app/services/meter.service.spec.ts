import { MeterService } from './meter.service'

describe('MeterService', () => {
  it('refuses meters that run backwards', () => {
    expect(() => new MeterService().add({ id: 'a', kwh: -1 })).toThrow()
  })
})
