import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildServer } from '../src/server.js'

test('it is alive', async () => {
  const answer = await buildServer().inject('/heartbeat')
  assert.equal(answer.statusCode, 200)
})
