/** Starts one program, several times, runs the tests of bench/dev-suite.ts on it, and sends the durations to the parent process. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { message } from './child-message.ts'
import { type SuiteContracts, suiteTests } from './dev-suite-tests.ts'
import { type DevTarget, type Request, START_DEV_TARGET } from './dev-targets.ts'

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
  readonly suite?: SuiteRun
}

export interface SuiteRun extends Cost {
  readonly tests: number
  readonly methods: Readonly<Record<string, MethodTime>>
}

export interface MethodTime {
  readonly requests: number
  readonly ms: number
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
      const { request, methods } = watchMethods(running.request)
      const tests = await runTests(target, suiteTests(request, suite.contracts, suite.tests))
      return { starts: costs, suite: { tests, methods, ...suiteCost(running) } }
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

/** Measures the time from each request to its answer. */
function watchMethods(request: Request): { request: Request; methods: Record<string, MethodTime> } {
  const methods: Record<string, MethodTime> = {}
  const watched: Request = async (call) => {
    const startMs = performance.now()
    try {
      return await request(call)
    } finally {
      const { requests, ms } = methods[call.method] ?? { requests: 0, ms: 0 }
      methods[call.method] = { requests: requests + 1, ms: ms + performance.now() - startMs }
    }
  }
  return { request: watched, methods }
}

async function runTests(target: string, tests: ReturnType<typeof suiteTests>): Promise<number> {
  for (const { name, run } of tests) {
    await run().catch((error: unknown) => {
      throw new Error(`The test failed on ${target}: ${name}`, { cause: error })
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
