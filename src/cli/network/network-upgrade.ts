import { resolve } from 'node:path'
import { defineCommand } from '#cli/command.ts'
import { usageFault } from '#config/faults.ts'
import { path } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { type Say, untilInSync, untilSealed } from '#fleet/await-node.ts'
import { type FleetNode, nodesOf } from '#fleet/network-directory.ts'
import { pidOf, programOf, setProgram, stopNodes, wantStopped } from '#fleet/node-process.ts'
import { refusal } from '#fleet/plan-network.ts'
import { startUnlessWatched } from '#fleet/supervisor-file.ts'
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
      help: 'New program: bin/cairn of another version.',
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

/** Stopped nodes come last, because they do not show whether the program works. */
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
  await untilInSync(
    node,
    nodes.filter((each) => each !== node),
    say,
  )
  if (member === undefined) return say(`${node.name} follows the chain again.`)
  say(`${node.name} takes part again: its seal is in block ${await untilSealed(membership, member)}.`)
}

/** If all are running, a network without spare validators pauses for a moment, which is unavoidable. */
function requireOthers({ members, validators }: Membership, node: FleetNode): void {
  if (members.length === validators.length || members.length > quorumOf(validators.length)) return
  throw refusal(
    `${members.length} of ${validators.length} validators run, and the chain would stand while ${node.name} is restarted; start the others first.`,
  )
}
