/** Which transactions of the pool a client wants to see. */
import { type output, record, string, unknown as zunknown } from 'zod'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import type { DecodedItem } from '#rpc/present/pool/pool-transaction.ts'
import { parseAddress } from '#types/address.ts'
import { MAX_UINT256 } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
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

export const PendingFilter = new Param<output<typeof FieldsWire>>(
  FieldsWire,
  'INVALID_PENDING_TRANSACTIONS_PARAMS',
)

/** Absent, or an object whose values are no lists or objects. Other members are not looked at. */
function isConditions(value: unknown): boolean {
  if (value === undefined || value === null) return true
  if (typeof value !== 'object' || Array.isArray(value)) return false
  return Object.values(value).every((operand) => operand === null || typeof operand !== 'object')
}

/** Throws what the client shall read where a condition makes no sense. All of them must hold. */
export function compileFilter(fields: Readonly<Record<string, unknown>>): Condition {
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
  const address = parsed(() => parseAddress(operand))
  return ({ item, transaction }) => (field === 'from' ? item.sender : transaction.to) === address
}

/** A JSON number is that number; text is hex, that of a nonce decimal unless it begins with 0x. */
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

function parsed<Value>(parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw rpcFault('INVALID_FILTER_PARAMS')
  }
}
