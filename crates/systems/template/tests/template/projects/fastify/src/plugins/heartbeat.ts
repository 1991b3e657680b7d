import type { FastifyInstance } from 'fastify'

export async function heartbeatPlugin(server: FastifyInstance) {
  server.get('/heartbeat', async () => ({ alive: true }))
}
