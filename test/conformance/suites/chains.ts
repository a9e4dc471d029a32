/**
 * Imports the pack's chains block by block. The import compares every root, gas total, bloom and hash; then the
 * stored data is read back. After that the chain is unwound to block 0 and imported again from its own siblings.
 * Header rules apply in full, including validator seals, except for proof of work, which the pack's chains lack.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Lookup } from '#chain/read/lookup.ts'
import type { HeaderValidation } from '#chain/rules/header-rules.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { encodedBlocks } from '#types/block/block.fixture.ts'
import { receiptsRoot } from '#types/block/block-roots.ts'
import { bloomOfLogs } from '#types/block/bloom.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { type MemoryChain, openMemoryChain, parseGenesisText } from '../chains/memory-chain.ts'
import { type Outcome, outcomeOf, type Pack, type Suite } from '../suite.ts'

interface ExpectedChain {
  readonly blocksFile: string
  readonly genesisFile?: string
  readonly genesisHash?: string
  readonly headNumber: number
  readonly headHash: string
  readonly headStateRoot?: string
  readonly firstBlockTimestamp?: number
  readonly headTimestamp?: number
  readonly transactions?: number
  /** Number of transactions by type. */
  readonly transactionTypes?: Readonly<Record<string, number>>
  readonly ommers?: number
}

/** The heads of the two recorded networks come from the recordings; the other chains are histories of networks. */
const RECORDED: Readonly<Record<string, ExpectedChain>> = {
  'recorded/frozen/g1s': {
    blocksFile: 'blocks.bin',
    headNumber: 15,
    headHash: '0x5c8b373d084af151fd302534dc1e81cee5a8c3489d1b725a65b9a8cb25b2a757',
  },
  'recorded/frozen/prague': {
    blocksFile: 'blocks.bin',
    headNumber: 16,
    headHash: '0xceb6e39feb3abf14250dda192d883175a136e4e28439b4c3ae71b920bf6548cd',
  },
}
const PAST: Readonly<Record<string, ExpectedChain>> = {
  'bft/ibft1-chain': {
    blocksFile: 'blocks.bin',
    headNumber: 100,
    headHash: '0x66c50338a9ec939a3219a80b3b5e7d51c154507d5748f08dbda9422520bb3251',
  },
  'bft/clique': {
    blocksFile: 'blocks.bin',
    genesisFile: 'clique_to_pos.json',
    headNumber: 4,
    headHash: '0xae48cf1ec1ba9ca96eb32fdac8b00ee22880e508fdb2aac93774b43a701aec1c',
  },
}
const DRAFT = 'chains/testing-build-block'
/** The last common block of the two branches. */
const FORK_STEM = 6

const suite: Suite = {
  name: 'chains',
  async *run(pack) {
    const expected = pack.json('chains/expected.json') as Record<string, ExpectedChain>
    for (const [folder, chain] of Object.entries({ ...expected, ...RECORDED, ...PAST })) {
      if (folder === DRAFT) yield draftOutcome(folder, pack)
      else yield outcomeOf(folder, () => checkChain(pack, folder, chain))
    }
    yield outcomeOf('chains/fork-outdated#upgraded-and-back', () => checkUpgrade(pack, expected))
  },
}

export default suite

/** Requires that Cairn refuses the rules: when Cairn supports them, the unit must be checked. */
async function draftOutcome(folder: string, pack: Pack): Promise<Outcome> {
  try {
    const { chain } = await open(pack, folder)
    await chain.importMany(blocksOf(pack, folder, 'blocks.bin', chain), { validation: 'light' })
    return {
      unit: folder,
      status: 'failed',
      reason: 'Amsterdam is supported: check this chain like the others',
    }
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'UNSUPPORTED_FORK') throw error
    return { unit: folder, status: 'waits', reason: 'the rules of Amsterdam are a moving draft' }
  }
}

async function checkChain(pack: Pack, folder: string, expected: ExpectedChain): Promise<void> {
  const { chain } = await open(pack, folder, undefined, expected.genesisFile)
  const genesisHash = chain.head.hash
  if (expected.genesisHash !== undefined) assert.equal(genesisHash, expected.genesisHash, 'genesis hash')
  if (folder in RECORDED)
    assert.ok(pack.text(`${folder}/eth.json`).includes(expected.headHash), 'recorded head')
  await importAll(pack, folder, expected, chain)
  requireHead(chain, expected)
  requireContent(chain, expected)
  requireReadable(chain)
  await chain.unwind(0)
  assert.equal(chain.head.hash, genesisHash, 'head after the way back')
  assert.equal(
    hashFromBytes(chain.store.headState().root),
    chain.head.header.stateRoot,
    'state root of block 0',
  )
  const again = await chain.setHead(expected.headHash as Hash, { validation: validationOf(folder) })
  assert.ok(again.ok, again.ok ? '' : again.sentence)
  requireHead(chain, expected)
  requireReadable(chain)
}

/** One schedule, then the other, on the same database, as when an operator upgrades a node that missed a fork. */
async function checkUpgrade(pack: Pack, expected: Readonly<Record<string, ExpectedChain>>): Promise<void> {
  const outdated = expected['chains/fork-outdated']!
  const upgraded = expected['chains/fork-upgraded']!
  const first = await open(pack, 'chains/fork-outdated')
  await importAll(pack, 'chains/fork-outdated', outdated, first.chain)
  requireHead(first.chain, outdated)
  await first.chain.unwind(FORK_STEM)
  const second = await open(pack, 'chains/fork-upgraded', first)
  await importAll(pack, 'chains/fork-upgraded', upgraded, second.chain)
  requireHead(second.chain, upgraded)
  await second.chain.unwind(FORK_STEM)
  const third = await open(pack, 'chains/fork-outdated', second)
  const back = await third.chain.setHead(outdated.headHash as Hash, { validation: 'light' })
  assert.ok(back.ok, back.ok ? '' : back.sentence)
  requireHead(third.chain, outdated)
  requireReadable(third.chain)
}

function open(pack: Pack, folder: string, before?: MemoryChain, file = 'genesis.json'): Promise<MemoryChain> {
  return openMemoryChain(parseGenesisText(pack.text(`${folder}/${file}`)), before?.kv.crash())
}

async function importAll(
  pack: Pack,
  folder: string,
  { blocksFile }: ExpectedChain,
  chain: Chain,
): Promise<void> {
  const validation = validationOf(folder)
  const verdict = await chain.importMany(blocksOf(pack, folder, blocksFile, chain), { validation })
  assert.ok(verdict.ok, verdict.ok ? '' : `block ${verdict.block.header.number}: ${verdict.sentence}`)
}

/** Proof of work is not verified; all other seals are. */
function validationOf(folder: string): HeaderValidation {
  return folder in RECORDED || folder in PAST ? 'full' : 'light'
}

function* blocksOf(pack: Pack, folder: string, file: string, chain: Chain) {
  for (const encoded of encodedBlocks(readFileSync(pack.path(`${folder}/${file}`))))
    yield chain.receive(encoded)
}

function requireHead(chain: Chain, expected: ExpectedChain): void {
  assert.equal(chain.head.header.number, BigInt(expected.headNumber), 'head number')
  assert.equal(chain.head.hash, expected.headHash, 'head hash')
  assert.equal(
    hashFromBytes(chain.store.headState().root),
    chain.head.header.stateRoot,
    'state root of the head',
  )
  if (expected.headStateRoot !== undefined) {
    assert.equal(chain.head.header.stateRoot, expected.headStateRoot, 'expected state root of the head')
  }
}

/** Compares the blocks with the pack's counts. */
function requireContent(chain: Chain, expected: ExpectedChain): void {
  if (expected.transactions === undefined) return
  const lookup = new Lookup(chain.store)
  const blocks = Array.from({ length: expected.headNumber }, (_, index) => lookup.block(index + 1)!.block)
  const types: Record<string, number> = {}
  for (const { type } of blocks.flatMap(({ transactions }) => transactions))
    types[type] = (types[type] ?? 0) + 1
  const actual = {
    firstBlockTimestamp: Number(blocks[0]!.header.timestamp),
    headTimestamp: Number(blocks.at(-1)!.header.timestamp),
    transactions: blocks.reduce((sum, { transactions }) => sum + transactions.length, 0),
    transactionTypes: types,
    ommers: blocks.reduce((sum, { ommers }) => sum + ommers.length, 0),
  }
  const { firstBlockTimestamp, headTimestamp, transactions, transactionTypes, ommers } = expected
  assert.deepEqual(actual, { firstBlockTimestamp, headTimestamp, transactions, transactionTypes, ommers })
}

/** Requires that stored data equals imported data. */
function requireReadable(chain: Chain): void {
  const lookup = new Lookup(chain.store)
  for (let number = 1; BigInt(number) <= chain.head.header.number; number++) {
    const { block, hash } = lookup.block(number)!
    const { header, transactions } = block
    assert.equal(chain.hashBlock(header), hash, `hash of stored block ${number}`)
    const receipts = lookup.receipts(hash)!
    const complete = receipts.map((receipt) => ({ ...receipt, logsBloom: bloomOfLogs(receipt.logs) }))
    assert.equal(receiptsRoot(complete), header.receiptsRoot, `stored receipts of block ${number}`)
    const trees = lookup.callTrees(hash)!
    assert.equal(trees.length, transactions.length, `call trees of block ${number}`)
    for (const [index, transaction] of transactions.entries()) {
      const found = lookup.transactionInBlock(transaction.hash)
      assert.deepEqual([found?.known.hash, found?.index], [hash, index], 'transaction index')
      assert.equal(trees[index]!.frames[0]!.from, receipts[index]!.sender, 'sender')
    }
  }
}
