'use client'

import { useState } from 'react'

export function SearchBox() {
  const [text, setText] = useState('')
  return <input value={text} onChange={(event) => setText(event.target.value)} />
}
