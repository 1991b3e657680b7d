import Fastify from 'fastify'
import cors from '@fastify/cors'
import { heartbeatPlugin } from './plugins/heartbeat.js'
import { checksPlugin } from './plugins/checks.js'

export function buildServer() {
  const server = Fastify({ logger: true })
  server.register(cors)
  server.register(heartbeatPlugin)
  server.register(checksPlugin)
  return server
}
