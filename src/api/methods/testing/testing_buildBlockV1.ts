import { array, boolean, object, type output, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { presentPayload } from '#api/present/payload.ts'
import type { Resources } from '#api/resources.ts'
import { CountWire } from '#api/schema/call-object.ts'
import { BlobsBundleResult, PayloadResult, WithdrawalWire } from '#api/schema/payload.ts'
import { AddressWire, BlockHash, DataText, dataParam, HashWire, QuantityText } from '#api/schema/values.ts'
import type { KnownHeader } from '#chain/block/stages.ts'
import { type BlockTemplate, draftHeader, tipsOf } from '#chain/build/build-block.ts'
import { MAX_EXTRA_DATA_BYTES } from '#chain/build/building-settings.ts'
import type { Candidate, SelectionTerms } from '#chain/build/candidates.ts'
import { type BuiltPayload, buildPayload } from '#chain/read/build-payload.ts'
import { type Crypto, loadCrypto } from '#evm/crypto.ts'
import { rulesAt } from '#evm/rules.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import { hashHeader } from '#types/block/block-header.ts'
import { unlessFault } from '#types/fault.ts'
import { type Hash, ZERO_HASH } from '#types/hash.ts'
import { formatData, formatQuantity, parseData } from '#types/hex.ts'
import { BLOB_TYPE } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'

const Transactions = new Param(
  array(string()).meta({ description: 'signed transactions, all of which must be in the block' }),
  'INVALID_PARAMS',
)

/** The block to build. Unknown members are ignored. */
const AttributesWire = object({
  timestamp: CountWire.nullish(),
  prevRandao: HashWire,
  suggestedFeeRecipient: AddressWire.nullish(),
  withdrawals: array(WithdrawalWire).nullish(),
  parentBeaconBlockRoot: HashWire.nullish(),
})
  .transform(({ withdrawals, parentBeaconBlockRoot, ...rest }) => ({
    ...rest,
    withdrawals: withdrawals ?? [],
    parentBeaconBlockRoot: parentBeaconBlockRoot ?? ZERO_HASH,
  }))
  .meta({ title: 'payload attributes' })

/** The block is not kept; clients import it if they want it. */
export default defineMethod({
  name: 'testing_buildBlockV1',
  summary: 'Builds a block on a given parent, from given transactions or from the pool.',
  needs: ['chain', 'engine', 'limits', 'building', 'pool'],
  cost: 'heavy',
  params: {
    parentHash: BlockHash.failingWith('INVALID_PARAMS'),
    attributes: new Param(AttributesWire, 'INVALID_PARAMS'),
    transactions: Transactions.optional(),
    extraData: dataParam({ maxBytes: MAX_EXTRA_DATA_BYTES }).failingWith('INVALID_PARAMS').optional(),
  },
  result: object({
    executionPayload: PayloadResult,
    blockValue: QuantityText,
    blobsBundle: BlobsBundleResult,
    shouldOverrideBuilder: boolean(),
    executionRequests: array(DataText),
  }),
  resolve: async (resources, { parentHash, attributes, transactions }) => {
    const building = await resources.building.settings()
    if (transactions !== undefined) return { building, pooled: [] }
    const parent = parentOf(resources, parentHash)
    const terms = termsOf(resources, parent, templateOf(parent, attributes, building))
    const pooled = await resources.pool.candidates(terms)
    return { building, pooled: pooled.filter(({ encoded }) => encoded[0] !== BLOB_TYPE) }
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
    return presentBuilt(payload, hashHeader(payload.block.header, crypto.keccak))
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
  { timestamp, suggestedFeeRecipient: coinbase, prevRandao, ...rest }: output<typeof AttributesWire>,
  own: Pick<BlockTemplate, 'targetGasLimit' | 'extraData'>,
): BlockTemplate {
  if (timestamp == null || timestamp === 0n) {
    throw rpcFault('INVALID_PARAMS', { data: 'Missing or invalid timestamp field' })
  }
  if (coinbase == null) {
    throw rpcFault('INVALID_PARAMS', { data: 'Missing suggestedFeeRecipient field' })
  }
  if (timestamp <= header.timestamp) {
    const data = `The timestamp ${timestamp} is not after the timestamp of the parent, ${header.timestamp}.`
    throw rpcFault('INVALID_PARAMS', { data })
  }
  return {
    ...own,
    parent: hash,
    timestamp,
    coinbase,
    difficulty: 0n,
    mixHash: prevRandao,
    nonce: 0n,
    fixedBaseFeeWei: undefined,
    ...rest,
  }
}

function candidateOf(text: string, { keccak, recover }: Crypto): Candidate {
  const candidate = unlessFault(() => {
    const transaction = decodeTransaction(parseData(text), keccak)
    return { encoded: transaction.encoded, sender: recoverSender(transaction, recover, keccak) }
  })
  if (candidate !== undefined) return candidate
  const data = 'Failed to decode transaction: Invalid RLP in raw transaction hex'
  throw rpcFault('INVALID_TRANSACTION_PARAMS', { data })
}

/** On other networks a block needs seals or work. */
function requireProofOfStake(
  { chain }: Pick<Resources, 'chain'>,
  parent: KnownHeader,
  at: BlockTemplate,
): void {
  const number = parent.header.number + 1n
  const { consensus } = rulesAt(chain.genesis.config, { number, ...at })
  if (consensus !== 'stake') throw rpcFault('METHOD_NOT_ENABLED')
}

function presentBuilt({ block, execution }: BuiltPayload, hash: Hash) {
  return {
    executionPayload: presentPayload(block, hash),
    blockValue: formatQuantity(tipsOf(block, execution)),
    // Blobs stay on main, so no candidate has any.
    blobsBundle: { commitments: [], proofs: [], blobs: [] },
    shouldOverrideBuilder: false,
    executionRequests: (execution.requests ?? []).map(formatData),
  }
}
