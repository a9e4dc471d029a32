import assert from 'node:assert/strict'
import {
  CHUNK,
  encodeChunk,
  readChunk,
  readName,
  SNAPSHOT_NAME,
  type SnapshotSource,
} from '#chain/snapshot/chunks.ts'
import {
  decodeEnd,
  decodeEntries,
  decodeHead,
  encodeAccount,
  encodeEnd,
  encodeHead,
  encodeSlot,
} from '#chain/snapshot/entries.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { ZERO_HASH } from '#types/hash.ts'
import type { FuzzTarget } from './target.ts'

const head = encodeHead({ genesisHash: ZERO_HASH, number: 70_000, hash: ZERO_HASH })
const numbers = { nonce: Uint8Array.of(1, 0), balance: Uint8Array.of(9) }
const address = new Uint8Array(20).fill(7)
const entries = [
  encodeAccount({ address, ...numbers, code: undefined }),
  encodeAccount({
    address,
    nonce: new Uint8Array(0),
    balance: new Uint8Array(0),
    code: { bytes: new Uint8Array(40).fill(3) },
  }),
  encodeSlot({ slot: new Uint8Array(32).fill(5), value: Uint8Array.of(1, 2, 3) }),
  encodeAccount({ address, ...numbers, code: { hash: new Uint8Array(32).fill(8) } }),
]
const contents = [head, encodeEnd({ accounts: 3, slots: 1 }), ...entries, concatBytes(...entries)]

/**
 * Feeds the input to the chunk decoder, and as a file of chunks: checksums keep most mutations of the file from the
 * chunk decoder.
 */
const target: FuzzTarget = {
  name: 'snapshot',
  seeds: () => [
    ...contents,
    concatBytes(
      SNAPSHOT_NAME,
      encodeChunk(CHUNK.head, head),
      encodeChunk(CHUNK.state, concatBytes(...entries)),
    ),
  ],
  run(input) {
    for (const attempt of [
      () => assert.ok(equalBytes(encodeHead(decodeHead(input)), input)),
      () => assert.ok(equalBytes(encodeEnd(decodeEnd(input)), input)),
      () => {
        const again = [...decodeEntries(input)].map((entry) =>
          entry.kind === 'slot' ? encodeSlot(entry) : encodeAccount(entry),
        )
        assert.ok(equalBytes(concatBytes(...again), input), 'The decoded chunk encodes to different bytes.')
      },
      () =>
        readChunks({
          name: 'fuzz',
          bytes: input.length,
          read: (at, length) => input.subarray(at, at + length),
        }),
    ]) {
      try {
        attempt()
      } catch (error) {
        if (!(error instanceof Fault)) throw error
      }
    }
  },
}

function readChunks(source: SnapshotSource): void {
  for (let at = readName(source); at < source.bytes; ) {
    const chunk = readChunk(source, at)
    assert.ok(
      chunk.end > at && chunk.end <= source.bytes,
      'A chunk ends before its beginning or after the file.',
    )
    at = chunk.end
  }
}

export default target
