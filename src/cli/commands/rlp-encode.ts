import { type CommandContext, defineCommand } from '#cli/command.ts'
import { MAX_INPUT_BYTES } from '#cli/read-text.ts'
import { usageFault } from '#config/faults.ts'
import { readTextBounded, writeFileAtomic } from '#platform/files.ts'
import { ADDRESS_BYTES, type Address, addressFromBytes } from '#types/address.ts'
import { encodeGenesisExtraData } from '#types/bft-extra-data.ts'
import { Fault } from '#types/fault.ts'
import { formatData, parseDataLenient } from '#types/hex.ts'
import { protocolOf, rlpOptions } from './rlp-options.ts'

export default defineCommand({
  options: rlpOptions,
  run(context) {
    const { own, io } = context
    const validators = parseValidators(readInput(context), (sentence) => io.err(`${sentence}\n`))
    const extraData = formatData(encodeGenesisExtraData(protocolOf(own.get(rlpOptions.type)), validators))
    const to = own.get(rlpOptions.to)
    if (to === undefined) return io.out(`${extraData}\n`)
    try {
      writeFileAtomic(to, extraData)
    } catch (cause) {
      throw usageFault(
        `An error occurred while trying to write the RLP string. ${(cause as Error).message}`,
        { cause },
      )
    }
  },
})

function readInput({ own, io }: CommandContext): string {
  const from = own.get(rlpOptions.from)
  const text = from === undefined ? io.readInput(MAX_INPUT_BYTES) : readJsonFile(from)
  if (text.trim() === '') {
    throw usageFault(
      'An error occurred while trying to read the JSON data. It is empty: give a list such as ["<address>", "<address>"].',
    )
  }
  return text
}

function readJsonFile(path: string): string {
  try {
    return readTextBounded(path, MAX_INPUT_BYTES)
  } catch (cause) {
    throw new Fault(
      'INPUT_UNREADABLE',
      { sentence: `Unable to read JSON file. ${(cause as Error).message}` },
      { cause },
    )
  }
}

function parseValidators(text: string, warn: (sentence: string) => void): Address[] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch (cause) {
    throw usageFault(
      `Unable to load the JSON data. Please check JSON input format. ${(cause as Error).message}`,
      { cause },
    )
  }
  const isList =
    Array.isArray(list) && list.every((item) => typeof item === 'string' || typeof item === 'number')
  if (!isList) {
    throw usageFault(
      'Unable to map the JSON data with selected type. Please check JSON input format. It must be a list of addresses: ["<address>", "<address>"].',
    )
  }
  return (list as (string | number)[]).map((item) => toAddress(String(item), warn))
}

/** Short ones are padded on the left as the reference does, but not in silence: a cut-off address looks the same. */
function toAddress(text: string, warn: (sentence: string) => void): Address {
  const digits = text.replace(/^0x/i, '')
  const given = parseDataLenient(digits.length % 2 === 0 ? digits : `0${digits}`, ADDRESS_BYTES)
  const bytes = new Uint8Array(ADDRESS_BYTES)
  bytes.set(given, ADDRESS_BYTES - given.length)
  const address = addressFromBytes(bytes)
  if (given.length < ADDRESS_BYTES)
    warn(`Warning: '${text}' is shorter than an address and was read as ${address}.`)
  return address
}
