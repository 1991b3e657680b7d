import { NextResponse } from 'next/server'
import { allRecipes } from '@/lib/recipes'

export async function GET() {
  return NextResponse.json(await allRecipes())
}
