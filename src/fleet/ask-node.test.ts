import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { askNode } from './ask-node.ts'

const CALLS = [{ method: 'eth_blockNumber' }, { method: 'net_version' }]
const TOO_MANY = 64

async function serve(
  context: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => answer(request, response, body))
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('answers are matched by id, and errors become one printable line', async (context) => {
  const url = await serve(context, (_, response) =>
    response.end(
      JSON.stringify([
        { id: 1, error: { code: -32_000, message: 'no\u001b[2J\nway' } },
        null,
        { id: 0, result: '0x1' },
      ]),
    ),
  )
  assert.deepEqual(await askNode({ url }, CALLS), [
    { result: '0x1' },
    { error: { code: -32_000, message: 'no\\u001b[2J\\u000away' } },
  ])
})

test('an endless answer is cut off', async (context) => {
  let sent = 0
  const url = await serve(context, (_, response) => {
    const piece = Buffer.alloc(1024 * 1024, 'A')
    const push = (): void => {
      while (sent < TOO_MANY) {
        sent += 1
        if (!response.write(piece)) return void response.once('drain', push)
      }
      response.end()
    }
    push()
  })
  await assert.rejects(askNode({ url }, CALLS), /does not answer \(its answer has more than \d+ bytes\)/)
  assert.ok(sent < TOO_MANY, 'all of it was read')
})

test('an answer that is not a batch, not JSON or not an answer is refused with a sentence', async (context) => {
  for (const [text, sentence] of [
    ['{}', /something else than a batch/],
    ['<html>', /something else than JSON/],
  ] as const) {
    const url = await serve(context, (_, response) => response.end(text))
    await assert.rejects(askNode({ url }, CALLS), sentence)
  }
  const url = await serve(context, (_, response) => response.end('[{"id":0,"error":{"message":5}},[1],7]'))
  assert.deepEqual(
    (await askNode({ url }, CALLS)).map(({ error }) => error?.message),
    ['an error without a message', 'no answer'],
  )
  await assert.rejects(askNode({ url: 'not a url' }, CALLS), /not a url does not answer/)
})

test('neither password nor token is sent unless the node itself listens', async (context) => {
  const bodies: string[] = []
  let owner = false
  const url = await serve(context, (request, response, body) => {
    bodies.push(`${request.headers.authorization ?? ''} ${body}`)
    response.end(request.url === '/login' ? '{"token":"t"}' : '[{"id":0,"result":1},{"id":1,"result":2}]')
  })
  const requireOwner = () => {
    if (!owner) throw new Error('Another program listens there.')
  }
  const endpoint = { url, login: { username: 'operator', password: 'operator-password', requireOwner } }
  await assert.rejects(askNode(endpoint, CALLS), /Another program listens there/)
  assert.deepEqual(bodies, [])
  owner = true
  await askNode(endpoint, CALLS)
  assert.match(bodies[0]!, /operator-password/)
  owner = false
  bodies.length = 0
  await assert.rejects(askNode(endpoint, CALLS), /Another program listens there/)
  assert.deepEqual(bodies, [], 'the token is not sent either')
})

test('a redirect does not carry the password to another program', async (context) => {
  const heard: string[] = []
  const stranger = await serve(context, (_, response, body) => {
    heard.push(body)
    response.end('{}')
  })
  const url = await serve(context, (_, response) => {
    response.writeHead(307, { location: `${stranger}/login` })
    response.end()
  })
  const login = { username: 'operator', password: 'operator-password', requireOwner: () => undefined }
  await assert.rejects(askNode({ url, login }, CALLS), /status 307/)
  assert.deepEqual(heard, [])
})

test('a token is sent unchanged, and refused methods are named', async (context) => {
  const url = await serve(context, (request, response) => {
    const isKnown = request.headers.authorization === 'Bearer good'
    response.statusCode = isKnown ? 200 : 401
    response.end(isKnown ? '[{"id":0,"result":1},{"id":1,"result":2}]' : 'Unauthorized')
  })
  assert.deepEqual(await askNode({ url, token: 'good' }, CALLS), [{ result: 1 }, { result: 2 }])
  await assert.rejects(askNode({ url, token: 'bad' }, CALLS), /refuses this token \(401/)
  await assert.rejects(askNode({ url }, CALLS), /refuses calls without a token \(401/)
  const login = { username: 'anna', password: 'wrong', requireOwner: () => undefined }
  await assert.rejects(askNode({ url, login }, CALLS), /refuses this user and password \(401/)
})
