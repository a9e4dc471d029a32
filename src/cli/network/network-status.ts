import { defineCommand } from '#cli/command.ts'
import { boolean } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { nodesOf } from '#fleet/network-directory.ts'
import { formatCauses, formatTable, reportNetwork } from '#fleet/network-report.ts'
import { networkOptions } from './network-options.ts'

const options = {
  ...networkOptions,
  ...defineOptions('Options', {
    json: { flag: '--json', kind: boolean, default: false, help: 'Print a JSON array, for scripts.' },
  }),
}

export default defineCommand({
  options,
  async run({ own, io }) {
    const reports = await reportNetwork(nodesOf(own.get(options.directory)))
    if (own.get(options.json)) return io.out(`${JSON.stringify(reports, undefined, 2)}\n`)
    io.out([...formatTable(reports), ...formatCauses(reports), ''].join('\n'))
  },
})
