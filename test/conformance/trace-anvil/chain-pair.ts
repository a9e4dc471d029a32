/** One random world in both nodes: anvil produces the blocks, and ours are built from the same transactions. */
import { offer } from '#chain/chain.fixture.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { encodeBlock } from '#types/block/block.ts'
import { type Hash, parseHash, ZERO_HASH } from '#types/hash.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { Transaction, UnsignedTransaction } from '#types/transaction/transaction.ts'
import { LOCAL_CALL, startDispatcher, textOf } from '../../acceptance/conversations/in-process.ts'
import { createScenario } from '../../adversarial/fuzz-engines/scenario.ts'
import { BEACON_ROOTS, COINBASE, createWorld, type World } from '../../adversarial/fuzz-engines/world.ts'
import { type Anvil, startAnvil } from '../../support/anvil.ts'
import type { Random } from '../../support/random.ts'
import { openMemoryChain, parseGenesisText } from '../chains/memory-chain.ts'

export const FORK = 'prague'
const CHAIN_ID = 1337n
const GENESIS_SECONDS = 1_700_000_000
const BLOCK_SECONDS = 5
const GAS_LIMIT = 30_000_000
/** The EIP-7702 refund for an authority. */
const AUTHORITY_REFUND = 12_500n
/** EIP-7002 and EIP-7251: a block needs code at these addresses. The code here only stops. */
const REQUEST_CONTRACTS = [
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  '0x0000bbddc7ce488642fb579f8b00f3a590007251',
]

export interface ChainPair {
  readonly anvil: Anvil
  /**
   * The hashes of the same blocks in both nodes. They differ, because anvil's block 0 has the root of an empty state.
   */
  readonly blockHashes: readonly BlockHashes[]
  /** Sends a request to our node; throws its error. */
  ask<Result>(method: string, ...params: unknown[]): Promise<Result>
  /**
   * The transaction hashes of one more block; empty if anvil refused all of them; undefined if the chains diverge for
   * a known reason and cannot continue.
   */
  extend(): Promise<readonly Hash[] | undefined>
  stop(): void
}

export interface BlockHashes {
  readonly ours: string
  readonly anvils: string
}

interface AnvilBlock {
  readonly hash: string
  readonly number: string
  readonly timestamp: string
  readonly mixHash: string
  readonly gasUsed: string
  readonly receiptsRoot: string
  readonly transactions: readonly Hash[]
}

export async function openPair(program: string, random: Random): Promise<ChainPair> {
  const world = createWorld(random)
  const genesisText = genesisOf(world)
  const options = ['--hardfork', FORK, '--order', 'fifo', '--gas-limit', String(GAS_LIMIT)]
  const anvil = await startAnvil(program, genesisText, [
    ...options,
    '--disable-default-create2-deployer',
    '--steps-tracing',
  ])
  await anvil.ask('anvil_setCoinbase', COINBASE)
  const genesis = parseGenesisText(genesisText)
  const { chain, engine } = await openMemoryChain(genesis)
  const dispatcher = startDispatcher([], { chain, genesis, engine })
  const blockHashes: BlockHashes[] = []
  return {
    anvil,
    blockHashes,
    ask: async (method, ...params) => {
      const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const text = await textOf(await dispatcher.dispatch(Buffer.from(request), LOCAL_CALL))
      const { result, error } = JSON.parse(text)
      if (error !== undefined) throw new Error(`cairn, ${method}: ${error.message}`)
      return result
    },
    extend: async () => {
      const sent = await sendTransactions(anvil, random, world)
      const block = await mine(anvil)
      if (!(await follow(chain, block, sent))) return undefined
      blockHashes.push({ ours: chain.head.hash, anvils: block.hash })
      return block.transactions
    },
    stop: () => anvil.stop(),
  }
}

/** Leaves out the EIP-4788 contract, because anvil does not call it. */
function genesisOf({ accounts }: World): string {
  const alloc: Record<string, object> = {}
  for (const [address, { nonce, balance, code, storage }] of accounts) {
    if (address === BEACON_ROOTS) continue
    const slots = [...storage].map(([slot, value]) => [
      `0x${slot.toString(16).padStart(64, '0')}`,
      formatData(value),
    ])
    const fields = { nonce: formatQuantity(nonce), balance: formatQuantity(balance), code: formatData(code) }
    alloc[address] = { ...fields, storage: Object.fromEntries(slots) }
  }
  for (const address of REQUEST_CONTRACTS) alloc[address] = { nonce: '0x1', balance: '0x0', code: '0x00' }
  const blocks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg']
  const forks = [...blocks, 'istanbul', 'berlin', 'london'].map((name) => [`${name}Block`, 0])
  const times = { terminalTotalDifficulty: 0, shanghaiTime: 0, cancunTime: 0, pragueTime: 0 }
  return JSON.stringify({
    config: { chainId: Number(CHAIN_ID), ...Object.fromEntries(forks), ...times },
    timestamp: `0x${GENESIS_SECONDS.toString(16)}`,
    gasLimit: `0x${GAS_LIMIT.toString(16)}`,
    baseFeePerGas: '0x7',
    difficulty: '0x0',
    nonce: '0x0',
    extraData: '0x',
    coinbase: COINBASE,
    alloc,
  })
}

/** At most one transaction per sender, with its current nonce, which an authorization may have raised. */
async function sendTransactions(
  { ask }: Anvil,
  random: Random,
  world: World,
): Promise<ReadonlyMap<Hash, Transaction>> {
  const nonces = new Map<string, bigint>()
  for (const { address } of world.senders) {
    const nonce = BigInt(await ask<string>('eth_getTransactionCount', address, 'latest'))
    nonces.set(address, nonce)
    world.nonces.set(address, nonce)
  }
  const { actions } = createScenario(random, world, FORK)
  const sent = new Map<Hash, Transaction>()
  for (const { transaction, sender } of actions.flatMap((each) =>
    each.kind === 'run' ? each.transactions : [],
  )) {
    const nonce = nonces.get(sender)
    if (nonce === undefined) continue
    nonces.delete(sender)
    const { key } = world.senders.find(({ address }) => address === sender)!
    const signed = signTransaction(sendable(transaction, nonce), key)
    const isTaken = await ask<Hash>('eth_sendRawTransaction', formatData(signed.encoded)).then(
      () => true,
      () => false,
    )
    if (isTaken) sent.set(signed.hash, signed)
  }
  return sent
}

/** Blobs would need sidecars, and anvil refuses transactions without a chain id. */
function sendable(transaction: UnsignedTransaction, nonce: bigint): UnsignedTransaction {
  if (transaction.type === 0) return { ...transaction, nonce, chainId: CHAIN_ID }
  if (transaction.type !== 3) return { ...transaction, nonce }
  const { chainId, gasLimit, to, value, data, accessList, maxFeePerGas, maxPriorityFeePerGas } = transaction
  const fees = { maxFeePerGas, maxPriorityFeePerGas }
  return { type: 2, chainId, nonce, gasLimit, to, value, data, accessList, ...fees }
}

async function mine({ ask }: Anvil): Promise<AnvilBlock> {
  const head = await ask<AnvilBlock>('eth_getBlockByNumber', 'latest', false)
  await ask('evm_setNextBlockTimestamp', Number(head.timestamp) + BLOCK_SECONDS)
  await ask('evm_mine')
  // A transaction left over from one block would be invalid in the next.
  await ask('anvil_dropAllTransactions')
  return await ask<AnvilBlock>('eth_getBlockByNumber', 'latest', false)
}

async function follow(
  chain: Chain,
  block: AnvilBlock,
  sent: ReadonlyMap<Hash, Transaction>,
): Promise<boolean> {
  const template = {
    parent: chain.head.hash,
    timestamp: BigInt(block.timestamp),
    coinbase: COINBASE,
    extraData: new Uint8Array(0),
    difficulty: 0n,
    mixHash: parseHash(block.mixHash),
    nonce: 0n,
    targetGasLimit: undefined,
    fixedBaseFeeWei: undefined,
    withdrawals: [],
    parentBeaconBlockRoot: ZERO_HASH,
  }
  const candidates = offer(block.transactions.map((hash) => sent.get(hash)!))
  const { executed, leftOut } = await chain.build(template, candidates)
  if (leftOut.length > 0) throw new Error(`cairn refuses what anvil took: ${JSON.stringify(leftOut)}`)
  const { header } = executed.block
  if (isRefundTooMuch(header.gasUsed - BigInt(block.gasUsed), [...sent.values()])) return false
  // The state root is not compared: anvil's state contains its own block hashes (EIP-2935).
  for (const field of ['receiptsRoot', 'gasUsed'] as const) {
    const ours = typeof header[field] === 'bigint' ? formatQuantity(header[field]) : header[field]
    if (ours === block[field]) continue
    throw new Error(`block ${Number(block.number)}: ${field} is ${ours} here and ${block[field]} in anvil`)
  }
  const verdict = await chain.importBlock(chain.receive(encodeBlock(executed.block)), { validation: 'none' })
  if (!verdict.ok) throw new Error(verdict.sentence)
  return true
}

/**
 * EIP-7702 refunds gas for existing authorities. anvil sometimes refunds it for one without nonce, balance and code
 * that is not in the genesis file (--seed 997072 --iteration 1); the reason is unknown. The chains diverge here.
 */
function isRefundTooMuch(moreGas: bigint, sent: readonly Transaction[]): boolean {
  return sent.some(({ type }) => type === 4) && moreGas > 0n && moreGas % AUTHORITY_REFUND === 0n
}
