import { defineCommand } from '#cli/command.ts'
import { text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { type AuditReport, verifyAudit } from '#jsonrpc/audit/verify-audit.ts'
import { Fault } from '#types/fault.ts'

const options = defineOptions('Audit log', {
  head: {
    flag: '--head',
    kind: text,
    label: 'HASH',
    help: 'Hash stored elsewhere that a line must have.',
    details: 'Without it, lines cut off at the end stay unnoticed.',
  },
})

export default defineCommand({
  options,
  operands: {
    label: 'FILE',
    help: 'Audit log files, oldest first.',
    count: 1,
    more: true,
  },
  async run({ operands, own, io }) {
    const head = own.get(options.head)?.toLowerCase().replace(/^0x/, '')
    const report = await verifyAudit(operands, head)
    for (const { file, place } of report.torn) {
      io.out(
        `${file}, line ${place}: torn by a crash or a full disk; a later line records it. One call may be missing here.\n`,
      )
    }
    const { broken, end, knowsHead } = report
    if (broken !== undefined) {
      const until = end === undefined ? 'No line before it can be trusted.' : trusted(end)
      throw brokenFault(`${broken.file}, line ${broken.place}: ${broken.sentence} ${until}`)
    }
    if (knowsHead === 'absent') {
      throw brokenFault(
        `No line has the hash ${head}: lines were cut off at the end, or the log was rewritten. The remaining lines are consistent. ${headOf(end)}`,
      )
    }
    const count = end === undefined ? 'no lines' : `${end.line} ${end.line === 1 ? 'line' : 'lines'}`
    const since = knowsHead === 'earlier' ? ' Lines were added since the hash that you kept.' : ''
    io.out(`${operands.join(', ')}: ${count}, each after the one before it.${since}\n${headOf(end)}`)
    if (end !== undefined && knowsHead === undefined) {
      io.out(
        'Only a hash stored elsewhere reveals lines cut off at the end: store this one, and pass it with --head next time.\n',
      )
    }
  },
})

function trusted({ line, hash, time }: NonNullable<AuditReport['end']>): string {
  return `Lines to number ${line} (${time}, ${hash}) are as they were written; nothing behind them can be trusted.`
}

function headOf(end: AuditReport['end']): string {
  return end === undefined ? '' : `Head: ${end.hash} (line ${end.line}, ${end.time})\n`
}

function brokenFault(sentence: string): Fault {
  return new Fault('AUDIT_LOG_BROKEN', { sentence })
}
