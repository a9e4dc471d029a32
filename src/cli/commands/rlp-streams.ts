import type { CommandContext } from '#cli/command.ts'
import { MAX_INPUT_BYTES } from '#cli/read-text.ts'
import { usageFault } from '#config/faults.ts'
import { oneOf, path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { readTextBounded, writeFileAtomic } from '#platform/files/files.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { Fault } from '#types/fault.ts'

const PROTOCOLS = { IBFT_EXTRA_DATA: 'ibft2', QBFT_EXTRA_DATA: 'qbft' } as const

export const rlpOptions = defineOptions('Options', {
  from: { flag: '--from', kind: path, help: 'File to read.', defaultText: 'standard input' },
  to: { flag: '--to', kind: path, help: 'File to write.', defaultText: 'standard output' },
  type: {
    flag: '--type',
    kind: oneOf(['IBFT_EXTRA_DATA', 'QBFT_EXTRA_DATA']),
    default: 'IBFT_EXTRA_DATA',
    help: 'IBFT_EXTRA_DATA for IBFT 2.0 or QBFT_EXTRA_DATA for QBFT.',
  },
})

export function protocolOf({ own }: CommandContext): BftProtocol {
  return PROTOCOLS[own.get(rlpOptions.type)]
}

/** What --from names, or standard input. `what` is Besu's word for the file. */
export function readSource({ own, io }: CommandContext, what: string): string {
  const from = own.get(rlpOptions.from)
  if (from === undefined) return io.readInput(MAX_INPUT_BYTES)
  try {
    return readTextBounded(from, MAX_INPUT_BYTES)
  } catch (cause) {
    const sentence = `Unable to read ${what} file. ${(cause as Error).message}`
    throw new Fault('INPUT_UNREADABLE', { sentence }, { cause })
  }
}

/** To what --to names, without a newline as in Besu, or to standard output with one. */
export function writeResult({ own, io }: CommandContext, result: string, what: string): void {
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
