import type { Recipe } from '@/lib/recipes'

export function RecipeCard({ recipe }: { recipe: Recipe }) {
  return <article>{recipe.title}</article>
}
