/* State files of networks with known validators: which are accepted. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openArchive } from '#chain/chain.fixture.ts'
import {
  CHUNK,
  encodeChunk,
  readChunk,
  SNAPSHOT_NAME,
  type SnapshotChunk,
  type SnapshotSource,
} from '#chain/snapshot/chunks.ts'
import { decodeEntries, encodeAccount, encodeEnd, encodeHead, encodeSlot } from '#chain/snapshot/entries.ts'
import { exportSnapshot } from '#chain/snapshot/export-snapshot.ts'
import { importSnapshot } from '#chain/snapshot/import-snapshot.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import { openStoreReader } from '#store/open-store.ts'
import { addressToBytes } from '#types/address.ts'
import { decodeHeader, encodeHeader } from '#types/block/block-header.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import { type Hash, hashFromBytes, ZERO_HASH } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'
import { decodeRlp, encodedRlpItems, encodeRlp, encodeRlpList, type RlpItem } from '#types/rlp.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import { createHeaderRules } from './create-header-rules.ts'
import {
  makeBlock,
  type NextBlock,
  type TestValidator,
  testNetwork,
  testValidators,
} from './network.fixture.ts'

const [a, b, c, d] = testValidators(4) as [TestValidator, TestValidator, TestValidator, TestValidator]
const log = createLog({ level: 'OFF' })
const RICH_KEY = new Uint8Array(32).fill(99)
const rich = addressFromPublicKey(publicKeyFromPrivate('secp256k1', RICH_KEY))
/** Returns a list of one address, the one in slot 0. */
const CONTRACT =
  '0x3660201460 1c57 6020600052 6001602052 600054604052 60606000f3 5b600035600055 00'.replaceAll(' ', '')
const contract = `0x${'88'.repeat(20)}` as typeof a.address
const alloc = {
  [contract]: {
    balance: '0x0',
    code: CONTRACT,
    storage: { '0x0': `0x${'00'.repeat(12)}${a.address.slice(2)}` },
  },
  [rich]: { balance: '0xffffffffffff' },
}
const voted = testNetwork({ qbft: { epochlength: 4 } }, [a, b, c], alloc)

interface Made {
  readonly genesis: Genesis
  readonly file: Uint8Array
  readonly head: Hash
  readonly number: number
}

/** A chain of these blocks with its state in a file. */
async function make(
  context: TestContext,
  genesis: Genesis,
  blocks: readonly (NextBlock & { readonly isUnseen?: boolean })[],
): Promise<Made> {
  const path = folderOf(context)
  const kv = await openLevelKv(path, { createIfMissing: true })
  const options = { engine: await createJsEngine(), clock: createFakeClock(), createHeaderRules }
  const chain: Chain = await openArchive(genesis, kv, options)
  for (const [index, next] of blocks.entries()) {
    const call = { nonce: BigInt(index), gasLimit: 21_000n, to: d.address, value: BigInt(index + 1) }
    const more = { chainId: 1337n, gasPrice: 1n, data: new Uint8Array(0) }
    const transactions = next.transactions ?? [signTransaction({ type: 0, ...call, ...more }, RICH_KEY)]
    const block = chain.receive(await makeBlock(chain, { ...next, transactions }))
    const verdict = await chain.importBlock(block, { validation: next.isUnseen ? 'light' : 'full' })
    assert.ok(verdict.ok, verdict.ok ? '' : verdict.sentence)
  }
  const { hash } = chain.head
  await chain.close()
  const parts: Uint8Array[] = []
  const run = { write: (bytes: Uint8Array) => void parts.push(bytes), onProgress: () => {}, log }
  const { head } = await exportSnapshot({ path, historyBlocks: 512 }, run)
  assert.equal(head.hash, hash)
  return { genesis, file: Buffer.concat(parts), head: hash, number: blocks.length }
}

function folderOf(context: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'cairn-snapshot-'))
  context.after(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function sourceOf(file: Uint8Array): SnapshotSource {
  return { name: 'state.bin', bytes: file.length, read: (at, length) => file.subarray(at, at + length) }
}

interface ImportCase {
  readonly path?: string
  readonly trustedHash?: Hash
  readonly signal?: AbortSignal
  readonly onProgress?: () => void
}

async function take(context: TestContext, genesis: Genesis, file: Uint8Array, options: ImportCase = {}) {
  const {
    path = folderOf(context),
    trustedHash,
    signal = new AbortController().signal,
    onProgress = () => {},
  } = options
  const writer = {
    path,
    ledger: { dataStorageFormat: 'BONSAI' },
    historyBlocks: 512,
    engine: 'js',
    headerRulesModule: import.meta.resolve('./create-header-rules.ts'),
  } as const
  const ledger = { genesis, writer: writer as never }
  const run = { source: sourceOf(file), trustedHash, signal, log, onStart: () => {}, onProgress }
  await importSnapshot(ledger, run)
  return path
}

const add = (voter: TestValidator): Pick<NextBlock, 'vote'> => ({
  vote: { recipient: voter.address, type: 'add' },
})
const three = { validators: [a, b, c] }
/** Validator d is voted in across an epoch boundary. */
const VOTES: readonly NextBlock[] = [
  { ...three, author: a, ...add(d) },
  { ...three, author: b, ...add(d) },
  { validators: [a, b, c, d].sort((x, y) => (x.address < y.address ? -1 : 1)), author: d },
  { validators: [a, b, c, d].sort((x, y) => (x.address < y.address ? -1 : 1)), author: c },
  { validators: [a, b, c, d].sort((x, y) => (x.address < y.address ? -1 : 1)), author: b },
]

function chunksOf(file: Uint8Array): SnapshotChunk[] {
  const source = sourceOf(file)
  const chunks: SnapshotChunk[] = []
  for (let at = SNAPSHOT_NAME.length; at < file.length; at = chunks.at(-1)!.end)
    chunks.push(readChunk(source, at))
  return chunks
}

function fileOf(chunks: readonly Pick<SnapshotChunk, 'kind' | 'content'>[]): Uint8Array {
  return Buffer.concat([SNAPSHOT_NAME, ...chunks.map(({ kind, content }) => encodeChunk(kind, content))])
}

/** The file with changed content in chunks of a kind. */
function changed(file: Uint8Array, kind: number, change: (content: Uint8Array) => Uint8Array): Uint8Array {
  return fileOf(
    chunksOf(file).map((chunk) =>
      chunk.kind === kind ? { kind, content: change(chunk.content) } : chunk,
    ) as SnapshotChunk[],
  )
}

const refusedWith = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Fault, String(error))
  assert.match(error.data.sentence, pattern)
  return true
}

test('a state sealed by validators that were voted in is accepted, and the chain begins there', async (context) => {
  const { genesis, file, head, number } = await make(context, voted, VOTES)
  const reader = await openStoreReader({ path: await take(context, genesis, file), historyBlocks: 512 })
  context.after(() => reader.close())
  assert.equal(hashFromBytes(reader.head()!.hash), head)
  assert.deepEqual(
    [reader.head()!.number, reader.firstBlock(), reader.lowestState()],
    [number, number, number],
  )
  assert.equal(reader.stateAt(number).account(addressToBytes(d.address))?.balance, 21_015n)
  const hash = reader.canonicalHash(2)!
  assert.ok(reader.read('header', 2, hash) !== undefined && reader.read('body', 2, hash) === undefined)
  assert.ok(reader.read('body', 0, reader.canonicalHash(0)!) !== undefined)
  assert.ok(reader.read('receipts', number, reader.canonicalHash(number)!) !== undefined)
})

test('an interrupted import continues with the same file only', async (context) => {
  const { genesis, file } = await make(context, voted, VOTES)
  const path = folderOf(context)
  let interruptions = 0
  for (let isDone = false; !isDone; ) {
    const stop = new AbortController()
    const options = { path, signal: stop.signal, onProgress: () => stop.abort() }
    isDone = await take(context, genesis, file, options).then(
      () => true,
      (error: unknown) => {
        assert.equal((error as Fault).kind, 'INTERRUPTED')
        return false
      },
    )
    if (!isDone && ++interruptions === 2) {
      const other = changed(file, CHUNK.receipts, () => parseData('0xc0'))
      await assert.rejects(take(context, genesis, file.subarray(0, 500), { path }), refusedWith(/is cut off/))
      await assert.rejects(
        take(context, genesis, other, { path }),
        refusedWith(/is not the file that this import began with/),
      )
    }
  }
  assert.ok(interruptions >= 3, `${interruptions}`)
  await assert.rejects(
    take(context, genesis, file, { path }),
    refusedWith(/holds a chain already, up to block 5/),
  )
})

test('a truncated or damaged file is refused with a message', async (context) => {
  const { genesis, file } = await make(context, voted, VOTES.slice(0, 1))
  for (let at = 0; at < file.length; at += 97) {
    await assert.rejects(
      take(context, genesis, file.subarray(0, at)),
      refusedWith(/is cut off|not a state file/),
    )
    const flipped = Uint8Array.from(file)
    flipped[at]! ^= 0x10
    await assert.rejects(
      take(context, genesis, flipped),
      refusedWith(/damaged at byte|cut off|not a state file/),
    )
  }
  await assert.rejects(take(context, genesis, Buffer.concat([file, file])), refusedWith(/damaged/))
})

test('a state of another network, of another block, or without the seals of the validators is refused', async (context) => {
  const { genesis, file, head } = await make(context, voted, VOTES)
  const other = testNetwork({ qbft: { epochlength: 5 } }, [a, b, d], alloc)
  await assert.rejects(take(context, other, file), refusedWith(/^The state belongs to another network/))
  await assert.rejects(
    take(context, genesis, file, { trustedHash: ZERO_HASH }),
    refusedWith(/--trusted-block-hash names 0x0000/),
  )
  const promised = changed(file, CHUNK.head, () =>
    encodeHead({ genesisHash: readGenesis(file), number: 5, hash: ZERO_HASH }),
  )
  await assert.rejects(take(context, genesis, promised), refusedWith(/its beginning promises 0x0000/))
  const longer = changed(file, CHUNK.head, () =>
    encodeHead({ genesisHash: readGenesis(file), number: 6, hash: head }),
  )
  await assert.rejects(take(context, genesis, longer), refusedWith(/headers of the file end with block 5/))
  const strangers = [{ ...VOTES[0]!, sealers: [d, a], isUnseen: true }]
  const stranger = await make(context, voted, strangers)
  // Later validators cannot vouch for the votes that brought them in.
  const usurped = [VOTES[0]!, { ...VOTES[1]!, sealers: [a], isUnseen: true }, ...VOTES.slice(2)]
  const usurper = await make(context, voted, usurped)
  await assert.rejects(take(context, genesis, usurper.file), refusedWith(/^Block 2 of the file is not one/))
  // A quorum of the same validators can, because the hash of its block fixes all before it.
  await take(
    context,
    genesis,
    (await make(context, voted, [{ ...VOTES[0]!, sealers: [a], isUnseen: true }, VOTES[1]!])).file,
  )
  await assert.rejects(
    take(context, genesis, stranger.file),
    refusedWith(/^Block 1 of the file is not one of this chain\./),
  )
  await assert.rejects(
    take(context, genesis, stranger.file, { trustedHash: stranger.head }),
    refusedWith(/^Block 1 of the file is not one of this chain\./),
  )
})

test('a state with another root than its block is refused', async (context) => {
  const { genesis, file } = await make(context, voted, VOTES)
  const richer = (content: Uint8Array): Uint8Array =>
    Buffer.concat(
      [...decodeEntries(content)].map((entry) =>
        entry.kind === 'slot'
          ? encodeSlot(entry)
          : encodeAccount({ ...entry, balance: Uint8Array.of(1, 2, 3) }),
      ),
    )
  await assert.rejects(
    take(context, genesis, changed(file, CHUNK.state, richer)),
    refusedWith(/^The state in the file has root/),
  )
  const without = changed(file, CHUNK.state, () => new Uint8Array(0))
  await assert.rejects(take(context, genesis, without), refusedWith(/^The state in the file has root/))
  const counted = changed(file, CHUNK.end, () => encodeEnd({ accounts: 1, slots: 1 }))
  await assert.rejects(take(context, genesis, counted), refusedWith(/damaged/))
  const otherBody = changed(file, CHUNK.body, () => parseData('0xc2c0c0'))
  await assert.rejects(take(context, genesis, otherBody), refusedWith(/^The body of block 5/))
  const otherReceipts = changed(file, CHUNK.receipts, () => parseData('0xc0'))
  await assert.rejects(take(context, genesis, otherReceipts), refusedWith(/^The receipts of block 5/))
})

test('padded headers are refused, even if the operator names the block', async (context) => {
  const { genesis, file, head } = await make(context, voted, VOTES)
  const padded = changed(file, CHUNK.headers, (content) =>
    encodeRlpList([...encodedRlpItems(content)].map((header) => pad(header))),
  )
  for (const options of [{}, { trustedHash: head }]) {
    await assert.rejects(
      take(context, genesis, padded, options),
      refusedWith(/^Header 1 of the file is padded\. The extra data is not in canonical form\.$/),
    )
  }
})

/** The hash stays the same. */
function pad(encoded: Uint8Array): Uint8Array {
  const header = decodeHeader(encoded)
  const items = decodeRlp(header.extraData) as readonly RlpItem[]
  return encodeHeader({ ...header, extraData: encodeRlp([...items, new Uint8Array(1_000)]) })
}

test('a state of a network with a validator contract needs a block named by the operator', async (context) => {
  const genesis = testNetwork({ qbft: { validatorcontractaddress: contract } }, [a], alloc)
  const hasContract = true
  const made = await make(context, genesis, [
    { hasContract, validators: [a], author: a },
    { hasContract, validators: [a], author: a },
  ])
  await assert.rejects(
    take(context, genesis, made.file),
    refusedWith(/^A contract names the validators of block 1/),
  )
  await take(context, genesis, made.file, { trustedHash: made.head })
  const next = { hasContract, validators: [a], author: a, sealers: [b], isUnseen: true }
  const forged = await make(context, genesis, [next])
  await assert.rejects(
    take(context, genesis, forged.file, { trustedHash: forged.head }),
    refusedWith(/^Block 1 of the file is not one of this chain.*another\.$/),
  )
})

function readGenesis(file: Uint8Array): Hash {
  return hashFromBytes(chunksOf(file)[0]!.content.subarray(3, 35))
}
