import { type CommandContext, defineCommand } from '#cli/command.ts'
import { MAX_INPUT_BYTES } from '#cli/read-text.ts'
import { usageFault } from '#config/faults.ts'
import { oneOf, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { readTextBounded, writeFileAtomic } from '#platform/files/files.ts'
import { ADDRESS_BYTES, type Address, addressFromBytes } from '#types/address.ts'
import { type BftProtocol, decodeBftExtraData, encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { Fault } from '#types/fault.ts'
import { formatData, parseDataLenient } from '#types/hex.ts'

const PROTOCOLS = { IBFT_EXTRA_DATA: 'ibft2', QBFT_EXTRA_DATA: 'qbft' } as const

const rlpOptions = defineOptions('Options', {
  from: { flag: '--from', kind: path, help: 'File to read.', defaultText: 'standard input' },
  to: { flag: '--to', kind: path, help: 'File to write.', defaultText: 'standard output' },
  type: {
    flag: '--type',
    kind: oneOf(['IBFT_EXTRA_DATA', 'QBFT_EXTRA_DATA']),
    default: 'IBFT_EXTRA_DATA',
    help: 'IBFT_EXTRA_DATA for IBFT 2.0 or QBFT_EXTRA_DATA for QBFT.',
  },
})

function protocolOf({ own }: CommandContext): BftProtocol {
  return PROTOCOLS[own.get(rlpOptions.type)]
}

/** Reads the file --from, or standard input. `what` is Besu's word for the file. */
function readSource({ own, io }: CommandContext, what: string): string {
  const from = own.get(rlpOptions.from)
  if (from === undefined) return io.readInput(MAX_INPUT_BYTES)
  try {
    return readTextBounded(from, MAX_INPUT_BYTES)
  } catch (cause) {
    const sentence = `Unable to read ${what} file. ${(cause as Error).message}`
    throw new Fault('INPUT_UNREADABLE', { sentence }, { cause })
  }
}

/** Writes to the file --to without a newline, as Besu does, or to standard output with one. */
function writeResult({ own, io }: CommandContext, result: string, what: string): void {
  const to = own.get(rlpOptions.to)
  if (to === undefined) {
    io.out(`${result}\n`)
    return
  }
  try {
    writeFileAtomic(to, result)
  } catch (cause) {
    throw usageFault(`An error occurred while trying to write the ${what}. ${(cause as Error).message}`, {
      cause,
    })
  }
}

export const encodeExtraData = defineCommand({
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

/** Pads a short address on the left, as Besu does, but with a warning: a truncated address looks the same. */
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

export const decodeExtraData = defineCommand({
  options: rlpOptions,
  run(context) {
    const { validators } = decodeBftExtraData(protocolOf(context), parseDataLenient(firstLine(context)))
    writeResult(context, `[${validators.join(', ')}]`, 'validator list')
  },
})

/** Only the first line counts, as in Besu, because a hand-made file often ends with an empty line. */
function firstLine(context: CommandContext): string {
  const line = readSource(context, 'input').split(/\r?\n/, 1)[0]!.trim()
  if (line !== '') return line
  const isInput = context.own.get(rlpOptions.from) === undefined
  const what = isInput
    ? 'Unable to read input data.'
    : 'An error occurred while trying to read the input data.'
  throw usageFault(`${what} It is empty: give the extra data as hex digits.`)
}
