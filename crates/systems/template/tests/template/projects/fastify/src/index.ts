import { buildServer } from './server.js'

const server = buildServer()
await server.listen({ port: 8080 })
