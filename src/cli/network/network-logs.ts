import { defineCommand } from '#cli/command.ts'
import { onInterrupt } from '#cli/interrupt.ts'
import { boolean, integer } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { type FleetNode, nodeNamed, nodesOf } from '#fleet/network-directory.ts'
import { readLines, tailOf } from '#fleet/node-log.ts'
import { pause, systemClock } from '#platform/clock.ts'
import { plainFromJson } from '#platform/log/plain-from-json.ts'
import { networkOptions } from './network-options.ts'

const LOOK_MS = 250

const options = {
  ...networkOptions,
  ...defineOptions('Options', {
    follow: {
      flag: '--follow',
      aliases: ['-f'],
      kind: boolean,
      default: false,
      help: 'Follow the log.',
    },
    lines: {
      flag: '--lines',
      kind: integer({ min: 0, max: 1_000 }),
      default: 10,
      help: 'Number of last lines to show.',
    },
  }),
}

export default defineCommand({
  options,
  operands: { label: 'NODE', help: 'name the nodes, or none for all', count: 0, more: true },
  async run({ own, operands, io }) {
    const directory = own.get(options.directory)
    const nodes =
      operands.length === 0 ? nodesOf(directory) : operands.map((name) => nodeNamed(directory, name))
    // Programs that read the pipe get the original lines.
    const present = (line: string) => (io.columns === undefined ? [line] : plainFromJson(line).split('\n'))
    const ends = new Map<FleetNode, number>()
    const show = (node: FleetNode, { text, end }: { text: string; end: number }) => {
      ends.set(node, end)
      const prefix = nodes.length === 1 ? '' : `${node.name} | `
      const lines = text.split('\n').filter((line) => line !== '')
      io.out(
        lines
          .flatMap(present)
          .map((line) => `${prefix}${line}\n`)
          .join(''),
      )
    }
    const isFollowing = own.get(options.follow)
    for (const node of nodes) {
      const { text, end } = tailOf(node.logFile, own.get(options.lines))
      // An incomplete line follows when it is complete.
      show(node, { text: isFollowing ? text.slice(0, text.lastIndexOf('\n') + 1) : text, end })
    }
    const signal = onInterrupt(() => {})
    while (isFollowing && !signal.aborted) {
      for (const node of nodes) show(node, readLines(node.logFile, ends.get(node)!))
      await pause(systemClock, LOOK_MS)
    }
  },
})
