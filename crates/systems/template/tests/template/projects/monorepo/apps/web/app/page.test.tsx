import { expect, it } from 'vitest'
import Home from './page'

it('renders', () => {
  expect(Home()).toBeTruthy()
})
