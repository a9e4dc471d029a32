import assert from 'node:assert/strict'
import { FrameDecoder } from '#p2p/rlpx/frame-decoder.ts'
import { FrameEncoder } from '#p2p/rlpx/frame-encoder.ts'
import type { FrameSecrets } from '#p2p/rlpx/handshake.ts'
import { loadRunningKeccak } from '#platform/fast-keccak.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import type { FuzzTarget } from './target.ts'

const createRunningKeccak = loadRunningKeccak()
const MESSAGES = [0, 15, 16, 200, 3_000].map((length) => new Uint8Array(length).fill(length))

function secrets(): FrameSecrets {
  const key = new Uint8Array(32).fill(9)
  return { aes: key, mac: key, egress: createRunningKeccak(), ingress: createRunningKeccak() }
}

function stream(): Uint8Array {
  const encoder = new FrameEncoder(secrets())
  return concatBytes(...MESSAGES.map((data, code) => encoder.encode(code, data)))
}

const target: FuzzTarget = {
  name: 'rlpx-frame',
  seeds: () => [stream()],
  /** Bytes that were changed in transit never become a message. */
  run(input) {
    const decoder = new FrameDecoder(secrets())
    let count = 0
    for (let at = 0; at < input.length; at += 1_000) {
      for (const { code, data } of decoder.push(input.subarray(at, at + 1_000))) {
        assert.ok(
          code === count && equalBytes(data, MESSAGES[count]!),
          'A message arrived that was not sent.',
        )
        count += 1
      }
    }
  },
}

export default target
