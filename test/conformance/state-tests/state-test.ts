// One state test case: a transaction on a state, and its expected result.
import { blobBaseFee } from '#evm/block/blob-gas.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { BlockEnvironment, Engine, EngineTransaction } from '#evm/engine.ts'
import { decodeOutcome } from '#evm/outcome.ts'
import { type Rules, transactionRulesOf } from '#evm/rules.ts'
import { parseAddress } from '#types/address.ts'
import { type Log, logToRlp } from '#types/block/log.ts'
import { bigintToBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { parseHash } from '#types/hash.ts'
import { formatData, parseDataLenient } from '#types/hex.ts'
import { encodeRlp } from '#types/rlp.ts'
import type { Transaction, UnsignedTransaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'
import { validateTransaction } from '#types/transaction/transaction-validate.ts'
import { isNamedRefusal } from './exceptions.ts'
import { rulesOf } from './fork-rules.ts'
import { type JsonAccount, MemoryState } from './memory-state.ts'

export interface JsonStateTest {
  readonly env: Readonly<Record<string, string>>
  readonly pre: Readonly<Record<string, JsonAccount>>
  readonly transaction: JsonTransaction
  readonly post: Readonly<Record<string, readonly JsonPost[]>>
}

interface JsonTransaction {
  readonly data: readonly string[]
  readonly gasLimit: readonly string[]
  readonly value: readonly string[]
  readonly nonce: string
  readonly to: string
  readonly sender?: string
  readonly gasPrice?: string
  readonly maxFeePerGas?: string
  readonly maxPriorityFeePerGas?: string
  readonly maxFeePerBlobGas?: string
  readonly blobVersionedHashes?: readonly string[]
  readonly accessLists?: readonly (JsonAccessList | null)[]
}

type JsonAccessList = readonly { readonly address: string; readonly storageKeys: readonly string[] }[]

interface JsonPost {
  readonly hash: string
  readonly logs: string
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number }
  readonly expectException?: string
  readonly txbytes?: string
}

/** The sender of tests that do not name one. */
const DEFAULT_SENDER = '0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b'

/** Describes the deviation from the case, if there is one. */
export async function runStateTest(
  engine: Engine,
  crypto: Crypto,
  test: JsonStateTest,
  fork: string,
  post: JsonPost,
): Promise<string | undefined> {
  const rules = rulesOf(fork)
  const state = new MemoryState(test.pre, crypto.keccak)
  const signed = transactionOf(test.transaction, post, rules, crypto)
  let logs: readonly Log[] = []
  let refusal = typeof signed === 'string' ? signed : undefined
  if (typeof signed !== 'string') {
    const block = environmentOf(test.env, rules)
    const lookup = state.lookup((number) => crypto.keccak(new TextEncoder().encode(number.toString())))
    const session = engine.open(block, rules, lookup)
    const result = await session.run([signed])
    refusal = result.refusal?.reason
    logs = result.outcomes.flatMap((record) => decodeOutcome(record).logs)
    state.apply(session.finish())
  }
  const expected = post.expectException
  if ((refusal !== undefined) !== (expected !== undefined)) {
    return refusal === undefined ? `accepted, but ${expected} expected` : `refused: ${refusal}`
  }
  if (refusal !== undefined && expected !== undefined && !isNamedRefusal(expected, refusal)) {
    return `refused for ${refusal}, but ${expected} expected`
  }
  const logsHash = formatData(crypto.keccak(encodeRlp(logs.map(logToRlp))))
  if (logsHash !== post.logs) return `logs ${logsHash}, but ${post.logs} expected`
  const root = state.root()
  return root === post.hash ? undefined : `root ${root}, but ${post.hash} expected`
}

/** The transaction, or the reason why it is invalid. */
function transactionOf(
  json: JsonTransaction,
  post: JsonPost,
  rules: Rules,
  crypto: Crypto,
): EngineTransaction | string {
  try {
    const transaction: UnsignedTransaction | Transaction =
      post.txbytes === undefined
        ? unsignedOf(json, post)
        : decodeTransaction(parseDataLenient(post.txbytes), crypto.keccak)
    const sender =
      's' in transaction
        ? recoverSender(transaction as Transaction, crypto.recover, crypto.keccak)
        : parseAddress(json.sender ?? DEFAULT_SENDER)
    // Signatures do not matter in tests without an encoded transaction.
    const complete = { s: 1n, ...transaction } as Transaction
    const verdict = validateTransaction(complete, transactionRulesOf(rules))
    return verdict.ok ? { transaction, sender } : verdict.reason
  } catch (error) {
    if (error instanceof Fault) return `${error.kind}: ${error.data.sentence}`
    throw error
  }
}

function unsignedOf(json: JsonTransaction, { indexes }: JsonPost): UnsignedTransaction | Transaction {
  const value = BigInt((json.value[indexes.value] ?? '').replace(/^0x:bigint /, ''))
  if (value >= 2n ** 256n)
    throw new Fault('INVALID_TRANSACTION', { sentence: 'The value has more than 256 bits.' })
  const call = {
    nonce: BigInt(json.nonce),
    gasLimit: BigInt(json.gasLimit[indexes.gas]!),
    to: json.to === '' ? null : parseAddress(json.to),
    value,
    data: parseDataLenient(json.data[indexes.data]!),
  }
  const accessList = (json.accessLists?.[indexes.data] ?? []).map(({ address, storageKeys }) => ({
    address: parseAddress(address),
    storageKeys: storageKeys.map(parseHash),
  }))
  const chainId = 1n
  if (json.maxFeePerGas !== undefined) {
    const market = {
      ...call,
      chainId,
      accessList,
      maxFeePerGas: BigInt(json.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(json.maxPriorityFeePerGas!),
    }
    if (json.blobVersionedHashes === undefined) return { type: 2, ...market }
    if (call.to === null) throw new Fault('INVALID_TRANSACTION', { sentence: 'A blob needs a recipient.' })
    const blobVersionedHashes = json.blobVersionedHashes.map(parseHash)
    return {
      type: 3,
      ...market,
      to: call.to,
      maxFeePerBlobGas: BigInt(json.maxFeePerBlobGas!),
      blobVersionedHashes,
    }
  }
  const gasPrice = BigInt(json.gasPrice!)
  if ((json.accessLists?.[indexes.data] ?? null) === null)
    return { type: 0, ...call, chainId: null, gasPrice }
  return { type: 1, ...call, chainId, gasPrice, accessList }
}

function environmentOf(env: JsonStateTest['env'], rules: Rules): BlockEnvironment {
  const quantity = (name: string): bigint => BigInt(env[name] ?? 0)
  return {
    number: quantity('currentNumber'),
    timestamp: quantity('currentTimestamp'),
    gasLimit: quantity('currentGasLimit'),
    coinbase: parseAddress(env.currentCoinbase!),
    difficulty: quantity('currentDifficulty'),
    prevRandao: bigintToBytes(quantity('currentRandom'), 32),
    baseFeePerGas: rules.has('london') ? quantity('currentBaseFee') : 0n,
    blobBaseFee: blobBaseFee(rules, quantity('currentExcessBlobGas')),
  }
}
