import { type CommandContext, defineCommand } from '#cli/command.ts'
import { MAX_INPUT_BYTES } from '#cli/read-text.ts'
import { usageFault } from '#config/faults.ts'
import { readTextBounded, writeFileAtomic } from '#platform/files.ts'
import { decodeBftExtraData } from '#types/bft-extra-data.ts'
import { Fault } from '#types/fault.ts'
import { parseDataLenient } from '#types/hex.ts'
import { protocolOf, rlpOptions } from './rlp-options.ts'

export default defineCommand({
  options: rlpOptions,
  run(context) {
    const { own, io } = context
    const { validators } = decodeBftExtraData(
      protocolOf(own.get(rlpOptions.type)),
      parseDataLenient(readInput(context)),
    )
    const list = `[${validators.join(', ')}]`
    const to = own.get(rlpOptions.to)
    if (to === undefined) return io.out(`${list}\n`)
    try {
      writeFileAtomic(to, list)
    } catch (cause) {
      throw usageFault(
        `An error occurred while trying to write the validator list. ${(cause as Error).message}`,
        { cause },
      )
    }
  },
})

/** The first line, as in the reference: a file made by hand often ends with an empty one. */
function readInput({ own, io }: CommandContext): string {
  const from = own.get(rlpOptions.from)
  const text = from === undefined ? io.readInput(MAX_INPUT_BYTES) : readInputFile(from)
  const line = text.split(/\r?\n/, 1)[0]!.trim()
  if (line !== '') return line
  const what =
    from === undefined
      ? 'Unable to read input data.'
      : 'An error occurred while trying to read the input data.'
  throw usageFault(`${what} It is empty: give the extra data as hex digits.`)
}

function readInputFile(path: string): string {
  try {
    return readTextBounded(path, MAX_INPUT_BYTES)
  } catch (cause) {
    throw new Fault(
      'INPUT_UNREADABLE',
      { sentence: `Unable to read input file. ${(cause as Error).message}` },
      { cause },
    )
  }
}
