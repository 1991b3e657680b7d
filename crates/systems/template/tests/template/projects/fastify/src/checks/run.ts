export interface Outcome {
  ok: boolean
  status: number
}

export async function runCheck(url: string): Promise<Outcome> {
  const answer = await fetch(url)
  return { ok: answer.ok, status: answer.status }
}
