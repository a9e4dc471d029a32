import { array, number, type output, record, string, union, unknown as zunknown } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { jsonList } from '#api/present/json-list.ts'
import { type DecodedItem, poolItems, presentPoolTransaction } from '#api/present/pool/pool-transaction.ts'
import { PoolTransactionResult } from '#api/schema/pool/pool-results.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import { parseAddress } from '#types/address.ts'
import { MAX_UINT256 } from '#types/bytes.ts'
import { unlessFault } from '#types/fault.ts'
import { maxFeePerGas } from '#types/transaction/transaction-fees.ts'

const FIELDS = ['from', 'to', 'gas', 'gasPrice', 'value', 'nonce'] as const

type Field = (typeof FIELDS)[number]
type Operator = 'eq' | 'gt' | 'lt' | 'action'
type Condition = (decoded: DecodedItem) => boolean

const OPERATORS: ReadonlySet<string> = new Set<Operator>(['eq', 'gt', 'lt', 'action'])

const FieldsWire = record(string(), zunknown())
  .refine((fields) => FIELDS.every((field) => isConditions(fields[field])))
  .meta({
    title: 'pending transactions filter',
    description:
      'by member (from, to, gas, gasPrice, value, nonce) an object of one operator (eq, gt, lt, action) and its value',
  })

const PendingFilter = new Param<output<typeof FieldsWire>>(FieldsWire, 'INVALID_PENDING_TRANSACTIONS_PARAMS')

/** Undefined, or an object without nested values. Unknown members are ignored. */
function isConditions(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value !== 'object' || Array.isArray(value)) return false
  return Object.values(value).every((operand) => operand === null || typeof operand !== 'object')
}

/** All conditions must hold. Throws the client's error if one makes no sense. */
function compileFilter(fields: Readonly<Record<string, unknown>>): Condition {
  const conditions = FIELDS.flatMap((field) => {
    const given = Object.entries(fields[field] ?? {})
    if (given.length === 0) return []
    const [operator, operand] = given[0]!
    const word = operator.toLowerCase()
    if (given.length > 1 || !OPERATORS.has(word)) throw rpcFault('INVALID_FILTER_PARAMS')
    return [conditionOf(field, word as Operator, operand)]
  })
  return (decoded) => conditions.every((holds) => holds(decoded))
}

function conditionOf(field: Field, operator: Operator, operand: unknown): Condition {
  if (field === 'from' || field === 'to') return addressCondition(field, operator, operand)
  if (operator === 'action') throw rpcFault('INVALID_FILTER_PARAMS')
  const bound = numberFrom(field, operand)
  return ({ transaction }) => {
    const value = {
      gas: transaction.gasLimit,
      gasPrice: maxFeePerGas(transaction),
      value: transaction.value,
      nonce: transaction.nonce,
    }[field]
    if (operator === 'eq') return value === bound
    return operator === 'gt' ? value > bound : value < bound
  }
}

function addressCondition(field: 'from' | 'to', operator: Operator, operand: unknown): Condition {
  if (operator === 'action' && field === 'to') return ({ transaction }) => transaction.to === null
  if (operator !== 'eq' || typeof operand !== 'string') throw rpcFault('INVALID_FILTER_PARAMS')
  const address = unlessFault(() => parseAddress(operand))
  if (address === undefined) throw rpcFault('INVALID_FILTER_PARAMS')
  return ({ item, transaction }) => (field === 'from' ? item.sender : transaction.to) === address
}

/** A JSON number, or hex text; the text of a nonce is decimal unless it begins with 0x. */
function numberFrom(field: Field, operand: unknown): bigint {
  if (typeof operand === 'number' && Number.isSafeInteger(operand)) return BigInt(operand)
  if (typeof operand !== 'string') throw rpcFault('INVALID_FILTER_PARAMS')
  if (field === 'nonce' && /^-?[0-9]{1,20}$/.test(operand)) return BigInt(operand)
  const digits = /^(?:0x)?([0-9a-fA-F]*)$/.exec(operand)?.[1]
  const isHex = digits !== undefined && (field !== 'nonce' || operand.startsWith('0x'))
  const value = isHex ? BigInt(`0x${digits || '0'}`) : undefined
  if (value === undefined || value > MAX_UINT256) throw rpcFault('INVALID_FILTER_PARAMS')
  return value
}

const MAX_LIMIT = 2 ** 31 - 1

/** A JSON number, whose fraction is dropped, or decimal digits. */
const TransactionLimit = new Param<number>(
  union([
    number().nonnegative().max(MAX_LIMIT).transform(Math.trunc),
    string()
      .regex(/^[0-9]{1,10}$/)
      .transform(Number)
      .refine((limit) => limit <= MAX_LIMIT),
  ]).meta({ title: 'most transactions', description: 'a number, or decimal digits' }),
  'INVALID_TRANSACTION_LIMIT_PARAMS',
)

export default defineMethod({
  name: 'txpool_clientPendingTransactions',
  aliases: ['txpool_besuPendingTransactions'],
  summary: 'The transactions of the pool that match all conditions, in order of arrival, up to a limit.',
  needs: ['pool'],
  cost: 'medium',
  params: { limit: TransactionLimit.default(Number.POSITIVE_INFINITY), fields: PendingFilter.default({}) },
  result: array(PoolTransactionResult),
  run: ({ pool }, { limit, fields }) => {
    const meets = compileFilter(fields)
    return jsonList(texts(poolItems(pool), meets, limit))
  },
})

async function* texts(
  items: AsyncIterable<DecodedItem>,
  meets: (decoded: DecodedItem) => boolean,
  limit: number,
): AsyncGenerator<string, void, undefined> {
  let count = 0
  if (count >= limit) return
  for await (const decoded of items) {
    if (!meets(decoded)) continue
    yield JSON.stringify(await presentPoolTransaction(decoded))
    if (++count >= limit) return
  }
}
