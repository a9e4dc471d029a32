/** A process with a node of any checkout, whose threads can be inspected. `main.ts` starts it. */
import type { createNode as CreateNode, NodeOptions } from '#node/create-node.ts'

export interface WalkedNodeStart {
  /** The file URL of its `src/`. */
  readonly sources: string
  readonly options: NodeOptions
}

process.once('message', async ({ sources, options }: WalkedNodeStart) => {
  const { createNode }: { createNode: typeof CreateNode } = await import(`${sources}node/create-node.ts`)
  const node = await createNode(options)
  process.send!(node.http?.port ?? 0)
  process.on('message', async (rlp: string) => process.send!(await node.importBlock(rlp, 'light')))
})
