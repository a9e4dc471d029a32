import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openTestChain, silentLog, testGenesis } from '#chain/chain.fixture.ts'
import { fillLedger, inspect, lastChunkIn, openIn } from '#chain/ledger/history.fixture.ts'
import { Lookup } from '#chain/read/lookup.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { growChain } from '#chain/write/move-history.fixture.ts'
import { until } from '#p2p/peers/peers.fixture.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { type SyncNodeOptions, sending, startSyncNode } from '#sync/sync.fixture.ts'
import { decodeAnswer } from '#sync/wire/block-requests.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import { encodeIdentified } from '#sync/wire/read-message.ts'
import { encodeRlpList } from '#types/rlp.ts'
import { HistoryRepair, type RepairParts } from './repair-history.ts'

const TIMEOUT = { timeout: 60_000 }
const NAMES = ['000000000000.segment', '000000000008.segment', '000000000016.segment', '000000000024.segment']

/** A node whose old blocks are in segments, and a peer with the same chain in its database. */
async function makeNodes(t: TestContext, options?: SyncNodeOptions) {
  const path = mkdtempSync(join(tmpdir(), 'cairn-repair-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const { ledger } = await fillLedger(path)
  const chain = await openIn(path)
  t.after(() => chain.close())
  const other = await openTestChain()
  t.after(() => other.close())
  await growChain(other, 38)
  const node = await startSyncNode(t, chain, testGenesis())
  const peer = await startSyncNode(t, other, testGenesis(), options)
  node.network.maintain(peer.enode)
  await until(() => node.sync.hasBeenInSync())
  const isIntact = async () => (await inspect(ledger, true)).every(({ problem }) => problem === undefined)
  return { chain, node, segments: join(path, 'segments'), isIntact }
}

/** Segments, notes and unfinished files, without merged indexes. */
function filesIn(segments: string): string[] {
  const names = readdirSync(segments).filter((name) => name.includes('.segment'))
  return names.sort()
}

function damage(file: string, change: (bytes: Buffer) => Uint8Array): void {
  writeFileSync(file, change(readFileSync(file)))
}

/** Everything about a block but its call traces and reasons of reverts, which peers do not send. */
function contentsOf({ store }: Chain) {
  const lookup = new Lookup(store)
  return Array.from({ length: 39 }, (_, number) => ({
    header: lookup.encodedHeader(number),
    body: lookup.encodedBody(number),
    receipts: lookup.receipts(number)?.map((receipt) => ({ ...receipt, revertReason: undefined })),
    places: lookup
      .block(number)!
      .block.transactions.map(({ hash }) => lookup.transactionInBlock(hash)?.index),
  }))
}

test(
  'damage that a reader meets is repaired from a peer, and intact blocks keep their traces',
  TIMEOUT,
  async (t) => {
    const { chain, node, segments, isIntact } = await makeNodes(t)
    const before = contentsOf(chain)
    const lookup = new Lookup(chain.store)
    const traces = Array.from({ length: 39 }, (_, number) => lookup.callTrees(number))
    damage(join(segments, NAMES[1]!), (bytes) => bytes.subarray(0, -1))
    // The last chunk is a page of an index, which follows from the blocks.
    const offset = lastChunkIn(join(segments, NAMES[2]!))
    damage(join(segments, NAMES[2]!), (bytes) => {
      bytes[offset]! ^= 1
      return bytes
    })
    rmSync(join(segments, NAMES[3]!))
    // Open files would still be read.
    chain.store.past.close()
    for (const number of [24, 8]) assert.throws(() => new Lookup(chain.store).header(number), /is damaged/)
    assert.ok(!(await isIntact()))
    writeFileSync(join(segments, `${NAMES[1]}.rebuilt`), 'remains of a killed attempt')
    await node.sync.repairHistory()
    assert.ok(await isIntact())
    assert.deepEqual(filesIn(segments), NAMES)
    assert.deepEqual(contentsOf(chain), before)
    const after = new Lookup(chain.store)
    for (const [number, trees] of traces.entries()) {
      const isKept = number < 8 || (number >= 16 && number < 24) || number >= 32
      if (isKept) assert.deepEqual(after.callTrees(number), trees, `block ${number}`)
    }
    // Blocks without traces are found by every search, so none is missed.
    const [sender] = after.receipts(9)!.map((receipt) => receipt.sender)
    const range = { fromBlock: 8, toBlock: 15 }
    const found = await Array.fromAsync(after.transactionsWithCalls(range, [sender!], []))
    const counts = Array.from({ length: 8 }, (_, at) => after.receipts(8 + at)!.length)
    assert.deepEqual(
      found.map(({ number }) => number),
      counts.flatMap((count, at) => (count > 0 ? 8 + at : [])),
    )
    await node.sync.repairHistory()
  },
)

test('a lying peer repairs nothing and is disconnected, and the note stays', TIMEOUT, async (t) => {
  const lies = (code: number, data: Uint8Array) => {
    if (code !== ETH.receipts) return data
    const { id, what } = decodeAnswer('Receipts', data, 256)
    const [first = new Uint8Array()] = what
    return encodeIdentified({ id, content: encodeRlpList([...what.slice(1), first.slice(0, -1)]) })
  }
  const { node, segments } = await makeNodes(t, sending(lies))
  rmSync(join(segments, NAMES[1]!))
  node.chain.store.past.close()
  assert.throws(() => new Lookup(node.chain.store).header(8), /is damaged/)
  await node.sync.repairHistory()
  await until(() => node.network.peers().length === 0)
  assert.deepEqual(filesIn(segments), [NAMES[0], `${NAMES[1]}.damaged`, ...NAMES.slice(2)])
})

test('a segment that no peer has does not keep older ones damaged', async () => {
  const tried: number[] = []
  const history = {
    damaged: () => [16, 8],
    repair: async (first: number) => {
      tried.push(first)
      if (first === 16) throw new Error('No peer sent it.')
    },
  }
  const { signal } = new AbortController()
  const parts = { clock: createFakeClock(), log: silentLog, peers: () => [{}], signal, history }
  await new HistoryRepair(parts as unknown as RepairParts).look()
  assert.deepEqual(tried, [16, 8])
})
