/** Starts nodes in their own processes, for bench/read.ts and bench/growth.ts. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { message } from './child-message.ts'
import type { NodeOrder } from './read-jobs.ts'
import type { Server } from './read-load.ts'

export interface NodeServer extends Server {
  readonly child: ChildProcess
}

export async function startNode(
  chain: Omit<Extract<NodeOrder, { kind: 'start' }>, 'kind'>,
): Promise<NodeServer> {
  const child = fork(join(import.meta.dirname, 'read-node.ts'), { serialization: 'advanced' })
  child.send({ kind: 'start', ...chain } satisfies NodeOrder)
  const { http } = await message<{ http: number }>(child)
  return { pid: child.pid!, port: http, child }
}

export async function stopNode(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.send({ kind: 'stop' } satisfies NodeOrder)
  await exited
}
