import { useWaterings } from '../hooks/useWaterings'

export function WateringLog() {
  const waterings = useWaterings()
  return <p>{waterings.length} waterings</p>
}
