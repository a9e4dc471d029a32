import { Fault } from '#types/fault.ts'
import { formatGenesisFinding } from '#types/genesis/genesis-problems.ts'
import { validateGenesis } from '#types/genesis/genesis-validate.ts'

/** A migrated node must be able to start with its genesis file. */
export function checkGenesis(source: string, text: string): void {
  const errors = validateGenesis(text).filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return
  const sentence = `Cairn cannot follow the genesis file ${source}:\n${errors.map(formatGenesisFinding).join('\n')}`
  throw new Fault('GENESIS_INVALID', { sentence })
}
