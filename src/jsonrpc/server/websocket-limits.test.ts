import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { CALL, dispatcherOf, openAuthenticator, RESULT_ANSWER, startWebSocket } from './server.fixture.ts'

test('every notification is reported with the sender of the previous message', async (t) => {
  const told: unknown[] = []
  const server = await startWebSocket(t, {
    authenticator: {
      ...openAuthenticator,
      identify: () => ({ mayCall: () => true, account: 'alice' }),
    },
    dispatcher: dispatcherOf((_message, { connection }) => {
      connection!.notify('eth_subscription', '1')
      connection!.notify('eth_subscription', '2')
      return RESULT_ANSWER
    }),
    onNotified: ({ caller, remoteAddress }) => told.push([caller.account, remoteAddress]),
  })
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}`)
  t.after(() => socket.terminate())
  await once(socket, 'open')
  const texts: string[] = []
  const all = new Promise<void>((resolve) => {
    socket.on('message', (text) => {
      if (texts.push(String(text)) === 3) resolve()
    })
  })
  socket.send(CALL)
  await all
  assert.deepEqual(told, [
    ['alice', '127.0.0.1'],
    ['alice', '127.0.0.1'],
  ])
})
