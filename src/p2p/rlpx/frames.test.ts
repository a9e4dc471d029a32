import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { concatBytes } from '#types/bytes.ts'
import type { Fault } from '#types/fault.ts'
import { FrameDecoder } from './frame-decoder.ts'
import { FRAME_MAX_BYTES, FrameEncoder } from './frame-encoder.ts'
import { testNode } from './handshake.fixture.ts'
import type { FrameSecrets } from './handshake.ts'

const { parts } = await testNode()
const random = createSeededRandom(5)
const invalid = (fault: Fault) => fault.kind === 'INVALID_FRAME'

/** The secrets of both sides of a handshake. */
function secrets(): [FrameSecrets, FrameSecrets] {
  const create = (text: string) => {
    const running = parts.createRunningKeccak()
    running.update(new TextEncoder().encode(text))
    return running
  }
  const aes = new Uint8Array(32).fill(1)
  const mac = new Uint8Array(32).fill(2)
  return [
    { aes, mac, egress: create('one'), ingress: create('two') },
    { aes, mac, egress: create('two'), ingress: create('one') },
  ]
}

const MESSAGES = [0, 1, 14, 15, 16, 17, 31, 32, 1_000, 4_079, 4_080, 5_000, 300_000].map((length, code) => ({
  code,
  data: random.randomBytes(length),
}))

test('messages of every length arrive unchanged, however the bytes are split', () => {
  const [one, other] = secrets()
  const encoder = new FrameEncoder(one)
  const stream = concatBytes(...MESSAGES.map(({ code, data }) => encoder.encode(code, data)))
  for (const size of [1, 33, 65_536, stream.length]) {
    const decoder = new FrameDecoder({ ...other, ingress: secrets()[1].ingress })
    const received = []
    for (let at = 0; at < stream.length; at += size) {
      for (const { code, data } of decoder.push(stream.subarray(at, at + size))) received.push({ code, data })
    }
    assert.equal(received.length, MESSAGES.length)
    for (const [at, { code, data }] of received.entries()) {
      assert.equal(code, MESSAGES[at]!.code)
      assert.ok(Buffer.from(data).equals(MESSAGES[at]!.data))
    }
  }
})

test('a frame with any changed byte is refused', () => {
  for (let at = 0; at < 64; at++) {
    const [one, other] = secrets()
    const frame = new FrameEncoder(one).encode(3, Uint8Array.of(1, 2, 3))
    assert.equal(frame.length, 64)
    frame[at]! ^= 1
    assert.throws(() => [...new FrameDecoder(other).push(frame)], invalid)
  }
})

test('a repeated or reordered frame is refused', () => {
  const [one, other] = secrets()
  const encoder = new FrameEncoder(one)
  const first = encoder.encode(1, new Uint8Array(3))
  const second = encoder.encode(2, new Uint8Array(3))
  assert.throws(() => [...new FrameDecoder(other).push(second)], invalid)
  const decoder = new FrameDecoder({ ...other, ingress: secrets()[1].ingress })
  assert.equal([...decoder.push(first)].length, 1)
  assert.throws(() => [...decoder.push(first)], invalid)
})

test('a frame longer than allowed is refused by its header', () => {
  const [one, other] = secrets()
  const frame = new FrameEncoder(one).encode(0, new Uint8Array(2048))
  assert.throws(() => [...new FrameDecoder(other, 2048).push(frame.subarray(0, 32))], invalid)
})

test('a claimed length costs no memory before the bytes arrive', () => {
  const [one, other] = secrets()
  const frame = new FrameEncoder(one).encode(0, new Uint8Array(FRAME_MAX_BYTES - 1))
  const before = process.memoryUsage().arrayBuffers
  const decoder = new FrameDecoder(other)
  assert.deepEqual([...decoder.push(frame.subarray(0, 1_000))], [])
  assert.ok(process.memoryUsage().arrayBuffers - before < 1_000_000)
  assert.equal([...decoder.push(frame.subarray(1_000))].length, 1)
})

test('messages longer than a frame and codes above 127 are bugs of ours', () => {
  const encoder = new FrameEncoder(secrets()[0])
  assert.throws(() => encoder.encode(0, new Uint8Array(FRAME_MAX_BYTES)), /at most/)
  assert.throws(() => encoder.encode(128, new Uint8Array(0)), /below 128/)
})
