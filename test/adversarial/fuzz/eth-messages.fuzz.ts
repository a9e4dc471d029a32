import assert from 'node:assert/strict'
import {
  decodeNewBlock,
  decodeNewBlockHashes,
  decodeNewPooledHashes,
  encodeNewBlock,
  encodeNewBlockHashes,
  encodeNewPooledHashes,
} from '#sync/wire/announcements.ts'
import {
  answerId,
  decodeAnswer,
  decodeAskedHashes,
  decodeGetBlockHeaders,
  encodeAskedHashes,
  encodeGetBlockHeaders,
  pooledBytes,
  pooledItem,
} from '#sync/wire/block-requests.ts'
import { MAX_ASKED, MAX_POOLED } from '#sync/wire/eth-codes.ts'
import { encodeIdentified } from '#sync/wire/read-message.ts'
import { decodeBlockRange, decodeStatus, encodeBlockRange, encodeStatus } from '#sync/wire/status.ts'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import { hashFromBytes } from '#types/hash.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import type { FuzzTarget } from './target.ts'

const hash = (fill: number) => hashFromBytes(new Uint8Array(32).fill(fill))
const same = (data: Uint8Array, again: Uint8Array): void =>
  assert.ok(equalBytes(data, again), 'The decoded message encodes to different bytes.')

/** The first byte selects the decoder for the rest. */
const READERS: readonly ((data: Uint8Array) => void)[] = [
  (data) => same(data, encodeStatus(decodeStatus(68, data))),
  (data) => same(data, encodeStatus(decodeStatus(69, data))),
  (data) => same(data, encodeBlockRange(decodeBlockRange(data))),
  (data) => same(data, encodeNewBlockHashes(decodeNewBlockHashes(data))),
  (data) => same(data, encodeNewBlock(decodeNewBlock(data))),
  (data) => {
    const announced = decodeNewPooledHashes(68, data)
    same(
      data,
      encodeNewPooledHashes(
        68,
        announced.map(({ hash, type, size }) => ({ hash, type: type!, size: size! })),
      ),
    )
  },
  (data) => {
    // Any number other than 0 means "reverse".
    const { id, what } = decodeGetBlockHeaders(data)
    assert.deepEqual(decodeGetBlockHeaders(encodeGetBlockHeaders({ id, what })), { id, what })
  },
  (data) => same(data, encodeAskedHashes(decodeAskedHashes('GetReceipts', data, MAX_ASKED))),
  (data) => {
    const { id, what } = decodeAnswer('PooledTransactions', data, MAX_POOLED)
    assert.equal(answerId('PooledTransactions', data), id)
    same(
      data,
      encodeIdentified({ id, content: encodeRlpList(what.map((item) => pooledItem(pooledBytes(item)))) }),
    )
  },
]

const range = { earliest: 0, latest: 9, latestHash: hash(3) }
const status = {
  version: 68,
  networkId: 1337n,
  genesis: hash(1),
  forkId: { hash: Uint8Array.of(1, 2, 3, 4), next: 7n },
  latestHash: hash(3),
}
const SEEDS = [
  encodeStatus({ ...status, totalDifficulty: 10n, range: undefined }),
  encodeStatus({ ...status, version: 69, totalDifficulty: undefined, range }),
  encodeBlockRange(range),
  encodeNewBlockHashes([{ hash: hash(4), number: 12 }]),
  encodeNewBlock({ block: encodeRlp([[], [], []]), totalDifficulty: 12n }),
  encodeNewPooledHashes(68, [{ hash: hash(5), type: 2, size: 120 }]),
  encodeGetBlockHeaders({ id: 5n, what: { from: 9n, count: 3n, skip: 0n, isReverse: true } }),
  encodeAskedHashes({ id: 5n, what: [hash(6), hash(7)] }),
  encodeIdentified({ id: 5n, content: encodeRlpList([encodeRlp([]), encodeRlp(Uint8Array.of(2, 0xc0))]) }),
]

const target: FuzzTarget = {
  name: 'eth-messages',
  seeds: () => SEEDS.map((seed, reader) => concatBytes(Uint8Array.of(reader), seed)),
  run: (input) => READERS[(input[0] ?? 0) % READERS.length]!(input.subarray(1)),
}

export default target
