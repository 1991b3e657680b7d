import { findRecipe } from '../lib/recipes'

describe('recipes', () => {
  it('are found by slug', async () => {
    expect((await findRecipe('soup'))?.title).toBe('Soup')
  })
})
