/** Puts calls, results, reverts and events into words, with the names of artifacts if they have any. */
import { type Address, withChecksum } from '#types/address.ts'
import { formatData } from '#types/hex.ts'
import type { AbiField } from './abi-type.ts'
import type { Artifacts, CompiledContract } from './artifacts.ts'
import { CONSOLE_ADDRESS, decodeConsoleLog } from './console-log.ts'
import { type AbiEvent, type AbiFunction, ContractAbi, eventKey, SELECTOR_BYTES } from './contract-abi.ts'
import { decodeAbi, decodeAbiWord, type NamedAbiValue } from './decode-abi.ts'
import { formatAbiFields, formatBytes, quotedText } from './format-abi.ts'

export interface CallData {
  readonly isCreation: boolean
  readonly to: Address | undefined
  readonly input: Uint8Array
}

export interface EmittedEvent {
  readonly address: Address
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

export interface Explained {
  readonly name: string
  readonly rest: string
}

/** Errors that Solidity itself declares. */
const BUILT_IN = ContractAbi.parse([
  { type: 'error', name: 'Error', inputs: [{ name: '', type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ name: '', type: 'uint256' }] },
])

/** Meanings of Solidity's panic codes. */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assertion failed'],
  [0x11n, 'arithmetic overflow or underflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'invalid enum value'],
  [0x22n, 'malformed storage byte array'],
  [0x31n, 'pop on an empty array'],
  [0x32n, 'array index out of bounds'],
  [0x41n, 'too much memory allocated'],
  [0x51n, 'call of an uninitialised function'],
])

export class CallExplainer {
  readonly #artifacts: Artifacts
  readonly #codeAt: (address: Address) => Uint8Array | undefined
  readonly #contracts = new Map<Address, CompiledContract | undefined>()

  constructor(artifacts: Artifacts, codeAt: (address: Address) => Uint8Array | undefined = () => undefined) {
    this.#artifacts = artifacts
    this.#codeAt = codeAt
  }

  /** `Token::transfer` and `(to: 0x…, value: 5)`. */
  call({ isCreation, to, input }: CallData): Explained {
    if (isCreation) return this.#creation(input)
    const message = to === CONSOLE_ADDRESS ? decodeConsoleLog(input) : undefined
    if (message !== undefined) return { name: 'console::log', rest: `(${quotedText(message)})` }
    const place = to === undefined ? 'unknown' : this.#nameAt(to)
    if (input.length === 0) return { name: `${place}::receive`, rest: '()' }
    const known = this.#functionOf(to, input)
    const values = known && decodeAbi(known.inputs, input.subarray(SELECTOR_BYTES))
    if (known !== undefined && values !== undefined) {
      return { name: `${place}::${known.name}`, rest: `(${formatAbiFields(values)})` }
    }
    if (input.length < SELECTOR_BYTES) return { name: `${place}::fallback`, rest: `(${formatData(input)})` }
    const [selector, rest] = [input.subarray(0, SELECTOR_BYTES), input.subarray(SELECTOR_BYTES)]
    return { name: `${place}::${formatData(selector)}`, rest: `(${bytesText(rest)})` }
  }

  /** The return values; deployed code is not shown. */
  result(call: CallData, output: Uint8Array): string {
    if (call.isCreation) return `${output.length} bytes of code`
    const known = this.#functionOf(call.to, call.input)
    const values = known && known.outputs.length > 0 ? decodeAbi(known.outputs, output) : undefined
    return values === undefined ? formatBytes(output) : formatAbiFields(values)
  }

  /** The reason in revert data. */
  revert(data: Uint8Array, at?: Address): string {
    if (data.length === 0) return 'reverted without a reason'
    const selector = formatData(data.subarray(0, SELECTOR_BYTES))
    const contract = at && this.#contractAt(at)
    const tables = [BUILT_IN, contract?.abi, this.#artifacts.abi]
    for (const table of tables) {
      const known = table?.errors.get(selector)
      const values = known && decodeAbi(known.inputs, data.subarray(SELECTOR_BYTES))
      if (values !== undefined) return revertText(known!.name, values, table === BUILT_IN)
    }
    return formatBytes(data)
  }

  event({ address, topics, data }: EmittedEvent): Explained {
    const [first] = topics
    const contract = this.#contractAt(address)
    const place = this.#nameAt(address)
    if (first !== undefined) {
      const key = eventKey(formatData(first), topics.length - 1)
      const known = contract?.abi.events.get(key) ?? this.#artifacts.abi.events.get(key)
      const values = known && eventValues(known, topics.slice(1), data)
      if (values !== undefined)
        return { name: `${place}::${known!.name}`, rest: `(${formatAbiFields(values)})` }
    }
    const texts = topics.map((topic, index) => `topic${index}: ${formatData(topic)}`)
    if (data.length > 0) texts.push(`data: ${formatBytes(data)}`)
    return { name: place, rest: `(${texts.join(', ')})` }
  }

  #creation(input: Uint8Array): Explained {
    const contract = this.#artifacts.ofCreation(input)
    if (contract === undefined) return { name: 'new contract', rest: `(${input.length} bytes of code)` }
    const values = decodeAbi(contract.abi.constructorInputs, input.subarray(contract.creationCode.length))
    return { name: `new ${contract.name}`, rest: `(${values === undefined ? '' : formatAbiFields(values)})` }
  }

  #functionOf(to: Address | undefined, input: Uint8Array): AbiFunction | undefined {
    const selector = formatData(input.subarray(0, SELECTOR_BYTES))
    const contract = to && this.#contractAt(to)
    return contract?.abi.functions.get(selector) ?? this.#artifacts.abi.functions.get(selector)
  }

  #nameAt(address: Address): string {
    return this.#contractAt(address)?.name ?? withChecksum(address)
  }

  #contractAt(address: Address): CompiledContract | undefined {
    if (this.#contracts.has(address)) return this.#contracts.get(address)
    const code = this.#codeAt(address)
    const contract = code && this.#artifacts.ofDeployedCode(code)
    this.#contracts.set(address, contract)
    return contract
  }
}

function bytesText(bytes: Uint8Array): string {
  return bytes.length === 0 ? '' : formatBytes(bytes)
}

function revertText(name: string, values: readonly NamedAbiValue[], isBuiltIn: boolean): string {
  const [first] = values
  const code = first?.value
  if (isBuiltIn && typeof code === 'bigint') {
    const hex = `0x${code.toString(16).padStart(2, '0')}`
    return `Panic(${hex}): ${PANICS.get(code) ?? 'unknown code'}`
  }
  return `${name}(${formatAbiFields(values)})`
}

/** Indexed arguments are topics: their value in one word, or its hash. */
function eventValues(
  { inputs }: AbiEvent,
  topics: readonly Uint8Array[],
  data: Uint8Array,
): readonly NamedAbiValue[] | undefined {
  const inData: AbiField[] = inputs.filter(({ isIndexed }) => !isIndexed)
  const decoded = decodeAbi(inData, data)
  if (decoded === undefined) return undefined
  let [nextTopic, nextValue] = [0, 0]
  return inputs.map(({ name, type, isIndexed }) => {
    if (!isIndexed) return decoded[nextValue++]!
    const topic = topics[nextTopic++]!
    return { name, value: decodeAbiWord(type, topic) ?? topic }
  })
}
