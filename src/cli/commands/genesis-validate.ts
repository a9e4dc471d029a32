import { defineCommand } from '#cli/command.ts'
import { counted } from '#cli/io.ts'
import { MAX_GENESIS_BYTES } from '#node/load-genesis.ts'
import { readTextBounded } from '#platform/files/files.ts'
import { Fault } from '#types/fault.ts'
import { formatGenesisFinding } from '#types/genesis/genesis-problems.ts'
import { validateGenesis } from '#types/genesis/genesis-validate.ts'

export default defineCommand({
  options: {},
  operands: { label: 'FILE', help: 'The genesis file to check.', count: 1 },
  run({ operands, io }) {
    const [file] = operands as [string]
    const findings = validateGenesis(readTextBounded(file, MAX_GENESIS_BYTES))
    for (const finding of findings) io.out(`${formatGenesisFinding(finding)}\n`)
    const errors = findings.filter(({ severity }) => severity === 'error').length
    const warnings = findings.length - errors
    if (errors > 0) {
      throw new Fault('GENESIS_INVALID', {
        sentence: `${file}: ${counted(errors, 'mistake')}, ${counted(warnings, 'warning')}.`,
      })
    }
    io.out(
      `${file} is a valid genesis file${warnings > 0 ? `, with ${counted(warnings, 'warning')}` : ''}.\n`,
    )
  },
})
