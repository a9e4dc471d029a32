/**
 * Judges the CPU time of three starts by ratios within one run: a node, a network of four validators, and a node inside a program. All
 * three run the package's code. The reference is a bare program with as many threads, each of which loads the modules of Node that a
 * server needs. Its runs alternate with the starts, and the median of the ratios counts, because a machine changes its speed within
 * seconds.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { percentile } from '../test/support/rpc-client.ts'
import { startNode } from '../test/support/running-node.ts'
import { cpuMicrosOf } from './cpu-seconds.ts'
import { runOnTarget } from './dev-target-run.ts'
import { devTargetEntries } from './dev-targets.ts'
import { slowStart } from './slow-start.ts'
import { withNetwork } from './with-network.ts'

/** Other programs may disturb a measurement; a slower start exceeds the limit in each. */
const MEASUREMENTS = 3
/** The first start of a program includes the import. */
const EMBEDDED_STARTS = 4
/** Prints its CPU time in milliseconds. */
const REFERENCE = `
const { isMainThread, Worker } = require('node:worker_threads')
for (const name of ['http', 'https', 'crypto', 'zlib', 'fs/promises']) require('node:' + name)
if (isMainThread) {
  let left = 3
  const end = () => {
    const { user, system } = process.cpuUsage()
    if (--left === 0) console.log((user + system) / 1000)
  }
  for (let count = left; count > 0; count--) new Worker(process.argv[1], { eval: true }).on('exit', end)
}`

interface Kind {
  readonly name: string
  /** A tenth above the ratio of a start without a mistake: one that takes a fifth longer exceeds it. */
  readonly most: number
  readonly samples: number
  /** The CPU time of a start; of several starts at the same time, the least. */
  measureMs(): Promise<number>
}

/** V8's own threads compile and collect garbage at times of their choice. */
const startedMs = (pid: number): number => cpuMicrosOf(pid, (name) => name !== 'V8Worker') / 1_000

/** `place` is the folder of the package, `program` its command. */
const kindsOf = (place: string, program: string): readonly Kind[] => [
  {
    name: 'a node',
    most: 3.2,
    samples: 7,
    async measureMs() {
      const node = await startNode(['--rpc-http-enabled'], undefined, program)
      const cpuMs = startedMs(node.pid)
      await node.stop()
      return cpuMs
    },
  },
  {
    name: 'the fastest of four validators',
    most: 3.7,
    samples: 3,
    measureMs: () =>
      withNetwork(program, (network) => {
        network.run('up', '--detach')
        return Math.min(...network.pids().map(startedMs))
      }),
  },
  {
    name: 'an embedded node',
    most: 0.82,
    samples: 5,
    async measureMs() {
      const entry = devTargetEntries(place).cairn!
      const { starts } = await runOnTarget({ target: 'cairn', entry, starts: EMBEDDED_STARTS })
      return Math.min(...starts.map(({ cpuMs }) => cpuMs))
    },
  },
]

/** If `slower` is not 0, each start takes so many percent longer, which must be noticed. */
export async function judgeStarts(place: string, program: string, slower: number): Promise<boolean> {
  const slow: boolean[] = []
  let count = 0
  const kinds = kindsOf(place, program)
  // Fills the compile cache for all three.
  await kinds[0]!.measureMs()
  for (const { name, most, samples, measureMs } of kinds) {
    let ratio = Number.POSITIVE_INFINITY
    for (let round = 0; round < MEASUREMENTS && ratio > most; round++) {
      const ratios: number[] = []
      for (let sample = 0; sample < samples; sample++) {
        const reference = referenceMs()
        ratios.push((await slowedDown(slower, measureMs)) / reference)
      }
      ratio = Math.min(ratio, percentile(ratios, 50))
      count += samples
    }
    console.log(`${name}: ${ratio.toFixed(2)} times the CPU of the reference, at most ${most}`)
    slow.push(ratio > most)
  }
  console.log(`${count} starts measured`)
  if (slower === 0) return !slow.includes(true)
  const isNoticed = !slow.includes(false)
  console.log(`${slower} % slower: ${isNoticed ? 'noticed' : 'NOT NOTICED'}`)
  return isNoticed
}

function referenceMs(): number {
  return Number(execFileSync(process.execPath, ['--eval', REFERENCE, REFERENCE], { encoding: 'utf8' }))
}

async function slowedDown(percent: number, measure: () => Promise<number>): Promise<number> {
  if (percent === 0) return await measure()
  const folder = mkdtempSync(join(tmpdir(), 'cairn-slow-'))
  const script = join(folder, 'slow-start.cjs')
  writeFileSync(script, slowStart(percent))
  process.env.NODE_OPTIONS = `--require=${script}`
  try {
    return await measure()
  } finally {
    delete process.env.NODE_OPTIONS
    rmSync(folder, { recursive: true })
  }
}
