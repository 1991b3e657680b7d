import { describe, expect, it } from 'vitest'
import { readStart } from './start'

describe('the start', () => {
  it('is zero unless it is set', async () => {
    expect(await readStart()).toBe(0)
  })
})
