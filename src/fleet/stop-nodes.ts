import type { FleetNode } from './network-directory.ts'
import { signalProcess, untilEnded } from './node-process.ts'
import { refusal } from './plan-network.ts'

/** Resolves when they have ended; refuses when one does not. */
export async function stopNodes(nodes: readonly FleetNode[]): Promise<void> {
  for (const node of nodes) signalProcess(node, 'SIGTERM')
  const left = await untilEnded(nodes)
  if (left.length === 0) return
  const names = left.map(({ name }) => name).join(', ')
  throw refusal(`${names} did not stop in time; 'cairn network kill <node>' ends a node at once.`)
}
