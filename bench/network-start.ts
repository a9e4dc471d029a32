/*
 * Measures the time from an empty folder to the first transaction in a block: `cairn network new`, then
 * `cairn network up --detach`, then one transfer from the network's funded account, until its receipt is available. Also
 * measures the memory of the four validators together, at that moment and after an idle time.
 *
 *   npm run bench -- network-start            3 networks, one after the other
 *   npm run bench -- network-start --judge    fails beyond 15 s or 800 MB; for an idle machine
 *   npm run bench -- network-start --package  the package that users install, instead of the checkout
 *
 * `npx` is not included. Memory comes from /proc/<pid>/smaps_rollup on Linux. PSS counts a page that several processes map,
 * such as Node's own code, once, so the sum is the network's share of the machine; RSS counts such a page in each process.
 * The limit applies to idle PSS, as `npm run bench -- start` does for one node.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Memory, memoryOf } from '../test/support/memory-of.ts'
import { percentile } from '../test/support/rpc-client.ts'
import { buildPackage } from './build-package.ts'
import { withNetwork } from './with-network.ts'

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '3' },
    judge: { type: 'boolean', default: false },
    package: { type: 'boolean', default: false },
  },
})

const FIRST_MAX_SECONDS = 15
const TOGETHER_MAX_MB = 800
/** Until V8 has collected the garbage of the start. */
const IDLE_MS = 15_000

interface Start {
  /** Seconds since the first command began. */
  readonly newSeconds: number
  readonly upSeconds: number
  readonly minedSeconds: number
  readonly atFirst: Memory
  readonly idle: Memory
}

async function startOnce(): Promise<Start> {
  const beganMs = performance.now()
  const seconds = (): number => (performance.now() - beganMs) / 1_000
  return await withNetwork(program, async (network) => {
    const newSeconds = seconds()
    network.run('up', '--detach')
    const upSeconds = seconds()
    await network.mine(0)
    const minedSeconds = seconds()
    const pids = network.pids()
    const atFirst = memoryOf(pids)
    await pause(IDLE_MS)
    return { newSeconds, upSeconds, minedSeconds, atFirst, idle: memoryOf(pids) }
  })
}

const shownMemory = ({ pssMb, rssMb }: Memory): string =>
  `${pssMb.toFixed(0)} MB (PSS; RSS ${rssMb.toFixed(0)} MB)`

const place = mkdtempSync(join(tmpdir(), 'cairn-package-'))
process.once('exit', () => rmSync(place, { recursive: true }))
const program = values.package ? buildPackage(place) : undefined
const starts: Start[] = []
while (starts.length < Number(values.times)) {
  const start = await startOnce()
  starts.push(start)
  const { newSeconds, upSeconds, minedSeconds, atFirst, idle } = start
  console.log(
    `network new after ${newSeconds.toFixed(1)} s, all four answer after ${upSeconds.toFixed(1)} s, first transaction in a block after ${minedSeconds.toFixed(1)} s; four validators together ${shownMemory(atFirst)}, idle ${shownMemory(idle)}`,
  )
}
const median = (of: (start: Start) => number): number => percentile(starts.map(of), 50)
const minedSeconds = median((start) => start.minedSeconds)
const firstMb = median(({ atFirst }) => atFirst.pssMb)
const idleMb = median(({ idle }) => idle.pssMb)
console.log(
  `first transaction mined after ${minedSeconds.toFixed(1)} s (at most ${FIRST_MAX_SECONDS}); four validators together ${firstMb.toFixed(0)} MB then and ${idleMb.toFixed(0)} MB idle (at most ${TOGETHER_MAX_MB})`,
)
const problems = [
  ...(minedSeconds > FIRST_MAX_SECONDS
    ? [`the first transaction took more than ${FIRST_MAX_SECONDS} s`]
    : []),
  ...(idleMb > TOGETHER_MAX_MB ? [`they use more than ${TOGETHER_MAX_MB} MB`] : []),
]
if (values.judge) {
  for (const problem of problems) console.log(`FAILED: ${problem}`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
