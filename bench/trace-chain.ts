/** What bench/trace.ts traces: a block of 200 token transfers, and one with a single large transaction. */
import { ZERO_HASH } from '#chain/build-block.ts'
import { genesisHashOf } from '#chain/commit-genesis.ts'
import { type Chain, createChain } from '#chain/create-chain.ts'
import { chooseEngine } from '#evm/choose-engine.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log.ts'
import type { Kv } from '#store/kv.ts'
import { createMemoryKv } from '#store/memory-kv.ts'
import { openStoreOn } from '#store/open-store.ts'
import { parseAddress } from '#types/address.ts'
import { encodeBlock } from '#types/block.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { parseGenesis } from '#types/genesis.ts'
import { hashToBytes } from '#types/hash.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import type { Transaction } from '#types/transaction.ts'
import { signTransaction } from '#types/transaction-encode.ts'
import { BFT_MIX_HASH, CHAIN_ID, EXTRA_DATA, TOKEN, VALIDATOR, Workload } from './import-workload.ts'

const ACCOUNTS = 1_000
export const TRANSFERS = 200
export const LARGE_GAS = 10_000_000n
const KEY = new Uint8Array(32).fill(9)
const CALLER = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))
const LOOP = parseAddress('77'.repeat(20))
/**
 * The balance of another account and forty pairs of PUSH1 and POP each time round, until the gas is used up: about 30 gas
 * for each instruction, as transactions of that size have them on public networks. No slots: each step that reads one
 * shows all before it, and 10 M gas of that would be gigabytes.
 */
const LOOP_CODE = `5f5b8031506001${'600150'.repeat(40)}01600156`

export interface TraceChain {
  readonly genesisText: string
  /** Transfers, then the large one, then further transfers. */
  readonly blocks: readonly Uint8Array[]
  readonly transactions: readonly (readonly Transaction[])[]
}

export const silent = createLog({ level: 'OFF', fd: 2 })

export async function makeTraceChain(furtherBlocks: number): Promise<TraceChain> {
  const workload = new Workload(ACCOUNTS, await loadCrypto())
  const genesisText = genesisTextOf(workload)
  const chain = await openBenchChain(genesisText, createMemoryKv(), false)
  const transactions = [transfers(workload), [largeCall()]]
  for (let block = 0; block < furtherBlocks; block++) transactions.push(transfers(workload))
  const blocks: Uint8Array[] = []
  for (const candidates of transactions) blocks.push(await extend(chain, candidates))
  return { genesisText, blocks, transactions }
}

export async function openBenchChain(genesisText: string, kv: Kv, keepCallTrees: boolean): Promise<Chain> {
  const [crypto, engine] = await Promise.all([loadCrypto(), chooseEngine(process.env.CAIRN_ENGINE, silent)])
  const verdict = parseGenesis(genesisText)
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
  const { genesis } = verdict
  const genesisHash = genesisHashOf(genesis, crypto.keccak)
  const { forks } = genesis.config.forks
  const at = { format: 'FOREST', historyBlocks: 512, genesisHash: hashToBytes(genesisHash), forks } as const
  const store = await openStoreOn(kv, { ...at, log: silent })
  const parts = { store, genesis, genesisHash, engine, crypto, clock: systemClock, log: silent }
  return await createChain({ ...parts, keepCallTrees })
}

async function extend(chain: Chain, candidates: readonly Transaction[]): Promise<Uint8Array> {
  const { executed, leftOut } = await chain.build({
    parent: chain.head.hash,
    timestamp: chain.head.header.timestamp + 1n,
    coinbase: VALIDATOR,
    extraData: EXTRA_DATA,
    difficulty: 1n,
    mixHash: BFT_MIX_HASH,
    nonce: 0n,
    targetGasLimit: undefined,
    fixedBaseFeeWei: undefined,
    withdrawals: [],
    parentBeaconBlockRoot: ZERO_HASH,
    candidates,
  })
  if (leftOut.length > 0) throw new Error(JSON.stringify(leftOut))
  const encoded = encodeBlock(executed.block)
  await importInto(chain, encoded)
  return encoded
}

export async function importInto(chain: Chain, encoded: Uint8Array): Promise<void> {
  const verdict = await chain.importBlock(chain.receive(encoded), { validation: 'none' })
  if (!verdict.ok) throw new Error(verdict.sentence)
}

function transfers(workload: Workload): Transaction[] {
  return workload.transactions('ERC-20 transfers', TRANSFERS)
}

function largeCall(): Transaction {
  const fees = { maxFeePerGas: 1_000_000_000n, maxPriorityFeePerGas: 0n, accessList: [] }
  const call = { nonce: 0n, gasLimit: LARGE_GAS, to: LOOP, value: 0n, data: new Uint8Array(0) }
  return signTransaction({ type: 2, chainId: CHAIN_ID, ...fees, ...call }, KEY)
}

function genesisTextOf(workload: Workload): string {
  const alloc: Record<string, object> = {}
  for (const [address, { balance, nonce, code }] of workload.genesis.alloc) {
    const fields = { balance: formatQuantity(balance), nonce: formatQuantity(nonce) }
    alloc[address] = { ...fields, code: formatData(code) }
  }
  const word = (value: bigint): string => formatData(bigintToBytes(value, 32))
  const storage = [...workload.tokenStorage].map(([slot, value]) => [word(slot), word(value)])
  alloc[TOKEN] = { ...alloc[TOKEN], storage: Object.fromEntries(storage) }
  alloc[LOOP] = { balance: '0x0', nonce: '0x1', code: `0x${LOOP_CODE}` }
  alloc[CALLER] = { balance: formatQuantity(10n ** 24n) }
  return JSON.stringify({
    config: { chainId: 1337, berlinBlock: 0, londonBlock: 0, shanghaiTime: 0, zeroBaseFee: true, qbft: {} },
    extraData: formatData(EXTRA_DATA),
    gasLimit: '0x7fffffff',
    difficulty: '0x1',
    mixHash: BFT_MIX_HASH,
    alloc,
  })
}
