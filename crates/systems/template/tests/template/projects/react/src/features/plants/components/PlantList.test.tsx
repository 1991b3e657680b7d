import { render, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { PlantList } from './PlantList'

it('shows a list', () => {
  render(<PlantList />)
  expect(screen.getByRole('list')).toBeTruthy()
})
