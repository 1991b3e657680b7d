import { error } from '@sveltejs/kit'
import { readStart } from '$lib/server/start'

export async function load() {
  const start = await readStart()
  if (start < 0) throw error(500, 'a tally cannot begin below zero')
  return { title: 'Tally', start }
}
