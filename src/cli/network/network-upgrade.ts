import { resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import { path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { untilCaughtUp, untilSealed } from '#fleet/await-node.ts'
import { type FleetNode, nodesOf } from '#fleet/network-directory.ts'
import { pidOf, setProgram, wantStopped } from '#fleet/node-process.ts'
import { startUnlessWatched } from '#fleet/start-node.ts'
import { stopNodes } from '#fleet/stop-nodes.ts'
import { readMembership } from '#fleet/validators.ts'
import { whileChanging } from '#fleet/while-changing.ts'
import { kindOfPath } from '#platform/files/files.ts'
import { networkOptions } from './network-options.ts'

const options = {
  ...networkOptions,
  ...defineOptions('Options', {
    to: {
      flag: '--to',
      kind: path,
      label: 'PROGRAM',
      required: true,
      help: 'The program to change to: the file cairn in bin of another version.',
    },
  }),
}

export default defineCommand({
  options,
  async run({ own, io }) {
    const say = (sentence: string) => io.err(`${sentence}\n`)
    const directory = resolve(own.get(options.directory))
    const program = resolve(own.get(options.to))
    if (kindOfPath(program) !== 'file') throw usageFault(`There is no program ${program}.`)
    const nodes = nodesOf(directory)
    await whileChanging(directory, async () => {
      for (const node of nodes) await upgrade(node, nodes, directory, program, say)
    })
    say(`Every node runs ${program}, or will when it is started.`)
  },
})

async function upgrade(
  node: FleetNode,
  nodes: readonly FleetNode[],
  directory: string,
  program: string,
  say: (sentence: string) => void,
): Promise<void> {
  setProgram(node, program)
  if (pidOf(node) === undefined) return say(`${node.name} does not run and is left as it is.`)
  const membership = await readMembership(nodes)
  wantStopped(node)
  await stopNodes([node])
  startUnlessWatched(directory, node)
  await untilCaughtUp(
    node,
    nodes.filter((each) => each !== node),
    say,
  )
  const member = membership.members.find((each) => each.node.name === node.name)
  if (member === undefined) return say(`${node.name} follows the chain again.`)
  say(`${node.name} takes part again: its seal is in block ${await untilSealed(membership, member)}.`)
}
