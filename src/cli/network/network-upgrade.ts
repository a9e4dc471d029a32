import { resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import { path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { type Say, untilCaughtUp, untilSealed } from '#fleet/await-node.ts'
import { type FleetNode, nodesOf } from '#fleet/network-directory.ts'
import { pidOf, programOf, setProgram, wantStopped } from '#fleet/node-process.ts'
import { refusal } from '#fleet/plan-network.ts'
import { startUnlessWatched } from '#fleet/start-node.ts'
import { stopNodes } from '#fleet/stop-nodes.ts'
import { type Membership, readMembership } from '#fleet/validators.ts'
import { whileChanging } from '#fleet/while-changing.ts'
import { kindOfPath } from '#platform/files/files.ts'
import { quorumOf } from '#types/block/bft-quorum.ts'
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
    await whileChanging(directory, () => upgradeAll(directory, program, say))
  },
})

/** Those that do not run come last: nothing shows whether the program is one. */
async function upgradeAll(directory: string, program: string, say: Say): Promise<void> {
  const nodes = nodesOf(directory)
  const running = nodes.filter((node) => pidOf(node) !== undefined)
  for (const node of running) await upgrade(node, nodes, directory, program, say)
  for (const node of nodes) {
    if (running.includes(node)) continue
    setProgram(node, program)
    say(`${node.name} does not run, and will run ${program} when it is started.`)
  }
  say(`Every node that runs has ${program} now.`)
}

async function upgrade(
  node: FleetNode,
  nodes: readonly FleetNode[],
  directory: string,
  program: string,
  say: Say,
): Promise<void> {
  const membership = await readMembership(nodes)
  const member = membership.members.find((each) => each.node.name === node.name)
  if (member !== undefined) requireOthers(membership, node)
  say(`${node.name} changes from ${programOf(node)} to ${program}.`)
  setProgram(node, program)
  wantStopped(node)
  await stopNodes([node])
  startUnlessWatched(directory, node)
  await untilCaughtUp(
    node,
    nodes.filter((each) => each !== node),
    say,
  )
  if (member === undefined) return say(`${node.name} follows the chain again.`)
  say(`${node.name} takes part again: its seal is in block ${await untilSealed(membership, member)}.`)
}

/** Where all run, a network too small for a quorum without one of them stands for a moment; that cannot be helped. */
function requireOthers({ members, validators }: Membership, node: FleetNode): void {
  if (members.length === validators.length || members.length > quorumOf(validators.length)) return
  throw refusal(
    `${members.length} of ${validators.length} validators run, and the chain would stand while ${node.name} is restarted; start the others first.`,
  )
}
