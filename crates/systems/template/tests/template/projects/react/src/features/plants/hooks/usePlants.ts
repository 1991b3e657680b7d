import { useState } from 'react'

export interface Plant {
  id: string
  name: string
}

export function usePlants(): Plant[] {
  const [plants] = useState<Plant[]>([])
  return plants
}
