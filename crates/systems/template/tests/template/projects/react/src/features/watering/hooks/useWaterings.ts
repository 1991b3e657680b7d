import { useState } from 'react'

export function useWaterings(): Date[] {
  const [dates] = useState<Date[]>([])
  return dates
}
