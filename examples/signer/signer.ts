/*
 * A signer to start from: it holds a node's key in memory and answers the three requests of docs/extend/signer.md.
 * Replace the key with calls to your device.
 *
 *   node signer.ts --key-file=node.key --port=9000 [--token-file=token]
 */
import { createECDH, createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { secp256k1 } from '@noble/curves/secp256k1.js'

const MAX_BODY_BYTES = 1_024

const { values } = parseArgs({
  options: {
    'key-file': { type: 'string' },
    'token-file': { type: 'string' },
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '9000' },
  },
})
const keyFile = values['key-file']
if (keyFile === undefined) throw new Error('Name the file with the private key, in hex: --key-file=…')

const key = Buffer.from(readFileSync(keyFile, 'utf8').trim().replace(/^0x/, ''), 'hex')
const pair = createECDH('secp256k1')
pair.setPrivateKey(key)
const tokenFile = values['token-file']
const token = tokenFile === undefined ? undefined : readFileSync(tokenFile, 'utf8').trim()

/** The operations of a device. Each takes and returns bytes, and throws for a request that it does not support. */
const OPERATIONS: Readonly<Record<string, (body: Record<string, unknown>) => Uint8Array>> = {
  'GET /publicKey': () => pair.getPublicKey().subarray(1),
  'POST /sign': ({ digest }) => secp256k1.sign(bytesOf(digest, 32), key, { prehash: false }),
  // OpenSSL refuses a value that is not a point of the curve.
  'POST /ecdh': ({ publicKey }) => pair.computeSecret(Buffer.concat([Buffer.of(4), bytesOf(publicKey, 64)])),
}

function bytesOf(text: unknown, length: number): Uint8Array {
  const isHex = typeof text === 'string' && new RegExp(`^0x[0-9a-f]{${2 * length}}$`, 'i').test(text)
  if (!isHex) throw new Error(`Give ${length} bytes in hex.`)
  return Buffer.from(text.slice(2), 'hex')
}

function isPermitted({ headers }: IncomingMessage): boolean {
  if (token === undefined) return true
  const digestOf = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digestOf(headers.authorization ?? ''), digestOf(`Bearer ${token}`))
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > MAX_BODY_BYTES) throw new Error('The question is too long.')
  }
  return text === '' ? {} : JSON.parse(text)
}

async function answer(request: IncomingMessage): Promise<{ readonly status: number; readonly body: object }> {
  if (!isPermitted(request)) return { status: 401, body: { error: 'The token is not the right one.' } }
  const operation = OPERATIONS[`${request.method} ${request.url}`]
  if (operation === undefined) return { status: 404, body: { error: 'There is no such operation.' } }
  try {
    const result = operation(await readBody(request))
    return { status: 200, body: { result: `0x${Buffer.from(result).toString('hex')}` } }
  } catch {
    return { status: 400, body: { error: 'The question cannot be answered.' } }
  }
}

const server = createServer(async (request, response) => {
  const { status, body } = await answer(request)
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
// The node sends a request every five seconds and keeps its connections.
server.keepAliveTimeout = 60_000
server.listen(Number(values.port), values.host, () => {
  const { address, port } = server.address() as AddressInfo
  console.log(`Signing at http://${address}:${port}`)
})
