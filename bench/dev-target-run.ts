/** Starts one program, several times, runs the tests of bench/dev-suite.ts on it, and sends the durations to the parent process. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { message } from './child-message.ts'
import { type SuiteContracts, suiteTests } from './dev-suite-tests.ts'
import { type DevTarget, START_DEV_TARGET } from './dev-targets.ts'

export interface TargetOrder {
  readonly target: string
  readonly entry: string
  readonly starts: number
  readonly suite?: { readonly contracts: SuiteContracts; readonly tests: number }
}

export interface Cost {
  readonly ms: number
  readonly cpuMs: number
}

export interface TargetRun {
  /** Until the first answer. The first start of a process includes the import. */
  readonly starts: readonly Cost[]
  readonly suite?: Cost & { readonly tests: number }
}

/** Runs the order in a new process. */
export async function runOnTarget(order: TargetOrder): Promise<TargetRun> {
  const child = fork(import.meta.filename)
  const exited = once(child, 'exit')
  child.send(order)
  const run = await message<TargetRun>(child)
  await exited
  return run
}

async function carryOut({ target, entry, starts, suite }: TargetOrder): Promise<TargetRun> {
  const costs: Cost[] = []
  for (;;) {
    const startCost = watchCost()
    const running = await START_DEV_TARGET[target]!(entry)
    try {
      await running.request({ method: 'eth_blockNumber' })
      costs.push(startCost(running))
      if (costs.length < starts) continue
      if (suite === undefined) return { starts: costs }
      const suiteCost = watchCost(running)
      const tests = await runTests(suiteTests(running.request, suite.contracts, suite.tests))
      return { starts: costs, suite: { tests, ...suiteCost(running) } }
    } finally {
      await running.stop()
    }
  }
}

/** Counts wall time and the CPU time of this process and of the target's own. */
function watchCost(before?: DevTarget): (now: DevTarget) => Cost {
  const [startMs, used, otherSeconds] = [
    performance.now(),
    process.cpuUsage(),
    before?.otherCpuSeconds() ?? 0,
  ]
  return (now) => {
    const { user, system } = process.cpuUsage(used)
    const cpuMs = (user + system) / 1_000 + (now.otherCpuSeconds() - otherSeconds) * 1_000
    return { ms: performance.now() - startMs, cpuMs }
  }
}

async function runTests(tests: ReturnType<typeof suiteTests>): Promise<number> {
  for (const { name, run } of tests) {
    await run().catch((error: unknown) => {
      throw new Error(`The test failed: ${name}`, { cause: error })
    })
  }
  return tests.length
}

if (import.meta.main) {
  process.once('message', async (order: TargetOrder) => {
    const done = await carryOut(order)
    process.send!(done, () => process.exit())
  })
}
