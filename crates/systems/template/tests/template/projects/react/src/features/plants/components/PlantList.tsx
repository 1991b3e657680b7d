import { usePlants } from '../hooks/usePlants'

export function PlantList() {
  const plants = usePlants()
  return (
    <ul>
      {plants.map((plant) => (
        <li key={plant.id}>{plant.name}</li>
      ))}
    </ul>
  )
}
