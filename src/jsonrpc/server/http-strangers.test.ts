import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Authenticator } from '#jsonrpc/auth/create-authenticator.ts'
import { connectRaw, exchange, parseExchange, post } from '#serve/serve.fixture.ts'
import { CALL, HTTP_LIMITS, openAuthenticator, RESULT, startHttp, startWebSocket } from './server.fixture.ts'

/* What those can take who have not shown that they are anybody. */

const KIB = 1024
const KNOWN = 'Authorization: Bearer good'

/** Judges as one does that has methods for everybody, so that nothing is refused for its header alone. */
const judging: Authenticator = {
  ...openAuthenticator,
  identify: (authorization) =>
    authorization === 'Bearer good' ? { mayCall: () => true } : { mayCall: () => false, isAnonymous: true },
}

function head(bytes: number, ...headers: string[]): string {
  return `${['POST / HTTP/1.1', 'Host: localhost', ...headers, `Content-Length: ${bytes}`].join('\r\n')}\r\n\r\n`
}

for (const [name, start] of Object.entries({ HTTP: startHttp, WebSocket: startWebSocket })) {
  test(`${name}: logins that announce a packed body and send nothing keep no others waiting`, async (t) => {
    const { port } = await start(t)
    for (let count = 0; count < 12; count += 1) {
      const client = await connectRaw(t, port)
      const begun = post('', ['Host: localhost', 'Content-Encoding: gzip'], '/login')
      client.send(begun.replace('Content-Length: 0', 'Content-Length: 5000'))
      // Half of them send the beginning.
      if (count % 2 === 0) client.send(gzipSync('{}').subarray(0, 12))
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
    const packed = gzipSync('{"username":"a"}')
    const client = await connectRaw(t, port)
    client.send(
      `POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`,
    )
    client.send(packed)
    assert.match(await client.untilReceived('\r\n\r\n'), /^HTTP\/1\.1 400 Authentication not enabled/)
  })
}

test('packed bodies of many at once are unpacked in turn, and none is refused', async (t) => {
  const { port } = await startHttp(t)
  const packed = gzipSync(`${CALL}${' '.repeat(100_000)}`)
  const headers = { 'content-encoding': 'gzip' }
  const url = `http://127.0.0.1:${port}/`
  const answers = await Promise.all(
    Array.from({ length: 12 }, async () =>
      (await fetch(url, { method: 'POST', headers, body: packed })).text(),
    ),
  )
  assert.deepEqual(new Set(answers), new Set([RESULT]))
})

test('a caller without a valid token takes nothing from the budget of large bodies', async (t) => {
  const { port } = await startHttp(t, { authenticator: judging })
  const announced = HTTP_LIMITS.bodyMaxBytes
  const strangers = await Promise.all(Array.from({ length: 12 }, () => connectRaw(t, port)))
  for (const [index, stranger] of strangers.entries()) {
    const authorization = index % 2 === 0 ? ['Authorization: Bearer x'] : []
    // Those that say how much they will send are refused for it, the others once they have sent it.
    if (index % 3 === 0) stranger.send(head(announced, ...authorization))
    else
      stranger.send(`${head(0, ...authorization).replace('Content-Length: 0', 'Transfer-Encoding: chunked')}`)
    if (index % 3 !== 0) stranger.send(`${announced.toString(16)}\r\n`)
    stranger.send(`"${'y'.repeat(announced - 10)}`)
  }
  for (const stranger of strangers) {
    const { statusLine, body } = parseExchange(await stranger.untilReceived('\r\n\r\n'))
    assert.equal(statusLine, 'HTTP/1.1 401 Unauthorized')
    assert.match(body, /-40100/)
  }
  const large = `${CALL}${' '.repeat(announced - CALL.length)}`
  const honest = await exchange(t, port, post(large, ['Host: localhost', KNOWN]))
  assert.deepEqual([honest.statusLine, honest.body], ['HTTP/1.1 200 OK', RESULT])
})

test('ordinary calls without a token are read and judged by their method', async (t) => {
  const { port } = await startHttp(t, { authenticator: judging })
  for (const bytes of [0, 100 * KIB, 500 * KIB]) {
    const { statusLine } = await exchange(t, port, post(`${CALL}${' '.repeat(bytes)}`))
    assert.equal(statusLine, 'HTTP/1.1 200 OK')
  }
})
