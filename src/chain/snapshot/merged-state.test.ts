/* State files of networks that began with proof of work: only a block after the merge begins a chain. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { encodeStoredReceipts } from '#chain/block/stored-receipts.ts'
import { silentLog } from '#chain/chain.fixture.ts'
import { Lookup } from '#chain/read/lookup.ts'
import { TotalDifficulties } from '#chain/read/total-difficulty.ts'
import { openStoreReader } from '#store/open-store.ts'
import { addressToBytes, parseAddress } from '#types/address.ts'
import { encodeBody } from '#types/block/block.ts'
import { type BlockHeader, encodeHeader, hashHeader } from '#types/block/block-header.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { genesisHeader } from '#types/genesis/genesis-block.ts'
import { genesisStateRoot } from '#types/genesis/genesis-state-root.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlpList } from '#types/rlp.ts'
import { CHUNK, type ChunkKind, encodeChunk, SNAPSHOT_NAME } from './chunks.ts'
import { encodeAccount, encodeEnd, encodeHead } from './entries.ts'
import { importSnapshot } from './import-snapshot.ts'

const SOMEBODY = parseAddress(`0x${'77'.repeat(20)}`)
const TERMINAL = 400_000n

function mergedGenesis() {
  const verdict = parseGenesis(
    JSON.stringify({
      config: { chainId: 7, londonBlock: 0, terminalTotalDifficulty: Number(TERMINAL), ethash: {} },
      difficulty: '0x20000',
      gasLimit: '0x1c9c380',
      baseFeePerGas: '0x7',
      alloc: { [SOMEBODY]: { balance: '0x5' } },
    }),
  )
  assert.ok(verdict.ok)
  return verdict.genesis
}

const genesis = mergedGenesis()
const stateRoot = genesisStateRoot(genesis.alloc, keccak256)

/** A chain of empty blocks with these difficulties, and its last state in a file. */
function fileWith(difficulties: readonly bigint[], balance = 5n) {
  const first = genesisHeader(genesis, stateRoot)
  const genesisHash = hashHeader(first, keccak256)
  const headers: BlockHeader[] = []
  let [parent, hash] = [first, genesisHash]
  for (const difficulty of difficulties) {
    const { number, timestamp } = parent
    parent = {
      ...{ ...first, parentHash: hash, difficulty },
      ...{ number: number + 1n, timestamp: timestamp + 12n, nonce: difficulty === 0n ? 0n : 1n },
    }
    hash = hashHeader(parent, keccak256)
    headers.push(parent)
  }
  const nonce = new Uint8Array(0)
  const account = {
    address: addressToBytes(SOMEBODY),
    nonce,
    balance: Uint8Array.of(Number(balance)),
    code: undefined,
  }
  const chunks: [ChunkKind, Uint8Array][] = [
    [CHUNK.head, encodeHead({ genesisHash, number: headers.length, hash })],
    [CHUNK.headers, encodeRlpList(headers.map((header) => encodeHeader(header)))],
    [CHUNK.body, encodeBody({ transactions: [], ommers: [], withdrawals: undefined })],
    [CHUNK.receipts, encodeStoredReceipts([])],
    [CHUNK.state, encodeAccount(account)],
    [CHUNK.end, encodeEnd({ accounts: 1, slots: 0 })],
  ]
  const bytes = Buffer.concat([SNAPSHOT_NAME, ...chunks.map(([kind, content]) => encodeChunk(kind, content))])
  return { bytes, hash, number: headers.length }
}

async function take(t: TestContext, { bytes, hash }: ReturnType<typeof fileWith>): Promise<string> {
  const path = mkdtempSync(join(tmpdir(), 'cairn-merged-'))
  t.after(() => rmSync(path, { recursive: true, force: true }))
  const writer = {
    ...{ path, ledger: { dataStorageFormat: 'BONSAI' }, historyBlocks: 512, engine: 'js' },
    ...{ headerRulesModule: undefined, startsAfterMerge: true },
  }
  const source = {
    ...{ name: 'state.bin', bytes: bytes.length },
    read: (at: number, length: number) => bytes.subarray(at, at + length),
  }
  const run = { source, trustedHash: hash, signal: new AbortController().signal, log: silentLog }
  const quiet = { onStart: () => {}, onProgress: () => {} }
  await importSnapshot({ genesis, writer: writer as never }, { ...run, ...quiet })
  return path
}

test('a state after the merge begins a chain, whatever the work before it', async (t) => {
  const file = fileWith([131_072n, 150_000n, 0n, 0n])
  const reader = await openStoreReader({ path: await take(t, file), historyBlocks: 512 })
  t.after(() => reader.close())
  assert.deepEqual([reader.head()!.number, reader.firstBlock()], [file.number, file.number])
  assert.equal(reader.stateAt(file.number).account(addressToBytes(SOMEBODY))?.balance, 5n)
  const lookup = new Lookup(reader)
  const head = lookup.header(file.number)!
  assert.equal(new TotalDifficulties(lookup, genesis).of(head), TERMINAL)
  // The headers before it are stored, and none of them is read for the sum.
  assert.equal(lookup.header(2)?.header.difficulty, 150_000n)
})

test('a state before the merge is refused, even if the operator names its block', async (t) => {
  await assert.rejects(take(t, fileWith([131_072n, 150_000n])), {
    kind: 'SNAPSHOT_REFUSED',
    message: /Block 2 of the file is before the merge.*Take the state of a later block/,
  })
})

test('a state after the merge with another balance is refused', async (t) => {
  await assert.rejects(take(t, fileWith([131_072n, 0n], 6n)), {
    kind: 'SNAPSHOT_REFUSED',
    message: /The state in the file has root/,
  })
})
