import { z } from 'zod'

const recipeSchema = z.object({ slug: z.string(), title: z.string() })
export type Recipe = z.infer<typeof recipeSchema>

const known: Recipe[] = [{ slug: 'soup', title: 'Soup' }]

export async function allRecipes(): Promise<Recipe[]> {
  return known.map((recipe) => recipeSchema.parse(recipe))
}

export async function findRecipe(slug: string): Promise<Recipe | undefined> {
  return known.find((recipe) => recipe.slug === slug)
}
