import { availableParallelism, loadavg } from 'node:os'
import type { TestContext } from 'node:test'

/** More to do than the test makes: how soon something happens then says nothing about the node. */
export function isBusyMachine(t: TestContext): boolean {
  const load = loadavg()[0]!
  const isBusy = load > 2 * availableParallelism()
  if (isBusy) t.diagnostic(`not judged: the machine has other work, its load is ${load.toFixed(1)}`)
  return isBusy
}
