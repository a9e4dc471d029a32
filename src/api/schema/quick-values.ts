/**
 * The usual forms of frequent parameters, read by hand: a schema costs more than the rest of a short request. Each
 * function returns undefined for every other form, right or wrong, and the schema decides about it.
 * quick-values.test.ts compares both.
 */
import type { CallRequest } from '#evm/simulate/call-request.ts'
import { ADDRESS_BYTES, type Address } from '#types/address.ts'
import { HASH_BYTES, type Hash } from '#types/hash.ts'
import { parseData } from '#types/hex.ts'

/** So many digits are below the limits of all amounts. */
const AMOUNT_MAX_DIGITS = 15

const ZERO = '0'.charCodeAt(0)
const NINE = '9'.charCodeAt(0)
const LOWER_A = 'a'.charCodeAt(0)
const LOWER_F = 'f'.charCodeAt(0)

export function quickAddress(wire: unknown): Address | undefined {
  return isLowerData(wire, ADDRESS_BYTES) ? (wire as Address) : undefined
}

export function quickHash(wire: unknown): Hash | undefined {
  return isLowerData(wire, HASH_BYTES) ? (wire as Hash) : undefined
}

function isLowerData(wire: unknown, bytes: number): wire is string {
  return typeof wire === 'string' && wire.length === 2 + 2 * bytes && hasLowerDigitsOnly(wire)
}

function hasLowerDigitsOnly(text: string): boolean {
  if (!text.startsWith('0x')) return false
  for (let at = 2; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (!((code >= ZERO && code <= NINE) || (code >= LOWER_A && code <= LOWER_F))) return false
  }
  return true
}

function quickAmount(wire: unknown): bigint | undefined {
  if (typeof wire !== 'string' || wire.length < 3 || wire.length > 2 + AMOUNT_MAX_DIGITS) return undefined
  return hasLowerDigitsOnly(wire) ? BigInt(wire) : undefined
}

function quickData(wire: unknown): Uint8Array | undefined {
  if (typeof wire !== 'string') return undefined
  try {
    return parseData(wire)
  } catch {
    return undefined
  }
}

type Mutable<Value> = { -readonly [Name in keyof Value]: Value[Name] }

/** A call or a complete transaction, without an access list or authorizations. */
export function quickCall(wire: unknown): CallRequest | undefined {
  if (typeof wire !== 'object' || wire === null || Array.isArray(wire)) return undefined
  const call: Mutable<CallRequest> = { data: undefined, authorizations: undefined }
  for (const name in wire) {
    const member = (wire as Readonly<Record<string, unknown>>)[name]
    if (member === undefined || member === null) continue
    switch (name) {
      case 'from':
      case 'to':
        call[name] = quickAddress(member)
        break
      case 'value':
      case 'gas':
      case 'gasPrice':
      case 'maxFeePerGas':
      case 'maxPriorityFeePerGas':
      case 'nonce':
      case 'chainId':
        call[name] = quickAmount(member)
        break
      case 'data':
      case 'input':
        // The schema compares them if both are there.
        if (call.data !== undefined) return undefined
        call.data = quickData(member)
        break
      case 'accessList':
        if (!Array.isArray(member) || member.length > 0) return undefined
        call.accessList = []
        break
      // The other members determine it.
      case 'type':
        continue
      default:
        return undefined
    }
    if (call[name === 'input' ? 'data' : name] === undefined) return undefined
  }
  return call
}
