export interface Meter {
  id: string
  kwh: number
}
