/** Programs that tests start. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Includes those still starting: none outlives this program, however it ends. */
const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

export function ownChild(child: ChildProcess): void {
  children.add(child)
  child.once('exit', () => children.delete(child))
}

/** Kills it, like a power cut. Resolves when it has ended, now or before. */
export async function killChild(child: ChildProcess): Promise<void> {
  const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
  child.kill('SIGKILL')
  await exited
}
