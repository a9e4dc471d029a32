import { defineCommand } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import { ADDRESS_BYTES, type Address, addressFromBytes } from '#types/address.ts'
import { encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { formatData, parseDataLenient } from '#types/hex.ts'
import { protocolOf, readSource, rlpOptions, writeResult } from './rlp-streams.ts'

export default defineCommand({
  options: rlpOptions,
  run(context) {
    const text = readSource(context, 'JSON')
    if (text.trim() === '') {
      throw usageFault(
        'An error occurred while trying to read the JSON data. It is empty: give a list such as ["<address>", "<address>"].',
      )
    }
    const validators = parseValidators(text, (sentence) => context.io.err(`${sentence}\n`))
    writeResult(context, formatData(encodeGenesisExtraData(protocolOf(context), validators)), 'RLP string')
  },
})

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

/** Short ones are padded on the left as Besu does, but not in silence: a cut-off address looks the same. */
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
