import { type CommandContext, defineCommand } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import { decodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { parseDataLenient } from '#types/hex.ts'
import { protocolOf, readSource, rlpOptions, writeResult } from './rlp-streams.ts'

export default defineCommand({
  options: rlpOptions,
  run(context) {
    const { validators } = decodeBftExtraData(protocolOf(context), parseDataLenient(firstLine(context)))
    writeResult(context, `[${validators.join(', ')}]`, 'validator list')
  },
})

/** The first line, as in Besu: a file made by hand often ends with an empty one. */
function firstLine(context: CommandContext): string {
  const line = readSource(context, 'input').split(/\r?\n/, 1)[0]!.trim()
  if (line !== '') return line
  const isInput = context.own.get(rlpOptions.from) === undefined
  const what = isInput
    ? 'Unable to read input data.'
    : 'An error occurred while trying to read the input data.'
  throw usageFault(`${what} It is empty: give the extra data as hex digits.`)
}
