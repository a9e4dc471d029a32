import assert from 'node:assert/strict'
import { decodeBlob, encodeBlob } from '#store/kv/blob.ts'
import { decodeAccountRecord, writeAccountRecord } from '#store/state/account-record.ts'
import {
  decodeChangeEntry,
  decodeChangeHead,
  writeChangeHead,
  writeEntryHead,
} from '#store/state/change-chain.ts'
import { decodeChangedKeys, decodePack, encodeChangedKeys, encodePack } from '#store/state/changed-keys.ts'
import { createExtension, createLeaf, decodeStoredNode } from '#store/trie/node-codec.ts'
import { encodeStoredNode } from '#store/trie/stored-node.fixture.ts'
import { equalBytes } from '#types/bytes.ts'
import type { FuzzTarget } from './target.ts'

/** Large enough for the output of every store decoder. */
const scratch = new Uint8Array(64 * 1024)
const BLOCK = 1_000
const PATH = new Uint8Array(64)

/** The first byte selects the decoder; canonical input encodes to the same bytes again. */
const decoders: readonly ((bytes: Uint8Array) => Uint8Array | undefined)[] = [
  (bytes) => {
    const { lastChange, count, roots, length } = decodeChangeHead(bytes)
    const end = writeChangeHead(scratch, 0, lastChange, count, roots)
    return Uint8Array.from([...scratch.subarray(0, end), ...bytes.subarray(length)])
  },
  (bytes) => {
    const entry = decodeChangeEntry(bytes, BLOCK)
    const end = writeEntryHead(scratch, 0, BLOCK, entry)
    return Uint8Array.from([...scratch.subarray(0, end), ...entry.payload])
  },
  (bytes) => {
    const record = decodeAccountRecord(bytes)
    // Unused bits of a dead account are ignored, so only living accounts encode to the same bytes.
    if (!record?.isAlive) return undefined
    decodeAccountRecord(scratch.subarray(0, writeAccountRecord(scratch, 0, record)))
    return undefined
  },
  (bytes) => encodeChangedKeys(BLOCK, decodeChangedKeys(BLOCK, bytes)) && undefined,
  (bytes) => encodeStoredNode(decodeStoredNode(bytes, PATH, 2)) && undefined,
  (bytes) => encodeBlob(decodeBlob(bytes)) && undefined,
  (bytes) => encodePack(decodePack(bytes)) && undefined,
]

const key = new Uint8Array(32).fill(0x2a)
const account = {
  isAlive: true,
  incarnation: 3,
  nonce: Uint8Array.of(7),
  balance: new Uint8Array(9).fill(1),
  codeHash: key,
  storageRoot: key,
}
const changed = { address: new Uint8Array(20), incarnation: 1, wasDestroyed: true, hasFreshRoot: true }

const target: FuzzTarget = {
  name: 'store',
  seeds: () => [
    Uint8Array.of(0, ...scratch.slice(0, writeChangeHead(scratch, 0, 900, 12, [900, 890, 400, 3])), 1, 2, 3),
    Uint8Array.of(
      1,
      ...scratch.slice(0, writeEntryHead(scratch, 0, BLOCK, { previous: 990, middle: 500, jump: 7 })),
      9,
    ),
    Uint8Array.of(2, ...scratch.slice(0, writeAccountRecord(scratch, 0, account))),
    Uint8Array.of(
      3,
      ...encodeChangedKeys(BLOCK, {
        timestamp: 1_700_000_000,
        trieVersion: 4_000,
        batchEnd: BLOCK + 2,
        trieBehind: BLOCK - 200,
        anchor: BLOCK - 300,
        packedInto: BLOCK + 9,
        accounts: [{ ...changed, zeroedSlots: key, slots: Uint8Array.from([...key, ...key]) }],
      }),
    ),
    Uint8Array.of(4, ...encodeStoredNode(createLeaf(key, key, 2))),
    Uint8Array.of(
      4,
      ...encodeStoredNode(createExtension(Uint8Array.of(1, 2, 3), Uint8Array.of(0xa0, ...key), undefined)),
    ),
    Uint8Array.of(4, 0xd1, ...new Array(17).fill(0x80), 0, 0),
    Uint8Array.of(5, ...encodeBlob(new Uint8Array(500).fill(7))),
    Uint8Array.of(5, ...encodeBlob(key)),
    Uint8Array.of(6, ...encodePack([{ ...changed, zeroedSlots: new Uint8Array(0), slots: key }])),
  ],
  run(input) {
    const decode = decoders[(input[0] ?? 0) % decoders.length]!
    const again = decode(input.subarray(1))
    if (again !== undefined)
      assert.ok(equalBytes(again, input.subarray(1)), 'The decoded value encodes to different bytes.')
  },
}

export default target
