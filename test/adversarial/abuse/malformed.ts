import { gzipSync } from 'node:zlib'
import { mutation } from '../fuzz/mutate.ts'
import type { Attack } from './attack.ts'
import { exchange, firstAnswer, open, paced } from './sockets.ts'
import { BINARY, COMPRESSED, CONTINUATION, frame, handshake, PING } from './websocket-bytes.ts'

const PACE = { atOnce: 24, perSecond: 1_500 }
const ANSWER_MAX_MS = 2_000

const CALLS = [
  '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion","params":[]}',
  '{"jsonrpc":"2.0","id":9007199254740993,"method":"web3_sha3","params":["0x68656c6c6f20776f726c64"]}',
  '[{"jsonrpc":"2.0","id":1,"method":"net_version"},{"jsonrpc":"2.0","id":"a","method":"eth_blockNumber"},{"method":1}]',
  '{"jsonrpc":"2.0","id":3,"method":"eth_call","params":[{"to":"0x00","data":"0x"},"latest",{"a":{"b":[1.5e3,null]}}]}',
  '/* one */ {"jsonrpc":"2.0","id":-0.0,"method":"rpc_modules","params":null} // two',
]

function post(path: string, body: string | Uint8Array, headers = ''): Buffer {
  const bytes = Buffer.from(body)
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}`
  return Buffer.concat([Buffer.from(`${head}Content-Length: ${bytes.length}\r\n\r\n`), bytes])
}

/** Requests of real clients. */
const REQUESTS: readonly Buffer[] = [
  ...CALLS.map((call) => post('/', call)),
  post('/', CALLS[0]!, 'Authorization: Bearer eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.e30.AAAA\r\n'),
  post('/', gzipSync(CALLS[2]!), 'Content-Encoding: gzip\r\nAccept-Encoding: gzip, deflate;q=0.5\r\n'),
  post('/', CALLS[1]!, 'Origin: https://app.example\r\nAccept: application/json, */*;q=0.1\r\n'),
  post('/', CALLS[1]!, 'Expect: 100-continue\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n'),
  post('/login', '{"username":"alice","password":"secret"}'),
  Buffer.from(
    `POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n42\r\n${CALLS[0]}\r\n0\r\nX-T: 1\r\n\r\n`,
  ),
  Buffer.from('GET /readiness?minPeers=0&maxBlocksBehind=2 HTTP/1.1\r\nHost: localhost\r\n\r\n'),
  Buffer.from(
    'OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://a\r\nAccess-Control-Request-Method: POST\r\n\r\n',
  ),
  Buffer.from(handshake(1)),
]

const FRAMES: readonly Buffer[] = [
  ...CALLS.map((call) => frame(call)),
  frame('ping', { opcode: PING }),
  frame(Buffer.from([0x03, 0xe8]), { opcode: 0x8 }),
  Buffer.concat([
    frame(CALLS[0]!.slice(0, 20), { isFinal: false }),
    frame('', { opcode: PING }),
    frame(CALLS[0]!.slice(20), { opcode: CONTINUATION }),
  ]),
  frame(Buffer.from('aa560a00', 'hex'), { flags: COMPRESSED }),
]

const BODIES = CALLS.map((call) => Buffer.from(call))

/**
 * Alternates between malformed messages, most of which the HTTP parser rejects, and valid ones with a malformed body.
 */
function malformedRequest(seed: number, iteration: number): Uint8Array {
  return iteration % 2 === 0
    ? mutation(REQUESTS, seed, iteration)
    : post('/', mutation(BODIES, seed, iteration), 'Connection: close\r\n')
}

function malformedFrame(seed: number, iteration: number): Uint8Array {
  return iteration % 2 === 0
    ? mutation(FRAMES, seed, iteration)
    : frame(mutation(BODIES, seed, iteration), { opcode: BINARY })
}

export const malformedRequests: Attack = async ({ http }, { seed, count }) => {
  const statuses = new Map<string, number>()
  await paced(count, PACE, async (iteration) => {
    const answer = await exchange(http, malformedRequest(seed, iteration), ANSWER_MAX_MS)
    const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'none'
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  })
  return `${count} requests; ${[...statuses]
    .sort()
    .map(([status, times]) => `${status}: ${times}`)
    .join(', ')}`
}

/** A valid handshake, followed by malformed frames. */
export const malformedFrames: Attack = async ({ websocket }, { seed, count }) => {
  const closes = new Map<string, number>()
  await paced(count, PACE, async (iteration) => {
    const socket = open(websocket)
    const timer = setTimeout(() => socket.destroy(), ANSWER_MAX_MS)
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.write(
      handshake(websocket, iteration % 4 > 1 ? 'sec-websocket-extensions: permessage-deflate\r\n' : ''),
    )
    await firstAnswer(socket)
    const answer = firstAnswer(socket)
    socket.end(malformedFrame(seed, iteration))
    const text = await answer
    const kind = text === '' ? 'none' : text.charCodeAt(0) === 0x88 ? `close ${closeCode(text)}` : 'answer'
    closes.set(kind, (closes.get(kind) ?? 0) + 1)
    await closed
    clearTimeout(timer)
  })
  return `${count} frames; ${[...closes]
    .sort()
    .map(([kind, times]) => `${kind}: ${times}`)
    .join(', ')}`
}

function closeCode(text: string): number {
  return text.length < 4 ? 0 : (text.charCodeAt(2) << 8) | text.charCodeAt(3)
}
