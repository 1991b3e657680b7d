import { PlantList } from './features/plants/components/PlantList'
import { WateringLog } from './features/watering/components/WateringLog'

export function App() {
  return (
    <main>
      <PlantList />
      <WateringLog />
    </main>
  )
}
