// One case of a blockchain test: blocks on a genesis, of which some must be refused. The header rules here are those
// that the tests need, until `chain` has its own.
import { blobBaseFee, nextExcessBlobGas } from '#evm/blob-gas.ts'
import type { Crypto } from '#evm/crypto.ts'
import type { Engine, EngineTransaction } from '#evm/engine.ts'
import { executeBlock } from '#evm/execute-block.ts'
import { type Rules, rulesAt, transactionRulesOf } from '#evm/rules.ts'
import { type Block, decodeBlock } from '#types/block.ts'
import { type BlockHeader, hashHeader } from '#types/block-header.ts'
import { equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { hashToBytes } from '#types/hash.ts'
import { parseDataLenient } from '#types/hex.ts'
import { orderedTrieRoot } from '#types/ordered-trie-root.ts'
import { encodeReceipt } from '#types/receipt.ts'
import type { Transaction } from '#types/transaction.ts'
import { GAS_PER_BLOB } from '#types/transaction-fees.ts'
import { recoverSender } from '#types/transaction-sender.ts'
import { validateTransaction } from '#types/transaction-validate.ts'
import { encodeWithdrawal } from '#types/withdrawal.ts'
import { configOf, type JsonBlobs } from './fork-rules.ts'
import { type JsonAccount, MemoryState } from './memory-state.ts'

interface JsonBlockchainTest {
  readonly network: string
  readonly genesisRLP: string
  readonly genesisBlockHeader: { readonly hash: string }
  readonly pre: Readonly<Record<string, JsonAccount>>
  readonly blocks: readonly { readonly rlp: string; readonly expectException?: string }[]
  readonly lastblockhash: string
  readonly config: { readonly blobSchedule?: Readonly<Record<string, JsonBlobs>> }
}

const EMPTY_OMMERS = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
/** EIP-7934. */
const MAX_BLOCK_RLP_BYTES = 8 * 1024 * 1024
const MAX_EXTRA_BYTES = 32
const MIN_GAS_LIMIT = 5_000n

class Chain {
  readonly #engine: Engine
  readonly #crypto: Crypto
  readonly #config: ReturnType<typeof configOf>
  readonly #state: MemoryState
  readonly #headers: BlockHeader[]

  constructor(engine: Engine, crypto: Crypto, test: JsonBlockchainTest, genesis: BlockHeader) {
    this.#engine = engine
    this.#crypto = crypto
    this.#config = configOf(test.network, test.config.blobSchedule)
    this.#state = new MemoryState(test.pre, crypto.keccak)
    this.#headers = [genesis]
  }

  get head(): BlockHeader {
    return this.#headers.at(-1)!
  }

  /** Why the block was refused, or undefined if it is the head now. */
  async add(encoded: Uint8Array): Promise<string | undefined> {
    const { keccak } = this.#crypto
    const block = decodeBlock(encoded, keccak)
    const rules = rulesAt(this.#config, block.header)
    const problem =
      headerProblem(block.header, this.head, rules, keccak) ?? bodyProblem(block, encoded, rules, keccak)
    if (problem !== undefined) return problem
    const transactions: EngineTransaction[] = []
    for (const transaction of block.transactions) {
      const verdict = validateTransaction(transaction, transactionRulesOf(rules))
      if (!verdict.ok) return verdict.reason
      transactions.push({ transaction, sender: recoverSender(transaction, this.#crypto.recover, keccak) })
    }
    return this.#execute(block, transactions)
  }

  async #execute(block: Block, transactions: readonly EngineTransaction[]): Promise<string | undefined> {
    const { keccak } = this.#crypto
    const hashes = new Map(
      this.#headers.map((header) => [header.number, hashToBytes(hashHeader(header, keccak))]),
    )
    const context = {
      engine: this.#engine,
      config: this.#config,
      state: this.#state.lookup((number) => hashes.get(number)),
      keccak,
      rootAfter: () => {
        throw new Error('no test here has the rules of before Byzantium')
      },
    }
    const verdict = await executeBlock(context, { ...block, transactions })
    if (!verdict.ok) return `${verdict.reason}: ${verdict.sentence}`
    const { execution } = verdict
    const { header } = block
    const receiptsRoot = orderedTrieRoot(execution.receipts.map(encodeReceipt), keccak)
    if (execution.gasUsed !== header.gasUsed) return `gas used ${execution.gasUsed}, not ${header.gasUsed}`
    if (header.blobGasUsed !== undefined && execution.blobGasUsed !== header.blobGasUsed)
      return 'blob gas used'
    if (receiptsRoot !== header.receiptsRoot) return 'receipts root'
    if (!equalBytes(execution.logsBloom, header.logsBloom)) return 'bloom'
    if (execution.requestsHash !== header.requestsHash) return 'requests hash'
    const copy = this.#state.copy()
    copy.apply(execution.changes)
    const root = copy.root()
    if (root !== header.stateRoot) return `state root ${root}`
    this.#state.apply(execution.changes)
    this.#headers.push(header)
    return undefined
  }
}

/** What went otherwise than the case says; undefined if nothing did. */
export async function runBlockchainTest(
  engine: Engine,
  crypto: Crypto,
  test: JsonBlockchainTest,
): Promise<string | undefined> {
  const { keccak } = crypto
  const genesis = decodeBlock(parseDataLenient(test.genesisRLP), keccak).header
  if (hashHeader(genesis, keccak) !== test.genesisBlockHeader.hash) return 'the hash of the genesis differs'
  const chain = new Chain(engine, crypto, test, genesis)
  for (const [index, { rlp, expectException }] of test.blocks.entries()) {
    const problem = await chain.add(parseDataLenient(rlp)).catch((error: unknown) => {
      if (error instanceof Fault) return `${error.kind}: ${error.data.sentence}`
      throw error
    })
    if (problem !== undefined && expectException === undefined)
      return `block ${index + 1} refused: ${problem}`
    if (problem === undefined && expectException !== undefined)
      return `block ${index + 1} accepted: ${expectException}`
  }
  const head = hashHeader(chain.head, keccak)
  return head === test.lastblockhash ? undefined : `the head is ${head} and not ${test.lastblockhash}`
}

type Keccak = Crypto['keccak']

function headerProblem(
  header: BlockHeader,
  parent: BlockHeader,
  rules: Rules,
  keccak: Keccak,
): string | undefined {
  if (header.parentHash !== hashHeader(parent, keccak)) return 'parent hash'
  if (header.number !== parent.number + 1n) return 'number'
  if (header.timestamp <= parent.timestamp) return 'timestamp'
  if (header.extraData.length > MAX_EXTRA_BYTES) return 'extra data'
  if (header.gasUsed > header.gasLimit) return 'gas used'
  const isFirstOfLondon = header.baseFeePerGas !== undefined && parent.baseFeePerGas === undefined
  const parentLimit = isFirstOfLondon ? parent.gasLimit * 2n : parent.gasLimit
  const step = header.gasLimit > parentLimit ? header.gasLimit - parentLimit : parentLimit - header.gasLimit
  if (step >= parentLimit / 1024n || header.gasLimit < MIN_GAS_LIMIT) return 'gas limit'
  if (rules.has('paris') && (header.difficulty !== 0n || header.nonce !== 0n)) return 'difficulty or nonce'
  if ((header.baseFeePerGas !== undefined) !== rules.has('london')) return 'base fee'
  if (header.baseFeePerGas !== undefined && header.baseFeePerGas !== nextBaseFee(parent)) return 'base fee'
  if ((header.withdrawalsRoot !== undefined) !== rules.has('shanghai')) return 'withdrawals root'
  if ((header.requestsHash !== undefined) !== rules.has('prague')) return 'requests hash'
  return blobProblem(header, parent, rules)
}

function blobProblem(header: BlockHeader, parent: BlockHeader, rules: Rules): string | undefined {
  const fields = [header.blobGasUsed, header.excessBlobGas, header.parentBeaconBlockRoot]
  if (fields.some((field) => (field !== undefined) !== rules.has('cancun'))) return 'blob fields'
  if (!rules.has('cancun')) return undefined
  const excess = nextExcessBlobGas(rules, {
    excessBlobGas: parent.excessBlobGas ?? 0n,
    blobGasUsed: parent.blobGasUsed ?? 0n,
    baseFeePerGas: parent.baseFeePerGas ?? 0n,
  })
  if (header.excessBlobGas !== excess) return `excess blob gas ${header.excessBlobGas}, not ${excess}`
  const max = BigInt(rules.blobs?.max ?? 0) * GAS_PER_BLOB
  if (header.blobGasUsed! > max || blobBaseFee(rules, excess) === 0n) return 'blob gas used'
  return undefined
}

function nextBaseFee(parent: BlockHeader): bigint {
  const fee = parent.baseFeePerGas
  if (fee === undefined) return 1_000_000_000n
  const target = parent.gasLimit / 2n
  if (parent.gasUsed === target) return fee
  if (parent.gasUsed < target) return fee - (fee * (target - parent.gasUsed)) / target / 8n
  const rise = (fee * (parent.gasUsed - target)) / target / 8n
  return fee + (rise > 0n ? rise : 1n)
}

function bodyProblem(block: Block, encoded: Uint8Array, rules: Rules, keccak: Keccak): string | undefined {
  const { header, transactions, ommers, withdrawals } = block
  if (rules.has('osaka') && encoded.length > MAX_BLOCK_RLP_BYTES) return 'block size'
  const encodedOf = (transaction: Transaction): Uint8Array => transaction.encoded
  if (orderedTrieRoot(transactions.map(encodedOf), keccak) !== header.transactionsRoot)
    return 'transactions root'
  if (header.ommersHash !== EMPTY_OMMERS || ommers.length > 0) return 'ommers'
  const root = withdrawals && orderedTrieRoot(withdrawals.map(encodeWithdrawal), keccak)
  return root === header.withdrawalsRoot ? undefined : 'withdrawals root'
}
