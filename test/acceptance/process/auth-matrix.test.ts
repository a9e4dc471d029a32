import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { WebSocket } from 'ws'
import { inParallel } from '../../conformance/recorded/in-parallel.ts'
import { temporaryDirectory } from '../../support/program.ts'
import { startNode } from '../../support/running-node.ts'
import { createMatrix, MATRIX_METHOD, type MatrixCase, type MatrixSetting } from '../auth/matrix.ts'

/** The token matrix against the real program: over each transport, single and in a batch. */
const CASES_MIN = 500
const NODES_AT_ONCE = 2
const REQUESTS_AT_ONCE = 16

const SINGLE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: MATRIX_METHOD })
/** Any valid token gets "Method not found" for an unknown method. A refusal in a batch affects only its element. */
const BATCH = `[${SINGLE},{"jsonrpc":"2.0","id":"b","method":"nope"}]`
const ALLOWED = '{"jsonrpc":"2.0","id":1,"result":"1337"}'
const REFUSED = '{"jsonrpc":"2.0","id":1,"error":{"code":-40100,"message":"Unauthorized"}}'
const batchOf = (first: string): string =>
  `[${first},{"jsonrpc":"2.0","id":"b","error":{"code":-32601,"message":"Method not found"}}]`

type Verdict = MatrixCase['expect']

const agent = new Agent({ keepAlive: true, maxSockets: REQUESTS_AT_ONCE })

/** Status, content type and body. */
function post(port: number, token: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    const sent = request({ agent, port, host: '127.0.0.1', method: 'POST', headers }, (response) => {
      let text = `${response.statusCode} ${response.headers['content-type']} `
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve(text))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Both answers over one new connection, because the token belongs to the handshake. */
function converse(port: number, token: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers })
    const answers: string[] = []
    socket.on('open', () => socket.send(SINGLE))
    socket.on('message', (answer) => {
      answers.push(String(answer))
      if (answers.length === 1) socket.send(BATCH)
      else socket.close()
    })
    socket.on('close', () => resolve(answers))
    socket.on('error', reject)
  })
}

async function checkHttp(port: number, token: string, expect: Verdict, name: string): Promise<void> {
  const single = expect === 'allowed' ? `200 application/json ${ALLOWED}` : `401 application/json ${REFUSED}`
  assert.equal(await post(port, token, SINGLE), single, `${name}, HTTP`)
  const first = expect === 'allowed' ? ALLOWED : REFUSED
  assert.equal(
    await post(port, token, BATCH),
    `200 application/json ${batchOf(first)}`,
    `${name}, HTTP in a batch`,
  )
}

async function checkWebSocket(port: number, token: string, expect: Verdict, name: string): Promise<void> {
  const first = expect === 'allowed' ? ALLOWED : REFUSED
  assert.deepEqual(await converse(port, token), [first, batchOf(first)], `${name}, WebSocket`)
}

interface Keys {
  readonly http: string
  readonly ws: string
}

async function startWithKeys(t: TestContext, { name, algorithm }: MatrixSetting, keys: Keys) {
  const folder = temporaryDirectory(t)
  const options = (['http', 'ws'] as const).flatMap((transport) => {
    const file = join(folder, `${name}-${transport}.pem`)
    writeFileSync(file, keys[transport])
    const option = (text: string) => `--rpc-${transport}-${text}`
    return [
      option('enabled'),
      option('api=NET'),
      option('authentication-enabled'),
      option(`authentication-jwt-public-key-file=${file}`),
      option(`authentication-jwt-algorithm=${algorithm}`),
    ]
  })
  const node = await startNode(['--network-id=1337', ...options])
  t.after(() => node.stop())
  return node
}

test('every token is judged as it should over HTTP and WebSocket, single and in a batch', async (t) => {
  const { settings, cases } = createMatrix(Math.floor(Date.now() / 1_000))
  assert.ok(cases.length >= CASES_MIN, `${cases.length} cases`)
  t.after(() => agent.destroy())
  await inParallel(settings, NODES_AT_ONCE, async (setting) => {
    const key = setting.publicKeyPem
    const node = await startWithKeys(t, setting, { http: key, ws: key })
    const own = cases.filter((matrixCase) => matrixCase.setting === setting.name)
    await inParallel(own, REQUESTS_AT_ONCE, async ({ name, token, expect }) => {
      await checkHttp(node.http, token, expect, name)
      await checkWebSocket(node.websocket, token, expect, name)
    })
    await node.stop()
  })
})

test("a token of one transport's issuer is worth nothing on the other", async (t) => {
  const { settings, cases } = createMatrix(Math.floor(Date.now() / 1_000))
  const setting = settings.find(({ name }) => name === 'ES256 P-256')!
  const keys = { http: setting.publicKeyPem, ws: setting.otherTransportPublicKeyPem }
  const node = await startWithKeys(t, setting, keys)
  const tokenOf = (forgery: string) =>
    cases.find(({ name }) => name === `${setting.name}, ${forgery}, grants everything`)!.token
  const [own, other] = [tokenOf('good'), tokenOf('token of the other transport')]
  await checkHttp(node.http, own, 'allowed', 'of HTTP')
  await checkWebSocket(node.websocket, own, 'refused', 'of HTTP')
  await checkHttp(node.http, other, 'refused', 'of WebSocket')
  await checkWebSocket(node.websocket, other, 'allowed', 'of WebSocket')
})
