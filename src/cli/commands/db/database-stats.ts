import { formatBytes } from '#cli/byte-progress.ts'
import { defineCommand } from '#cli/command.ts'
import { tellEachSecond } from '#cli/each-second.ts'
import { boolean } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { statsOfNode } from '#node/upkeep/database.ts'

const options = defineOptions('Options', {
  json: { flag: '--json', kind: boolean, default: false, help: 'Print one JSON object.' },
})

const NAME_WIDTH = 22
const NUMBER_WIDTH = 14

export default defineCommand({
  options,
  async run({ own, root, io }) {
    const tell = tellEachSecond(io)
    const stats = await statsOfNode(root(), (rows) => tell(() => `Read ${rows} rows.`))
    if (own.get(options.json)) return io.out(`${JSON.stringify(stats)}\n`)
    const line = (name: string, rows: string, bytes: string) =>
      `${name.padEnd(NAME_WIDTH)}${rows.padStart(NUMBER_WIDTH)}${bytes.padStart(NUMBER_WIDTH)}\n`
    io.out(line('Table', 'rows', 'bytes'))
    for (const { table, rows, bytes } of stats.tables) io.out(line(table, `${rows}`, formatBytes(bytes)))
    io.out(`Files: ${formatBytes(stats.fileBytes)}.\n`)
  },
})
