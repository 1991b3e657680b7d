import Link from 'next/link'
import { RecipeCard } from '@/components/RecipeCard'
import { allRecipes } from '@/lib/recipes'

export default async function Home() {
  const recipes = await allRecipes()
  return (
    <section>
      {recipes.map((recipe) => (
        <Link key={recipe.slug} href={`/recipes/${recipe.slug}`}>
          <RecipeCard recipe={recipe} />
        </Link>
      ))}
    </section>
  )
}
