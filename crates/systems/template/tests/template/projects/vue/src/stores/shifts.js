import { defineStore } from 'pinia'

export const useShifts = defineStore('shifts', {
  state: () => ({ shifts: [] }),
  actions: {
    async load() {
      const answer = await fetch('/api/shifts')
      if (!answer.ok) throw new Error('no shifts')
      this.shifts = await answer.json()
    }
  }
})
