/** Programs that tests start. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Includes those still starting: none outlives this program, however it ends. */
const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
// The runner ends a test file that takes too long with SIGTERM, which is not an exit.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(1))
}

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
