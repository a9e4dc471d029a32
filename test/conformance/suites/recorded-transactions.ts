/**
 * Sends the transactions of the two recorded chains again in their order to a node in the same state as Besu's. The
 * pool must then offer the transactions of Besu's block, and our builder must build that block, except for its seals.
 * The recorded block is imported instead.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { ThreadResources } from '#api/resources.ts'
import type { ReceivedBlock } from '#chain/block/stages.ts'
import type { BlockTemplate } from '#chain/build/build-block.ts'
import type { Candidate } from '#chain/build/candidates.ts'
import type { Dispatcher } from '#jsonrpc/dispatcher.ts'
import { encodedBlocks } from '#types/block/block.fixture.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { type Hash, parseHash } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import type { LocalChain } from '../../acceptance/conversations/chain-resources.ts'
import {
  LOCAL_CALL,
  openResources,
  startDispatcher,
  textOf,
} from '../../acceptance/conversations/in-process.ts'
import { UNRESTRICTED } from '../../acceptance/conversations/permissions-scenes.ts'
import { openMemoryChain, parseGenesisText } from '../chains/memory-chain.ts'
import type { RecordedEntry } from '../recorded/entry.ts'
import { differenceOf } from '../rpc/compare.ts'
import { type Deviation, errorInstead, resultInstead } from '../rpc/deviation.ts'
import { type Outcome, outcomeOfPlay, type Pack, type Suite } from '../suite.ts'

const CHAINS = ['g1s', 'prague']
const NO_HASH = parseHash('00'.repeat(32))
const NOBODY = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
/** Rules by note. */
const RULES: Readonly<Record<string, Deviation>> = {
  'transaction of an account without balance (accepted into the pool)': errorInstead(
    '10',
    -32004,
    'Upfront cost exceeds account balance',
  ),
  'txpool after that': resultInstead('10', ({ pending, queued }: Record<'pending' | 'queued', object>) => {
    assert.deepEqual(Object.keys(pending), [NOBODY])
    return { pending: {}, queued }
  }),
}

const suite: Suite = {
  name: 'recorded/transactions',
  async *run(pack) {
    for (const chain of CHAINS) {
      const folder = `recorded/frozen/${chain}`
      const entries = pack.json(`${folder}/transactions.json`) as readonly RecordedEntry[]
      const replay = await Replay.open(pack, folder)
      for (const [index, entry] of entries.entries()) {
        const unit = `${folder}/transactions.json#${index}`
        yield await outcomeOfPlay(unit, () => play(unit, entry, replay))
      }
      const last = `${folder}/transactions.json#${entries.length - 1}`
      if (!replay.isOver)
        yield { unit: last, status: 'failed', reason: 'a block with transactions was not made' }
      await replay.close()
    }
  },
}

export default suite

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function play(
  unit: string,
  { note, request, response }: RecordedEntry,
  replay: Replay,
): Promise<Outcome> {
  const recorded = JSON.parse(response!) as Answer
  const rule = RULES[note]
  const expected = rule?.instead(recorded, '') ?? recorded
  const { error, ...answer } = JSON.parse(await replay.ask(request!)) as Answer
  // Cairn adds `data`.
  const shown =
    error === undefined ? answer : { ...answer, error: { code: error.code, message: error.message } }
  const difference = differenceOf(expected, shown)
  if (difference !== undefined) return { unit, status: 'failed', reason: `${note}: ${difference}` }
  const inOurOrder = await replay.sent(recorded.result as Hash)
  const decision = rule?.decision ?? (inOurOrder ? undefined : 'block-order')
  return decision === undefined ? { unit, status: 'met' } : { unit, status: 'deviates', decision }
}

class Replay {
  readonly #local: LocalChain
  readonly #ports: ThreadResources
  readonly #dispatcher: Dispatcher
  /** The next blocks, lowest first. */
  readonly #blocks: ReceivedBlock[]
  readonly #sent = new Set<Hash>()

  private constructor(local: LocalChain, blocks: ReceivedBlock[]) {
    this.#local = local
    this.#blocks = blocks
    this.#ports = openResources([], local)
    this.#dispatcher = startDispatcher([], local, UNRESTRICTED, this.#ports)
  }

  static async open(pack: Pack, folder: string): Promise<Replay> {
    const genesis = parseGenesisText(pack.text(`${folder}/genesis.json`))
    const { chain, engine } = await openMemoryChain(genesis)
    const file = readFileSync(pack.path(`${folder}/blocks.bin`))
    const [, ...blocks] = Array.from(encodedBlocks(file), (encoded) => chain.receive(encoded))
    const replay = new Replay({ chain, genesis, engine }, blocks)
    await replay.#makeBlocks()
    return replay
  }

  /** True if every block with transactions was built. */
  get isOver(): boolean {
    return this.#blocks.every(({ block }) => block.transactions.length === 0)
  }

  async ask(request: string): Promise<string> {
    return await textOf(await this.#dispatcher.dispatch(Buffer.from(request), LOCAL_CALL))
  }

  sent(hash: Hash): Promise<boolean> {
    this.#sent.add(hash)
    return this.#makeBlocks()
  }

  /** Builds the blocks whose transactions were all sent. Returns whether their order is the recorded one. */
  async #makeBlocks(): Promise<boolean> {
    let inOurOrder = true
    for (;;) {
      const next = this.#blocks[0]
      if (next === undefined || !next.block.transactions.every((each) => this.#sent.has(each.hash))) break
      inOurOrder = (await this.#requireSame(next)) && inOurOrder
      const verdict = await this.#local.chain.importBlock(next, { validation: 'light' })
      assert.ok(verdict.ok, `block ${next.block.header.number} is imported`)
      this.#blocks.shift()
    }
    return inOurOrder
  }

  async #requireSame({ block, hash }: ReceivedBlock): Promise<boolean> {
    const order = block.transactions.map(({ encoded }) => formatData(encoded))
    const placeOf = ({ encoded }: Candidate): number => order.indexOf(formatData(encoded))
    let places: readonly number[] = []
    const pool = this.#ports.pool!
    const { executed } = await this.#local.chain.build(templateOf(block.header), {
      candidates: async function* (terms) {
        const offered = await pool.candidates(terms)
        places = offered.map(placeOf)
        yield offered.toSorted((a, b) => placeOf(a) - placeOf(b))
      },
    })
    assert.equal(executed.hash, hash, `block ${block.header.number} as we make it`)
    return places.every((place, at) => place === at)
  }

  close(): Promise<void> {
    return this.#local.chain.close()
  }
}

function templateOf(header: BlockHeader): BlockTemplate {
  const { parentHash: parent, timestamp, coinbase, extraData, difficulty, mixHash, nonce, gasLimit } = header
  return {
    parent,
    timestamp,
    coinbase,
    extraData,
    difficulty,
    mixHash,
    nonce,
    targetGasLimit: gasLimit,
    fixedBaseFeeWei: undefined,
    withdrawals: [],
    parentBeaconBlockRoot: header.parentBeaconBlockRoot ?? NO_HASH,
  }
}
