import { notFound } from 'next/navigation'
import { findRecipe } from '@/lib/recipes'

export default async function RecipePage({ params }: { params: { slug: string } }) {
  const recipe = await findRecipe(params.slug)
  if (!recipe) notFound()
  return <h1>{recipe.title}</h1>
}
