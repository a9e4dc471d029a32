/** The chain of bench/trace.ts: a block with 200 token transfers, and a block with a single large transaction. */
import { loadCrypto } from '#evm/crypto.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { parseAddress } from '#types/address.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatQuantity } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { extend, genesisTextOf, openBenchChain } from './bench-chain.ts'
import { CHAIN_ID, Workload } from './import-workload.ts'

const ACCOUNTS = 1_000
export const TRANSFERS = 200
export const LARGE_GAS = 10_000_000n
const KEY = new Uint8Array(32).fill(9)
const CALLER = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))
const LOOP = parseAddress('77'.repeat(20))
/**
 * Each iteration reads another account's balance and runs forty pairs of PUSH1 and POP until the gas is used up:
 * about 30 gas per instruction, like large transactions on public networks. It uses no storage slots: each step that
 * reads one lists all earlier ones, and 10 M gas of that would be gigabytes.
 */
const LOOP_CODE = `5f5b8031506001${'600150'.repeat(40)}01600156`

const FURTHER_ACCOUNTS = {
  [LOOP]: { balance: '0x0', nonce: '0x1', code: `0x${LOOP_CODE}` },
  [CALLER]: { balance: formatQuantity(10n ** 24n) },
}

export interface TraceChain {
  readonly genesisText: string
  /** Transfers, then the large transaction, then more transfers. */
  readonly blocks: readonly Uint8Array[]
  readonly transactions: readonly (readonly Transaction[])[]
}

export async function makeTraceChain(furtherBlocks: number): Promise<TraceChain> {
  const workload = new Workload(ACCOUNTS, await loadCrypto())
  const genesisText = genesisTextOf(workload, FURTHER_ACCOUNTS)
  const chain = await openBenchChain(genesisText, createMemoryKv(), false)
  const transactions = [transfers(workload), [largeCall()]]
  for (let block = 0; block < furtherBlocks; block++) transactions.push(transfers(workload))
  const blocks: Uint8Array[] = []
  for (const candidates of transactions) blocks.push(await extend(chain, candidates))
  return { genesisText, blocks, transactions }
}

function transfers(workload: Workload): Transaction[] {
  return workload.transactions('ERC-20 transfers', TRANSFERS)
}

function largeCall(): Transaction {
  const fees = { maxFeePerGas: 1_000_000_000n, maxPriorityFeePerGas: 0n, accessList: [] }
  const call = { nonce: 0n, gasLimit: LARGE_GAS, to: LOOP, value: 0n, data: new Uint8Array(0) }
  return signTransaction({ type: 2, chainId: CHAIN_ID, ...fees, ...call }, KEY)
}
