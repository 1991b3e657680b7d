export async function readStart(): Promise<number> {
  return Number(process.env.START ?? 0)
}
