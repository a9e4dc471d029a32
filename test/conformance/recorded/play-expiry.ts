/**
 * A token that expires while its connection is open: subscriptions continue, and every request is refused. Played on
 * a validator, frame by frame as recorded; blocks differ, so only their form is compared.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { createBoundedQueue } from '#platform/channel/bounded-queue.ts'
import type { Outcome, Pack } from '../suite.ts'
import type { RecordedEntry, RecordedFrame } from './entry.ts'
import { formOf } from './news-form.ts'
import { startNode } from './start-node.ts'
import { encodeSegment, type SigningKey, signAlike } from './token-text.ts'

/** Longer than in the recording, because a busy machine needs time to subscribe. */
const LIFE_MS = 8_000
/** A token expires at the end of its second. */
const SECOND_MS = 1_000
const LIMIT_MS = 60_000
const MOST_MESSAGES = 1_000

export async function playExpiry(
  unit: string,
  pack: Pack,
  entry: RecordedEntry,
  key: SigningKey,
  options: readonly string[],
): Promise<Outcome> {
  const node = await startNode([...options, `--node-private-key-file=${pack.path('recorded/config/key1')}`])
  try {
    const expiresAtMs = Date.now() + LIFE_MS
    const Authorization = `Bearer ${tokenLike(entry, key, Math.floor(expiresAtMs / SECOND_MS))}`
    const socket = new WebSocket(`ws://127.0.0.1:${node.ports.ws}`, { headers: { Authorization } })
    await once(socket, 'open')
    await converse(socket, entry.frames!, expiresAtMs)
    socket.close()
    return { unit, status: 'met' }
  } finally {
    await node.stop()
  }
}

function tokenLike({ headers }: RecordedEntry, key: SigningKey, exp: number): string {
  const recorded = headers!.Authorization!.slice('Bearer '.length).split('.')
  const input = `${recorded[0]}.${encodeSegment({ permissions: ['*:*'], exp })}`
  return `${input}.${signAlike(key, recorded, input)}`
}

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON
type Message = any

async function converse(
  socket: WebSocket,
  frames: readonly RecordedFrame[],
  expiresAtMs: number,
): Promise<void> {
  const answers = createBoundedQueue<Message>({ itemsMax: MOST_MESSAGES })
  const news = createBoundedQueue<Message>({ itemsMax: MOST_MESSAGES })
  socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    assert.ok((isNews(message) ? news : answers).push(message))
  })
  const limit = AbortSignal.timeout(LIMIT_MS)
  let last: number | undefined
  for (const [index, { out, in: text }] of frames.entries()) {
    if (out !== undefined) {
      if (frames[index + 1]?.in?.includes('-40100')) await until(expiresAtMs + SECOND_MS)
      socket.send(out)
      continue
    }
    const expected: Message = text === undefined ? undefined : JSON.parse(text)
    if (expected === undefined) continue
    const actual = await (isNews(expected) ? news : answers).take(limit)
    assert.deepEqual(new Set(formOf(actual)), new Set(formOf(expected)))
    if (!isNews(expected)) continue
    const number = Number(actual.params.result.number)
    if (last !== undefined) assert.equal(number, last + 1, 'block after block')
    last = number
  }
}

function isNews(message: Message): boolean {
  return message.method === 'eth_subscription'
}

function until(atMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - Date.now())))
}
