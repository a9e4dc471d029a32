/**
 * The vectors' names for refusal reasons of transactions and blocks, and Cairn's reasons. An unknown name fails its
 * case, so new vectors are reviewed.
 */
import type { RefusalReason } from '#types/transaction/refusal.ts'

interface Words {
  /** The refusal of a single transaction. */
  readonly alone?: RefusalReason
  /** The error for a transaction that cannot be decoded, and so has no refusal reason. */
  readonly undecodable?: RegExp
  /** The refusal of the block, with its sentence. */
  readonly inBlock?: RegExp
}

const transaction = (sentence: string): RegExp =>
  new RegExp(`^INVALID_TRANSACTION: Transaction \\d+, 0x[0-9a-f]{64}, is invalid\\. ${sentence}$`)
const executed = (sentence: string): RegExp =>
  new RegExp(`^EXECUTION_REFUSED: Transaction \\d+ cannot be executed\\. ${sentence}$`)
const header = (sentence: string): RegExp => new RegExp(`^INVALID_HEADER: ${sentence}$`)
const tooEarly = (type: number): Words => ({
  alone: 'INVALID_TRANSACTION_FORMAT',
  inBlock: transaction(`Transactions of type ${type} come with \\w+, and \\w+ is in force\\.`),
})

const NO_RECIPIENT = /^INVALID_TRANSACTION: .*(0 bytes where 20 bytes should be|needs a recipient)\.$/
const TOO_MANY_BLOBS: Words = {
  alone: 'TOTAL_BLOB_GAS_TOO_HIGH',
  inBlock: transaction('There are \\d+ blobs, more than the \\d+ allowed\\.'),
}
const NO_BLOBS: Words = {
  alone: 'INVALID_BLOBS',
  inBlock: transaction('A transaction of type 3 needs at least one blob\\.'),
}
const BLOB_VERSION: Words = {
  alone: 'INVALID_BLOBS',
  inBlock: transaction('The hash of a blob begins with the byte 0x01\\.'),
}
const NO_FUNDS: Words = {
  alone: 'UPFRONT_COST_EXCEEDS_BALANCE',
  inBlock: executed('The sender has \\d+ wei and needs up to \\d+\\.'),
}
const BASE_FEE: Words = {
  alone: 'GAS_PRICE_BELOW_CURRENT_BASE_FEE',
  inBlock: executed('The transaction pays at most \\d+ wei per gas, and the base fee is \\d+\\.'),
}
const TIP: Words = {
  alone: 'MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS',
  inBlock: transaction('The priority fee \\d+ is above \\d+, the highest fee in all\\.'),
}
const OVERFLOW: Words = { alone: 'UPFRONT_COST_EXCEEDS_UINT256' }
const INTRINSIC: Words = { alone: 'INTRINSIC_GAS_EXCEEDS_GAS_LIMIT' }
const BLOCK_GAS: Words = {
  alone: 'EXCEEDS_BLOCK_GAS_LIMIT',
  inBlock: executed('The transaction allows \\d+ gas, and the block has \\d+ left\\.'),
}

/** Names in legacytests. */
const TEST_NAMES: Readonly<Record<string, readonly Words[]>> = {
  IntrinsicGas: [INTRINSIC],
  SenderNotEOA: [{ alone: 'SENDER_HAS_CODE' }],
  TR_BLOBCREATE: [{ undecodable: NO_RECIPIENT }],
  TR_BLOBLIST_OVERSIZE: [TOO_MANY_BLOBS],
  TR_BLOBVERSION_INVALID: [BLOB_VERSION],
  TR_EMPTYBLOB: [NO_BLOBS],
  TR_FeeCapLessThanBlocks: [BASE_FEE],
  TR_GasLimitReached: [BLOCK_GAS],
  TR_IntrinsicGas: [INTRINSIC],
  TR_NoFunds: [NO_FUNDS],
  TR_NoFundsOrGas: [NO_FUNDS, INTRINSIC],
  TR_NoFundsX: [OVERFLOW],
  TR_NonceHasMaxValue: [{ alone: 'NONCE_OVERFLOW' }],
  TR_RLP_WRONGVALUE: [{ undecodable: /^INVALID_TRANSACTION: The value has more than 256 bits\.$/ }],
  TR_TipGtFeeCap: [TIP],
  TR_TypeNotSupported: [tooEarly(1), tooEarly(2)],
}

/** Names in execution-spec-tests. */
const SPEC_NAMES: Readonly<Record<string, Words>> = {
  'TransactionException.GASLIMIT_PRICE_PRODUCT_OVERFLOW': OVERFLOW,
  'TransactionException.GAS_ALLOWANCE_EXCEEDED': BLOCK_GAS,
  'TransactionException.GAS_LIMIT_EXCEEDS_MAXIMUM': {
    alone: 'EXCEEDS_TRANSACTION_GAS_LIMIT',
    inBlock: transaction('The gas limit \\d+ exceeds the transaction gas limit \\d+\\.'),
  },
  'TransactionException.INSUFFICIENT_ACCOUNT_FUNDS': NO_FUNDS,
  'TransactionException.INSUFFICIENT_MAX_FEE_PER_BLOB_GAS': {
    alone: 'BLOB_GAS_PRICE_BELOW_CURRENT_BLOB_BASE_FEE',
    inBlock: executed('The transaction pays at most \\d+ wei per blob gas, which costs \\d+\\.'),
  },
  'TransactionException.INSUFFICIENT_MAX_FEE_PER_GAS': BASE_FEE,
  'TransactionException.INTRINSIC_GAS_TOO_LOW': INTRINSIC,
  'TransactionException.NONCE_IS_MAX': { alone: 'NONCE_OVERFLOW' },
  'TransactionException.NONCE_MISMATCH_TOO_HIGH': {
    alone: 'NONCE_TOO_HIGH',
    inBlock: executed('The transaction has nonce 6, and its sender is at 5\\.'),
  },
  'TransactionException.NONCE_MISMATCH_TOO_LOW': {
    alone: 'NONCE_TOO_LOW',
    inBlock: executed('The transaction has nonce 4, and its sender is at 5\\.'),
  },
  'TransactionException.PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS': TIP,
  'TransactionException.SENDER_NOT_EOA': { alone: 'SENDER_HAS_CODE' },
  'TransactionException.TYPE_1_TX_PRE_FORK': tooEarly(1),
  'TransactionException.TYPE_2_TX_PRE_FORK': tooEarly(2),
  'TransactionException.TYPE_3_TX_BLOB_COUNT_EXCEEDED': TOO_MANY_BLOBS,
  'TransactionException.TYPE_3_TX_CONTRACT_CREATION': { undecodable: NO_RECIPIENT },
  'TransactionException.TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH': BLOB_VERSION,
  'TransactionException.TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED': {
    alone: 'TOTAL_BLOB_GAS_TOO_HIGH',
    inBlock: header('The blob gas \\d+ is not a multiple for at most \\d+ blobs\\.'),
  },
  'TransactionException.TYPE_3_TX_PRE_FORK': tooEarly(3),
  'TransactionException.TYPE_3_TX_ZERO_BLOBS': NO_BLOBS,
  'TransactionException.TYPE_4_EMPTY_AUTHORIZATION_LIST': { alone: 'EMPTY_CODE_DELEGATION' },
  'TransactionException.TYPE_4_TX_CONTRACT_CREATION': { undecodable: NO_RECIPIENT },
  'TransactionException.TYPE_4_TX_PRE_FORK': tooEarly(4),
  // Fields that a fork does not have, and missing fields: then other fields are read in their place.
  'BlockException.INCORRECT_BLOCK_FORMAT': {
    inBlock:
      /^INVALID_HEADER: The header has \w+, which blocks of \w+ do not have\.$|^INVALID_BLOCK: Malformed block\. Malformed block header\./,
  },
  'BlockException.INCORRECT_EXCESS_BLOB_GAS': {
    inBlock: header('The excess blob gas is \\d+, and the parent makes it \\d+\\.'),
  },
  'BlockException.INVALID_BASEFEE_PER_GAS': {
    inBlock: header("The base fee is \\d+, and the parent's gas makes it \\d+\\."),
  },
  'BlockException.INVALID_BLOCK_HASH': {},
  'BlockException.INVALID_DEPOSIT_EVENT_LAYOUT': {
    inBlock: /^EXECUTION_REFUSED: A deposit has its [\w ]+ at a wrong offset\.$/,
  },
  'BlockException.INVALID_GASLIMIT': {
    inBlock: header('The gas limit \\d+ is not between \\d+ and \\d+\\.'),
  },
  'BlockException.INVALID_REQUESTS': {
    inBlock: /^WRONG_REQUESTS: The requests have hash 0x[0-9a-f]{64}, and the header says 0x[0-9a-f]{64}\.$/,
  },
  'BlockException.INVALID_VERSIONED_HASHES': {},
  'BlockException.INVALID_WITHDRAWALS_ROOT': {
    inBlock:
      /^INVALID_BODY: The header names withdrawals with root 0x[0-9a-f]{64}, and those in the body have /,
  },
  'BlockException.RLP_STRUCTURES_ENCODING': {
    inBlock: /^INVALID_BLOCK: Malformed block\. Malformed transaction\. The RLP has 0 bytes where 20 bytes/,
  },
  'BlockException.SYSTEM_CONTRACT_CALL_FAILED': {
    inBlock: /^EXECUTION_REFUSED: The call to the system contract 0x[0-9a-f]{40} failed: \w+\.$/,
  },
  'BlockException.SYSTEM_CONTRACT_EMPTY': {
    inBlock: /^EXECUTION_REFUSED: There is no code at the system contract 0x[0-9a-f]{40}\.$/,
  },
}

/** True if the vector names the reason for which a single transaction is refused. */
export function isNamedRefusal(expected: string, problem: string): boolean {
  return wordsOf(expected).some(
    ({ alone, undecodable }) => problem === alone || undecodable?.test(problem) === true,
  )
}

/** True if the vector names the reason for which a block is refused. */
export function isNamedVerdict(expected: string, problem: string): boolean {
  return wordsOf(expected).some(({ inBlock }) => inBlock?.test(problem) === true)
}

/** A vector may name several reasons, of which one suffices. */
function wordsOf(expected: string): Words[] {
  return expected.split('|').flatMap((name) => {
    const words = TEST_NAMES[name] ?? SPEC_NAMES[name]
    if (words === undefined) throw new Error(`${name} is not in exceptions.ts.`)
    return words
  })
}
