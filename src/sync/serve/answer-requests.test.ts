import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openReader } from '#chain/archive/archive.fixture.ts'
import { encodeStoredReceipts, type StoredReceipt } from '#chain/block/stored-receipts.ts'
import { extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { makeLedger } from '#chain/ledger/history.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { parseAddress } from '#types/address.ts'
import { bloomOfLogs } from '#types/block/bloom.ts'
import { encodeReceipt } from '#types/block/receipt.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import { answerBodies, answerHeaders, answerReceipts } from './answer-requests.ts'
import { atOnce } from './serve-turns.fixture.ts'

test('requests for unknown blocks cost no more lookups than others', async (t) => {
  const chain = await openTestChain()
  t.after(() => chain.close())
  await extend(chain)
  const view = createChainView({ store: chain.store, genesis: testGenesis(), keccak: keccak256 })
  const { hash } = chain.head
  const unknown = (count: number): Hash[] =>
    Array.from({ length: count }, (_, at) => hashFromBytes(bigintToBytes(BigInt(at + 1), 32)))
  assert.equal(atOnce(answerBodies(view, [...unknown(255), hash])).length, 1)
  assert.equal(atOnce(answerBodies(view, [...unknown(256), hash])).length, 0)
  assert.equal(atOnce(answerReceipts(view, 69, [...unknown(511), hash])).length, 1)
  assert.equal(atOnce(answerReceipts(view, 69, [...unknown(512), hash])).length, 0)
})

test('headers that were read before a reorg are not followed by headers of another branch', async (t) => {
  const chain = await openTestChain()
  t.after(() => chain.close())
  for (let number = 0; number < 4; number++) await extend(chain)
  const { lookup } = createChainView({ store: chain.store, genesis: testGenesis(), keccak: keccak256 })
  let isReorganised = false
  const moving = {
    lookup: new Proxy(lookup, {
      get: (target, name: keyof typeof lookup) => {
        const member = target[name]
        if (typeof member !== 'function') return member
        // After the reorg, block 2 differs: here the header of block 3 takes its place.
        return name === 'encodedHeader' && isReorganised
          ? (id: unknown) => target.encodedHeader(id === 2 ? 3 : (id as number))
          : (member as (...args: unknown[]) => unknown).bind(target)
      },
    }),
  }
  const request = { from: 1n, count: 4n, skip: 0n, isReverse: false }
  assert.equal(atOnce(answerHeaders(moving, request)).length, 4)
  const work = answerHeaders(moving, request)
  work.next(false)
  work.next(false)
  isReorganised = true
  const step = work.next(true)
  assert.ok(step.done)
  assert.deepEqual(step.value, [lookup.encodedHeader(1), lookup.encodedHeader(2)])
})

const HASH = hashFromBytes(new Uint8Array(32).fill(7))

function receiptOf(type: StoredReceipt['type'], logs: number, dataBytes = 5): StoredReceipt {
  const log = (at: number) => ({
    address: parseAddress('0a'.repeat(20)),
    topics: Array.from({ length: at % 5 }, (_, topic) =>
      hashFromBytes(bigintToBytes(BigInt(at + topic), 32)),
    ),
    data: new Uint8Array(dataBytes),
  })
  return {
    type,
    sender: parseAddress('0b'.repeat(20)),
    outcome: 1,
    cumulativeGasUsed: 21_000n,
    logs: Array.from({ length: logs }, (_, at) => log(at)),
    revertReason: type === 0 ? undefined : new Uint8Array(4),
  }
}

/** A chain whose only block has these receipts. */
function viewOf(receipts: readonly StoredReceipt[]) {
  const stored = encodeStoredReceipts(receipts)
  const lookup = { encodedReceipts: (hash: Hash) => (hash === HASH ? stored : undefined) }
  return { lookup, keccak: keccak256 } as unknown as Parameters<typeof answerReceipts>[0]
}

test('receipts are encoded as in the trie up to eth/68, and flat from eth/69 on', () => {
  const receipts = [receiptOf(0, 7), receiptOf(2, 0), receiptOf(1, 1)]
  const trie = receipts.map((receipt) =>
    encodeReceipt({ ...receipt, logsBloom: bloomOfLogs(receipt.logs, keccak256) }),
  )
  assert.deepEqual(atOnce(answerReceipts(viewOf(receipts), 68, [HASH])), [
    encodeRlpList([trie[0]!, encodeRlp(trie[1]!), encodeRlp(trie[2]!)]),
  ])
  const [flat] = atOnce(answerReceipts(viewOf([receiptOf(2, 0)]), 69, [HASH]))
  assert.deepEqual(
    flat,
    encodeRlp([[[2], [1], [0x52, 0x08]].map((bytes) => Uint8Array.from(bytes)).concat([[]] as never)]),
  )
})

test('the thread runs other work after every log of an answer with many', () => {
  const work = answerReceipts(viewOf([receiptOf(2, 1_000)]), 68, [HASH])
  let pauses = 0
  while (!work.next(false).done) pauses++
  assert(pauses >= 1_000, `${pauses} pauses`)
})

test('receipts too large for a message are left out unread', () => {
  const work = answerReceipts(viewOf([receiptOf(2, 17, 1024 * 1024)]), 68, [HASH])
  assert.deepEqual([work.next(false).done, work.next(false)], [false, { done: true, value: [] }])
})

test('an answer ends before a block of a damaged segment, and an unknown hash gets an empty one', async (t) => {
  const { path } = await makeLedger(t)
  const file = join(path, 'segments', '000000000008.segment')
  const bytes = readFileSync(file)
  bytes[20]! ^= 1
  writeFileSync(file, bytes)
  const store = await openReader(t, path)
  for (const name of readdirSync(join(path, 'segments')))
    if (name.endsWith('.hashes')) rmSync(join(path, 'segments', name))
  const view = createChainView({ store, genesis: testGenesis(), keccak: keccak256 })
  const headersFrom = (from: bigint | Hash) =>
    atOnce(answerHeaders(view, { from, count: 20n, skip: 0n, isReverse: false })).length
  assert.deepEqual([headersFrom(2n), headersFrom(9n), headersFrom(16n), headersFrom(HASH)], [6, 0, 20, 0])
  assert.deepEqual(atOnce(answerBodies(view, [HASH])), [])
  assert.deepEqual(atOnce(answerReceipts(view, 69, [HASH])), [])
})
