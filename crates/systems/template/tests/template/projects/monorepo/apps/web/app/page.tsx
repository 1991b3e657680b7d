import { Timetable } from '@ferry/ui'
import Link from 'next/link'

export default function Home() {
  const ports = ['North', 'South', 'Island']
  return (
    <main>
      <h1>Ferries</h1>
      <Timetable ports={ports} />
      <nav>
        {ports.map((port) => (
          <Link key={port} href={`/ports/${port}`}>
            {port}
          </Link>
        ))}
      </nav>
    </main>
  )
}
