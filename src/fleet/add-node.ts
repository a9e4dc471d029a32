import { type Say, untilInSync } from './await-node.ts'
import { type FleetNode, nodeNamed, nodesOf, unmarkRemoved } from './network-directory.ts'
import { writeNode } from './new-node.ts'
import { pidOf } from './node-process.ts'
import { writeTargets } from './scrape-targets.ts'
import { startUnlessWatched } from './supervisor-file.ts'
import { changeValidators, readMembership, requireQuorum } from './validators.ts'

/** Adds a validator: the named node, or a new one. Resolves when the validators have voted it in. */
export async function addNode(directory: string, name: string | undefined, say: Say): Promise<FleetNode> {
  const others = nodesOf(directory).filter((each) => each.name !== name)
  const { validators, members } = await readMembership(others)
  say(requireQuorum(validators.length, 1, members.length + 1))
  const node = name === undefined ? await make(directory, say) : nodeNamed(directory, name)
  unmarkRemoved(node)
  writeTargets(directory)
  if (pidOf(node) === undefined) startUnlessWatched(directory, node)
  await untilInSync(node, others, say)
  const membership = await readMembership([...others, node])
  const follower = membership.followers.find((each) => each.node.name === node.name)
  if (follower !== undefined) {
    say(`${node.name} has caught up; the validators vote.`)
    await changeValidators(membership, follower.address, true)
  }
  say(`${node.name} is a validator.`)
  return node
}

async function make(directory: string, say: Say) {
  const { node, address, consoles } = await writeNode(directory)
  say(
    `${node.name} has the address ${address} and starts. If this command is interrupted, continue with 'cairn network add ${node.name}'.`,
  )
  for (const name of consoles) say(`The console of ${name} shows it after the next start of ${name}.`)
  return node
}
