/**
 * Solidity's `console.log`: a call of an address without code, which Hardhat's console.sol and forge-std make. Its data is
 * a signature `log(…)` and the arguments; the first may be a format, as in Node's `console.log`.
 */
import { format } from 'node:util'
import { parseAddress, withChecksum } from '#types/address.ts'
import { formatData } from '#types/hex.ts'
import { type AbiField, type AbiType, parseAbiType, signatureOf } from './abi-type.ts'
import { SELECTOR_BYTES, selectorOf, signatureHash } from './contract-abi.ts'
import { type AbiValue, decodeAbi } from './decode-abi.ts'

/** The ASCII text `console.log`. */
export const CONSOLE_ADDRESS = parseAddress('000000000000000000636f6e736f6c652e6c6f67')

/** Every combination of up to four of these types has a function. */
const COMBINED = ['uint256', 'string', 'bool', 'address']
const MAX_ARGUMENTS = 4
const SINGLE = ['int256', 'bytes', ...Array.from({ length: 32 }, (_, index) => `bytes${index + 1}`)]

/** The arguments by selector. Hashing all signatures takes milliseconds, so the first log does it. */
let known: ReadonlyMap<string, readonly AbiField[]> | undefined

/** Returns the text of a call's data; undefined if no function of console.sol has this selector and arguments. */
export function decodeConsoleLog(data: Uint8Array): string | undefined {
  known ??= new Map(signatures())
  const fields = known.get(formatData(data.subarray(0, SELECTOR_BYTES)))
  const values = fields && decodeAbi(fields, data.subarray(SELECTOR_BYTES))
  if (values === undefined) return undefined
  const [first, ...others] = values.map(({ value }) => argumentText(value))
  // Numbers are texts here, because Node formats a large one as NaN.
  return format(first?.replace(/(?<!%)((?:%%)*)%[di]/g, '$1%s') ?? '', ...others)
}

function* signatures(): Generator<[selector: string, fields: readonly AbiField[]]> {
  for (const types of typeLists()) {
    const fields = types.map((type) => ({ name: '', type: typeOf(type) }))
    yield [selectorOf(signatureHash(signatureOf('log', fields))), fields]
    // Older versions of console.sol hash the short names of the types, which the ABI does not know.
    const short = types.map((type) => type.replace(/^(u?int)256$/, '$1'))
    yield [selectorOf(signatureHash(`log(${short.join()})`)), fields]
  }
}

function* typeLists(): Generator<readonly string[]> {
  let lists: readonly (readonly string[])[] = [[]]
  for (let count = 0; count <= MAX_ARGUMENTS; count++) {
    yield* lists
    lists = lists.flatMap((list) => COMBINED.map((type) => [...list, type]))
  }
  for (const type of SINGLE) yield [type]
}

function typeOf(text: string): AbiType {
  return parseAbiType(text)!
}

function argumentText(value: AbiValue): string {
  if (value instanceof Uint8Array) return formatData(value)
  if (typeof value === 'object' && 'address' in value) return withChecksum(value.address)
  return String(value)
}
