/**
 * npm run mutate-blocks [-- --seed 7 --sites 10 --cases 60 --only 'qbft osaka']: sets every header and body field of honest
 * blocks of every fork to every hostile value, repairs roots and seals as an attacker would, and submits the result on every
 * path into a node. All paths must give the same verdict, which must be the verdict of the oracle, within 100 ms of CPU time,
 * and nothing that is stored may have a second encoding. Without --sites and --cases it runs completely.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { Random } from '../../support/random.ts'
import { FIELDS, MUTATIONS, SITES } from './catalogue.ts'
import { MAX_MS } from './judge.ts'
import type { Report, Task } from './mutate-blocks-thread.ts'
import { NETWORKS } from './networks.ts'
import { PATHS } from './paths.ts'

const { values: flags } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    /** Blocks drawn by the seed; all if omitted. */
    sites: { type: 'string' },
    /** Mutations per block drawn by the seed; all if omitted. */
    cases: { type: 'string' },
    /** A part of the names of blocks. */
    only: { type: 'string', default: '' },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
})

/** A case that takes longer is ended and counts as a problem. */
const HANG_MS = 60_000
const MAX_SHOWN = 60
const seed = Number(flags.seed)
const total = { submissions: 0, cases: 0, accepted: 0, problems: 0, slowestMs: 0 }

const tasks = drawTasks()
console.log(
  `seed ${seed}: ${FIELDS} fields, ${MUTATIONS.length} values, ${PATHS.length} paths, ${tasks.length} blocks of ${NETWORKS.length} networks`,
)
const queue = [...tasks]
await Promise.all(Array.from({ length: Number(flags.threads) }, drain))
console.log(
  `block mutator: ${total.submissions} submissions of ${total.cases} blocks, ${total.accepted} accepted, slowest ${Math.round(total.slowestMs)} of ${MAX_MS} ms, ${total.problems} disagreements`,
)
process.exitCode = total.problems === 0 && total.cases > 0 ? 0 : 1

function drawTasks(): Task[] {
  const random = new Random(seed, 0)
  const named = [...SITES.keys()].filter((at) => {
    const { network, filling } = SITES[at]!
    return `${network.name} ${filling}`.includes(flags.only)
  })
  const all = [...MUTATIONS.keys()].flatMap((mutation) =>
    (['as it is', 'repaired'] as const).map((variant) => ({ mutation, variant })),
  )
  return draw(random, named, flags.sites).map((site) => ({ site, cases: draw(random, all, flags.cases) }))
}

function draw<Each>(random: Random, all: readonly Each[], count: string | undefined): Each[] {
  const left = [...all]
  if (count === undefined) return left
  const drawn: Each[] = []
  while (drawn.length < Number(count) && left.length > 0) {
    drawn.push(...left.splice(random.below(left.length), 1))
  }
  return drawn
}

async function drain(): Promise<void> {
  for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
    for (let rest: Task | undefined = task; rest !== undefined; ) rest = await run(rest)
  }
}

/** Resolves to the cases after one that hung. */
function run(task: Task): Promise<Task | undefined> {
  const worker = new Worker(join(import.meta.dirname, 'mutate-blocks-thread.ts'), { workerData: task })
  return new Promise((resolve, reject) => {
    let current = { name: 'the start', at: -1 }
    let timer = setTimeout(hung, HANG_MS)
    function hung(): void {
      complain(current.name, `it was not judged within ${HANG_MS} ms`)
      void worker.terminate()
      resolve({ ...task, cases: task.cases.slice(current.at + 1) })
    }
    worker.on('message', (report: Report) => {
      clearTimeout(timer)
      timer = setTimeout(hung, HANG_MS)
      if (report.type === 'begin') current = report
      else if (report.type === 'problem') complain(report.name, report.sentence)
      else if (report.type === 'judged') count(report)
      else {
        clearTimeout(timer)
        resolve(undefined)
      }
    })
    worker.on('error', reject)
  })
}

function count({ submissions, isAccepted, slowestMs }: Report & { type: 'judged' }): void {
  total.cases += 1
  total.submissions += submissions
  total.accepted += isAccepted ? 1 : 0
  total.slowestMs = Math.max(total.slowestMs, slowestMs)
}

function complain(name: string, sentence: string): void {
  if (++total.problems <= MAX_SHOWN) console.log(`${name}: ${sentence}`)
}
