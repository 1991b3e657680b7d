import type { FastifyInstance } from 'fastify'
import { runCheck } from '../checks/run.js'

export async function checksPlugin(server: FastifyInstance) {
  server.post<{ Body: { url: string } }>('/checks', async (request, reply) => {
    const outcome = await runCheck(request.body.url)
    if (!outcome.ok) {
      return reply.code(502).send(outcome)
    }
    return outcome
  })
}
