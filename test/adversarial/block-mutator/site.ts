/** A place where blocks are mutated: a network, two blocks of its chain, and the honest block that follows them. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { encodeStoredReceipts } from '#chain/block/stored-receipts.ts'
import { offer, openArchive } from '#chain/chain.fixture.ts'
import { blockContext } from '#chain/execute/execute.ts'
import { prepareTransactions } from '#chain/execute/prepare-transactions.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { bftTemplate } from '#consensus/bft/block-template.ts'
import { createHeaderRules } from '#consensus/create-header-rules.ts'
import { sealBlock } from '#consensus/network.fixture.ts'
import type { BlockExecution } from '#evm/block/block-session.ts'
import { executeBlock } from '#evm/block/execute-block.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { type Crypto, loadCrypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import { rulesAt } from '#evm/rules.ts'
import { createFakeClock, type FakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { encodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { type Block, decodeBlock } from '#types/block/block.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { decodeRlp, encodedRlpItems, type RlpItem } from '#types/rlp.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { EXTRA_DATA, EXTRA_PLACE, type Item, type RawBlock } from './items.ts'
import { type BlockNetwork, FIXED_FEE_WEI, VALIDATORS } from './networks.ts'
import { transactionsOf } from './transactions.ts'

export type Filling = 'empty' | 'transactions'

/** The parts of a site that mutations read. */
export type Place = Pick<
  Site,
  'network' | 'filling' | 'crypto' | 'parent' | 'grandparent' | 'honestBlock' | 'transactions'
>

/** All header fields that follow from the body and the state. */
export interface Result {
  readonly execution: BlockExecution
  readonly stateRoot: Hash
  readonly receipts: Uint8Array
}

const PARENTS = 2
const log = createLog({ level: 'ERROR' })

export class Site {
  readonly network: BlockNetwork
  readonly filling: Filling
  readonly engine: Engine
  readonly crypto: Crypto
  readonly clock: FakeClock
  /** The blocks before the honest one, sealed. */
  readonly parents: readonly Uint8Array[]
  readonly grandparent: BlockHeader
  readonly parent: KnownHeader
  /** The honest block with its seals. */
  readonly honest: Uint8Array
  readonly honestBlock: Block
  readonly transactions: readonly Transaction[]
  readonly #producer: Chain

  private constructor(parts: Made & Pick<Site, 'network' | 'filling' | 'engine' | 'crypto' | 'clock'>) {
    this.network = parts.network
    this.filling = parts.filling
    this.engine = parts.engine
    this.crypto = parts.crypto
    this.clock = parts.clock
    this.parents = parts.parents
    this.grandparent = parts.grandparent
    this.parent = parts.parent
    this.honest = parts.honest
    this.honestBlock = decodeBlock(parts.honest, parts.crypto.keccak)
    this.transactions = parts.transactions
    this.#producer = parts.producer
  }

  static async open(network: BlockNetwork, filling: Filling): Promise<Site> {
    const { genesis } = network
    const [crypto, engine] = await Promise.all([
      loadCrypto(),
      chooseEngine(process.env.CAIRN_ENGINE, log, { forks: genesis.config.forks }),
    ])
    const clock = createFakeClock()
    const producer = await openArchive(genesis, createMemoryKv(), { engine, clock, createHeaderRules })
    const made = await makeBlocks(producer, network, filling, crypto)
    clock.setWall(Number(decodeBlock(made.honest).header.timestamp) * 1_000)
    return new Site({ network, filling, engine, crypto, clock, ...made })
  }

  get name(): string {
    return `${this.network.name} ${this.filling}`
  }

  /** Another chain of the network whose head is the parent. */
  async openChain(): Promise<Chain> {
    const { engine, clock } = this
    const chain = await openArchive(this.network.genesis, createMemoryKv(), {
      engine,
      clock,
      createHeaderRules,
    })
    for (const block of this.parents) await requireImported(chain, block)
    return chain
  }

  get raw(): RawBlock {
    return rawOf(this.honest)
  }

  /** Executes a block on the parent, regardless of its header; undefined if its transactions cannot be executed. */
  async execute(block: Block): Promise<Result | undefined> {
    const { crypto, engine, network } = this
    const { store } = this.#producer
    const rules = rulesAt(network.genesis.config, block.header)
    const prepared = prepareTransactions(block.transactions, rules, crypto)
    if (!prepared.ok) return undefined
    const tools = { engine, genesis: network.genesis, crypto, store, traceStoreEnabled: false }
    const state = store.headState()
    const blockHash = (number: bigint) => store.canonicalHash(Number(number))
    const verdict = await executeBlock(blockContext(tools as never, { state, blockHash }), {
      ...block,
      transactions: prepared.transactions,
    })
    if (!verdict.ok) return undefined
    const { execution } = verdict
    const receipts = execution.receipts.map((receipt, index) => ({
      ...receipt,
      sender: prepared.transactions[index]!.sender,
      revertReason: undefined,
    }))
    const stateRoot = hashFromBytes(store.deriveState(state, execution.changes).root)
    return { execution, stateRoot, receipts: encodeStoredReceipts(receipts) }
  }
}

/** A block as a tree. */
export function rawOf(encoded: Uint8Array): RawBlock {
  const [header, ...body] = [...encodedRlpItems(encoded)] as [Uint8Array, ...Uint8Array[]]
  const fields: readonly Item[] = decodeRlp(header) as readonly RlpItem[]
  return {
    header: fields.with(EXTRA_DATA, EXTRA_PLACE),
    extra: decodeRlp(fields[EXTRA_DATA] as Uint8Array) as readonly RlpItem[],
    body: body.map((list) => [...encodedRlpItems(list)].map((each) => ({ encoded: each }))),
  }
}

export async function requireImported(chain: Chain, block: Uint8Array): Promise<void> {
  const verdict = await chain.importBlock(chain.receive(block))
  if (!verdict.ok) throw new Error(`An honest block was refused: ${verdict.sentence}`)
}

interface Made {
  readonly producer: Chain
  readonly parents: readonly Uint8Array[]
  readonly grandparent: BlockHeader
  readonly parent: KnownHeader
  readonly honest: Uint8Array
  readonly transactions: readonly Transaction[]
}

/** The building chain's head stays at the parent. */
async function makeBlocks(
  producer: Chain,
  network: BlockNetwork,
  filling: Filling,
  crypto: Crypto,
): Promise<Made> {
  const parents: Uint8Array[] = []
  let nonce = 0
  let grandparent = producer.head.header
  for (let made = 0; made < PARENTS; made++) {
    grandparent = producer.head.header
    const transactions = transactionsOf(network, nonce)
    nonce += transactions.length
    parents.push(await makeNext(producer, network, transactions, crypto))
    await requireImported(producer, parents.at(-1)!)
  }
  const transactions = transactionsOf(network, nonce)
  const honest = await makeNext(producer, network, filling === 'empty' ? [] : transactions, crypto)
  return { producer, parents, grandparent, parent: producer.head, honest, transactions }
}

async function makeNext(
  producer: Chain,
  { protocol, fees }: BlockNetwork,
  transactions: readonly Transaction[],
  { sign }: Crypto,
): Promise<Uint8Array> {
  const { hash, header } = producer.head
  const template = bftTemplate({
    parent: hash,
    timestamp: header.timestamp + 1n,
    coinbase: VALIDATORS[Number(header.number) % VALIDATORS.length]!.address,
    extraData: encodeBftExtraData(protocol, {
      vanity: new Uint8Array(32),
      validators: VALIDATORS.map(({ address }) => address),
      vote: null,
      round: 0,
      seals: [],
    }),
    ...(fees === 'fixed' && { fixedBaseFeeWei: FIXED_FEE_WEI }),
  })
  const { encoded, leftOut } = await producer.build(template, offer(transactions))
  if (leftOut.length > 0) throw new Error(JSON.stringify(leftOut))
  return sealBlock(protocol, encoded, VALIDATORS, sign)
}
