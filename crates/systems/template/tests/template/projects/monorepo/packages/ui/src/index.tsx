import React from 'react'

export function Timetable({ ports }: { ports: string[] }) {
  return <table>{ports.length}</table>
}
