import { array, boolean, object, string } from 'zod'
import type { KnownHeader } from '#chain/block/stages.ts'
import { type BlockTemplate, draftHeader } from '#chain/build/build-block.ts'
import { MAX_EXTRA_DATA_BYTES } from '#chain/build/building-settings.ts'
import type { Candidate, SelectionTerms } from '#chain/build/candidates.ts'
import { buildPayload } from '#chain/read/build-payload.ts'
import { type Crypto, loadCrypto } from '#evm/crypto.ts'
import { rulesAt } from '#evm/rules.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import { presentPayload } from '#rpc/present/execution-payload.ts'
import type { Resources } from '#rpc/resources.ts'
import { AddressText } from '#rpc/schema/address.ts'
import { Attributes, type PayloadAttributes } from '#rpc/schema/building/payload-attributes.ts'
import { DataText, dataParam } from '#rpc/schema/data.ts'
import { BlockHash, HashText } from '#rpc/schema/hash.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { hashHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'

const ExecutionPayload = object({
  parentHash: HashText,
  feeRecipient: AddressText,
  stateRoot: HashText,
  receiptsRoot: HashText,
  logsBloom: DataText,
  prevRandao: HashText,
  blockNumber: QuantityText,
  gasLimit: QuantityText,
  gasUsed: QuantityText,
  timestamp: QuantityText,
  extraData: DataText,
  baseFeePerGas: QuantityText,
  blockHash: HashText,
  transactions: array(DataText),
  withdrawals: array(
    object({ index: QuantityText, validatorIndex: QuantityText, address: AddressText, amount: QuantityText }),
  ).optional(),
  blobGasUsed: QuantityText.optional(),
  excessBlobGas: QuantityText.optional(),
})

const Transactions = new Param(
  array(string()).meta({ description: 'signed transactions as data, all of which are to be in the block' }),
  'INVALID_PARAMS',
)

/** Nothing is kept of the block: whoever wants it in a chain imports it. */
export default defineMethod({
  name: 'testing_buildBlockV1',
  summary: 'Builds a block on a block of the chain, of these transactions or of those in the pool.',
  needs: ['chain', 'engine', 'limits', 'building', 'pool'],
  cost: 'heavy',
  params: {
    parentHash: BlockHash.failingWith('INVALID_PARAMS'),
    attributes: Attributes,
    transactions: Transactions.optional(),
    extraData: dataParam({ maxBytes: MAX_EXTRA_DATA_BYTES }).failingWith('INVALID_PARAMS').optional(),
  },
  result: object({
    executionPayload: ExecutionPayload,
    blockValue: QuantityText,
    blobsBundle: object({ commitments: array(DataText), proofs: array(DataText), blobs: array(DataText) }),
    shouldOverrideBuilder: boolean(),
    executionRequests: array(DataText),
  }),
  resolve: async (resources, { parentHash, attributes, transactions }) => {
    const building = await resources.building.settings()
    if (transactions !== undefined) return { building, pooled: [] }
    const parent = parentOf(resources, parentHash)
    const terms = termsOf(resources, parent, templateOf(parent, attributes, building))
    return { building, pooled: await resources.pool.candidates(terms) }
  },
  run: async (resources, { parentHash, attributes, transactions, extraData }, { cancel, resolved }) => {
    const parent = parentOf(resources, parentHash)
    const { targetGasLimit, extraData: usual } = resolved.building
    const template = templateOf(parent, attributes, { targetGasLimit, extraData: extraData ?? usual })
    const crypto = await loadCrypto()
    const candidates = transactions?.map((text) => candidateOf(text, crypto)) ?? resolved.pooled
    requireProofOfStake(resources, parent, template)
    const payload = await buildPayload({ ...resources, cancel }, template, parent, candidates)
    const [refused] = transactions === undefined ? [] : payload.leftOut
    if (refused !== undefined) throw rpcFault('PAYLOAD_TRANSACTION_REFUSED', { message: refused.sentence })
    return presentPayload(payload, hashHeader(payload.block.header, crypto.keccak))
  },
})

function termsOf(
  { chain }: Pick<Resources, 'chain'>,
  { header }: KnownHeader,
  template: BlockTemplate,
): SelectionTerms {
  const { number, timestamp, gasLimit, baseFeePerGas } = draftHeader(chain.genesis, template, header)
  return { parent: template.parent, number, timestamp, gasLimit, baseFeePerGas }
}

function parentOf({ chain }: Pick<Resources, 'chain'>, hash: Hash): KnownHeader {
  const parent = chain.lookup.header(hash)
  if (parent === undefined) throw rpcFault('INVALID_PARAMS', { data: `Parent block not found: ${hash}` })
  return parent
}

function templateOf(
  { hash, header }: KnownHeader,
  { timestamp, prevRandao, feeRecipient, withdrawals, parentBeaconBlockRoot }: PayloadAttributes,
  own: Pick<BlockTemplate, 'targetGasLimit' | 'extraData'>,
): BlockTemplate {
  if (timestamp === undefined || timestamp === 0n) {
    throw rpcFault('INVALID_PARAMS', { data: 'Missing or invalid timestamp field' })
  }
  if (feeRecipient === undefined) {
    throw rpcFault('INVALID_PARAMS', { data: 'Missing suggestedFeeRecipient field' })
  }
  if (timestamp <= header.timestamp) {
    const data = `The timestamp ${timestamp} is not after that of the parent, ${header.timestamp}.`
    throw rpcFault('INVALID_PARAMS', { data })
  }
  return {
    ...own,
    parent: hash,
    timestamp,
    coinbase: feeRecipient,
    difficulty: 0n,
    mixHash: prevRandao,
    nonce: 0n,
    fixedBaseFeeWei: undefined,
    withdrawals,
    parentBeaconBlockRoot,
  }
}

function candidateOf(text: string, { keccak, recover }: Crypto): Candidate {
  try {
    const transaction = decodeTransaction(parseData(text), keccak)
    return { encoded: transaction.encoded, sender: recoverSender(transaction, recover, keccak) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const data = 'Failed to decode transaction: Invalid RLP in raw transaction hex'
    throw rpcFault('INVALID_TRANSACTION_PARAMS', { data })
  }
}

/** Elsewhere a block is nothing without its seals, or without work. */
function requireProofOfStake(
  { chain }: Pick<Resources, 'chain'>,
  parent: KnownHeader,
  at: BlockTemplate,
): void {
  const number = parent.header.number + 1n
  const { consensus } = rulesAt(chain.genesis.config, { number, ...at })
  if (consensus !== 'stake') throw rpcFault('METHOD_NOT_ENABLED')
}
