/** A small QBFT network for tests: one rich account, a contract that logs and one that reverts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { ChainParts } from '#chain/write/chain-parts.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { type Kv, openLevelKv } from '#store/kv/kv.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { WriteCount } from '#store/kv/write-count.ts'
import { openStoreOn, type StoreOptions } from '#store/open-store.ts'
import { parseAddress } from '#types/address.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { BFT_DIFFICULTY, BFT_MIX_HASH } from '#types/block/bft-header.ts'
import { encodeBlock } from '#types/block/block.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { type Genesis, parseGenesis } from '#types/genesis/genesis.ts'
import { hashToBytes, ZERO_HASH } from '#types/hash.ts'
import { formatData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'
import type { BlockTemplate, BuildOptions } from './build/build-block.ts'
import type { Candidate } from './build/candidates.ts'
import type { AnnouncedHead, ChainReaderConfig } from './read/open-chain-reader.ts'
import { genesisHashOf } from './write/commit-genesis.ts'
import { type Chain, createChain } from './write/create-chain.ts'

const KEY = new Uint8Array(32).fill(7)
export const RICH = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))
export const VALIDATOR = parseAddress('11'.repeat(20))
export const SOMEBODY = parseAddress('22'.repeat(20))
/** Emits a log with topic 7 and no data. */
export const LOGGER = parseAddress('33'.repeat(20))
/** Reverts with a word of 0xaa. */
export const REVERTER = parseAddress('44'.repeat(20))
/** Calls itself until its gas is used up. */
export const LOOPER = parseAddress('55'.repeat(20))

const GENESIS = {
  config: { chainId: 1337, berlinBlock: 0, londonBlock: 0, shanghaiTime: 0, zeroBaseFee: true, qbft: {} },
  extraData: formatData(encodeGenesisExtraData('qbft', [VALIDATOR])),
  gasLimit: '0x1c9c380',
  difficulty: '0x1',
  mixHash: BFT_MIX_HASH,
  alloc: {
    [RICH]: { balance: '0xffffffffffffffffffff' },
    [LOGGER]: { balance: '0x0', code: '0x600760006000a100' },
    [REVERTER]: { balance: '0x0', code: '0x60aa60005260206000fd' },
    [LOOPER]: { balance: '0x0', code: '0x5b600056' },
  },
}
export const GENESIS_TEXT = JSON.stringify(GENESIS)
export const silentLog = createLog({ level: 'OFF' })
const crypto = await loadCrypto()

export function testGenesis(): Genesis {
  const verdict = parseGenesis(GENESIS_TEXT)
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
  return verdict.genesis
}

export async function openTestChain(
  options: Partial<ChainParts> & Partial<Pick<StoreOptions, 'format'>> = {},
  kv: Kv = createMemoryKv(),
): Promise<Chain> {
  return openOn(testGenesis(), kv, { engine: await createJsEngine(), ...options })
}

/** Opens a chain of a network that is proof of stake from block 1 on. */
export async function openStakeChain(): Promise<Chain> {
  const config = { chainId: 1337, londonBlock: 0, terminalTotalDifficulty: 0 }
  const { alloc, gasLimit } = GENESIS
  const verdict = parseGenesis(
    JSON.stringify({ config, alloc, gasLimit, difficulty: '0x0', baseFeePerGas: '0x7' }),
  )
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
  return openArchive(verdict.genesis, createMemoryKv(), { engine: await createJsEngine() })
}

/** Opens a chain in its own folder, so other threads can read it; removed after the test. */
export async function openChainOnDisk(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-chain-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const writes = new WriteCount().memory
  const chain = await openTestChain({}, await openLevelKv(folder, { createIfMissing: true, writes }))
  t.after(() => chain.close())
  const reading: ChainReaderConfig = { genesisText: GENESIS_TEXT, path: folder, historyBlocks: 512, writes }
  const head = (sequence = 1): AnnouncedHead => ({ ...chain.announcedHead, sequence })
  return { chain, reading, head }
}

type OpenOptions = Partial<ChainParts> & Pick<ChainParts, 'engine'> & Pick<StoreOptions, 'isDevelopment'>

/** Opens a chain of any network that keeps all states, so it can rewind to block 0. */
export function openArchive(genesis: Genesis, kv: Kv, options: OpenOptions): Promise<Chain> {
  return openOn(genesis, kv, options)
}

async function openOn(
  genesis: Genesis,
  kv: Kv,
  { isDevelopment, format = 'FOREST', ...options }: OpenOptions & Partial<Pick<StoreOptions, 'format'>>,
): Promise<Chain> {
  const { log = silentLog } = options
  const genesisHash = genesisHashOf(genesis, crypto.keccak)
  const { forks } = genesis.config.forks
  const store = await openStoreOn(kv, {
    format,
    historyBlocks: 512,
    genesisHash: hashToBytes(genesisHash),
    forks,
    log,
    ...(isDevelopment && { isDevelopment }),
  })
  const parts = { store, genesis, genesisHash, crypto, clock: systemClock, log }
  return createChain({ ...parts, ...options })
}

/** A transaction from the rich account. */
export function call(
  nonce: number,
  to: typeof RICH = SOMEBODY,
  gasLimit = 100_000n,
  data = new Uint8Array(0),
): Transaction {
  const fees = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n, accessList: [] }
  const value = to === SOMEBODY ? 5n : 0n
  const unsigned = {
    type: 2,
    chainId: 1337n,
    nonce: BigInt(nonce),
    gasLimit,
    to,
    value,
    data,
    ...fees,
  } as const
  return signTransaction(unsigned, KEY)
}

/** A template for a block on the head, one second later. */
export function templateOf(chain: Chain): BlockTemplate {
  return {
    parent: chain.head.hash,
    timestamp: chain.head.header.timestamp + 1n,
    coinbase: VALIDATOR,
    extraData: encodeGenesisExtraData('qbft', [VALIDATOR]),
    difficulty: BFT_DIFFICULTY,
    mixHash: BFT_MIX_HASH,
    nonce: 0n,
    targetGasLimit: undefined,
    fixedBaseFeeWei: undefined,
    withdrawals: [],
    parentBeaconBlockRoot: ZERO_HASH,
  }
}

/** Build options with these candidates, in order. */
export function offer(transactions: readonly Transaction[]): BuildOptions {
  return {
    candidates: async function* () {
      yield candidatesOf(transactions)
    },
  }
}

export function candidatesOf(transactions: readonly Transaction[]): Candidate[] {
  const { recover, keccak } = crypto
  return transactions.map((each) => ({ encoded: each.encoded, sender: recoverSender(each, recover, keccak) }))
}

/** Blocks of a separate chain, one per list of transactions, encoded as peers send them. */
export async function makeBlocks(...lists: (readonly Transaction[])[]): Promise<Uint8Array[]> {
  const chain = await openTestChain()
  const blocks: Uint8Array[] = []
  for (const candidates of lists) blocks.push(await extend(chain, candidates))
  return blocks
}

/** Builds a block and makes it the head. */
export async function extend(chain: Chain, candidates: readonly Transaction[] = []): Promise<Uint8Array> {
  const { executed } = await chain.build(templateOf(chain), offer(candidates))
  const encoded = encodeBlock(executed.block)
  const verdict = await chain.importBlock(chain.receive(encoded))
  if (!verdict.ok) throw new Error(verdict.sentence)
  return encoded
}
