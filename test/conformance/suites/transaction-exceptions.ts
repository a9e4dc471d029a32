/** Names of refusal reasons in ethereum/tests, and Cairn's reason or sentence for each. */
import type { RefusalReason } from '#types/transaction/refusal.ts'

const bytes = (needed: number): RegExp =>
  new RegExp(` The RLP has \\d+ bytes where ${needed} bytes should be\\.$`)
const number = (most: number): RegExp =>
  new RegExp(` The RLP has \\d+ bytes where a number of at most ${most} bytes should be\\.$`)
const LEADING_ZERO = / The RLP has \d+ bytes where a number without leading zeros should be\.$/
const LIST = / The RLP has a list of \d+ items where a byte string should be\.$/
const TOO_SHORT = / The RLP is invalid at byte \d+: the length \d+ is more than the \d+ bytes that follow\.$/
const TRAILING = / The RLP is invalid at byte \d+: bytes follow the end of the item\.$/
const LENGTH_ZERO = / The RLP is invalid at byte \d+: the length has a leading zero\.$/
const NEEDLESS_LENGTH = / a byte below 0x80 stands for itself and has no length\.$/
const WRONG_V = / Its v is \d+, which is neither 27 or 28 nor at least 37\.$/
const NO_TYPE = / Its first byte is neither a list prefix nor a type from 1 to 4\.$/
const ITEMS = / The RLP has a list of \d+ items where a list of \d+ items should be\.$/
const NO_KEY = /^No public key made this signature\.$/

type Said = RefusalReason | RegExp

const NAMES: Readonly<Record<string, readonly Said[]>> = {
  ADDRESS_TOO_LONG: [bytes(20)],
  ADDRESS_TOO_SHORT: [bytes(20)],
  EC_RECOVERY_FAIL: [NO_KEY],
  GASLIMIT_OVERFLOW: [number(8)],
  GASLIMIT_PRICE_PRODUCT_OVERFLOW: ['UPFRONT_COST_EXCEEDS_UINT256'],
  GASPRICE_OVERFLOW: [number(32)],
  INITCODE_SIZE_EXCEEDED: ['INITCODE_TOO_LARGE'],
  INTRINSIC_GAS_TOO_LOW: ['INTRINSIC_GAS_EXCEEDS_GAS_LIMIT'],
  INVALID_CHAINID: ['WRONG_CHAIN_ID', WRONG_V],
  INVALID_SIGNATURE_VRS: [
    'INVALID_SIGNATURE',
    'REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED',
    NO_KEY,
    WRONG_V,
    number(32),
  ],
  NONCE_OVERFLOW: [number(8)],
  NONCE_TOO_BIG: ['NONCE_OVERFLOW'],
  PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS_2: ['MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS'],
  PRIORITY_OVERFLOW: [number(32)],
  RLP_ERROR_EOF: [NO_TYPE],
  RLP_ERROR_SIZE: [TOO_SHORT, TRAILING],
  RLP_ERROR_SIZE_LEADING_ZEROS: [LENGTH_ZERO],
  RLP_INVALID_ACCESS_LIST_ADDRESS_TOO_LONG: [bytes(20)],
  RLP_INVALID_ACCESS_LIST_ADDRESS_TOO_SHORT: [bytes(20)],
  RLP_INVALID_ACCESS_LIST_STORAGE_TOO_LONG: [bytes(32)],
  RLP_INVALID_ACCESS_LIST_STORAGE_TOO_SHORT: [bytes(32)],
  RLP_INVALID_DATA: [LIST],
  RLP_INVALID_GASLIMIT: [LIST, TOO_SHORT],
  RLP_INVALID_HEADER: [NO_TYPE],
  RLP_INVALID_NONCE: [LIST],
  // The vector calls these bytes a list, but their content is not a list.
  RLP_INVALID_SIGNATURE_R: [TOO_SHORT],
  RLP_INVALID_SIGNATURE_S: [TOO_SHORT],
  RLP_INVALID_TO: [TOO_SHORT],
  RLP_LEADING_ZEROS_BASEFEE: [number(32)],
  RLP_LEADING_ZEROS_DATA_SIZE: [LENGTH_ZERO],
  RLP_LEADING_ZEROS_GASLIMIT: [LEADING_ZERO],
  RLP_LEADING_ZEROS_GASPRICE: [LEADING_ZERO],
  RLP_LEADING_ZEROS_NONCE: [LEADING_ZERO],
  RLP_LEADING_ZEROS_NONCE_SIZE: [NEEDLESS_LENGTH],
  RLP_LEADING_ZEROS_PRIORITY_FEE: [number(32)],
  RLP_LEADING_ZEROS_R: [LEADING_ZERO, number(32)],
  RLP_LEADING_ZEROS_S: [LEADING_ZERO, number(32)],
  RLP_LEADING_ZEROS_V: [LEADING_ZERO],
  RLP_LEADING_ZEROS_VALUE: [LEADING_ZERO],
  RLP_TOO_FEW_ELEMENTS: [ITEMS],
  RLP_TOO_MANY_ELEMENTS: [ITEMS],
  // The vectors treat a type as unknown before its fork; Cairn decodes it first, and it may be malformed too.
  TYPE_NOT_SUPPORTED: ['INVALID_TRANSACTION_FORMAT', NO_TYPE, number(32), ITEMS],
  VALUE_OVERFLOW: [number(32)],
}

/** Files with two mistakes; the vectors name the other one. */
const OTHER_MISTAKE: Readonly<Record<string, RefusalReason>> = {
  'ttWrongRLP/TRANSCT_rvalue_TooShort.json#Frontier': 'INTRINSIC_GAS_EXCEEDS_GAS_LIMIT',
}

export function isNamedProblem(unit: string, exception: string, problem: string): boolean {
  const said = NAMES[exception.replace('TransactionException.', '')]
  if (said === undefined) throw new Error(`${exception} is not in transaction-exceptions.ts.`)
  if (OTHER_MISTAKE[unit] === problem) return true
  return said.some((one) => (typeof one === 'string' ? one === problem : one.test(problem)))
}
