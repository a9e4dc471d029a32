/**
 * The way of a block through a network, from the time in its header to the head of every validator, and the CPU that each
 * thread of a validator uses for a transaction. The validators' logs have the times; all processes share the machine's clock.
 */
import { percentile } from '../test/support/rpc-client.ts'
import { threadSecondsOf } from './cpu-seconds.ts'
import { Connection } from './keep-alive.ts'
import { BlockWatch, sendLoad } from './network-load.ts'
import type { Network, NetworkNode } from './network-nodes.ts'
import { signOne } from './pool-workload.ts'

interface Line {
  readonly time: string
  readonly msg: string
  readonly fields?: {
    readonly what?: string
    readonly kind?: string
    readonly height?: number
    readonly number?: number
    readonly round?: number
    readonly ms?: number
    readonly transactions?: number
  }
}

/** Moments of one block at one validator, in milliseconds of the wall clock. */
interface Moments {
  readonly at: Map<string, number>
  transactions: number
}

const HEAD = 'head'
/** In order. Only the proposer has the second and third, only the others the fourth and fifth. */
const STAGES = [
  ['due', 'built'],
  ['built', 'signed'],
  ['signed', 'received'],
  ['received', 'validated'],
  ['validated', 'prepared'],
  ['prepared', 'committed'],
  ['committed', 'durable'],
  ['durable', HEAD],
] as const
const LABELS: Readonly<Record<string, string>> = {
  built: 'proposer: build the block',
  signed: 'proposer: record and sign the proposal',
  received: 'transmit to a validator',
  validated: 'validate and execute',
  prepared: 'record, sign and exchange prepares',
  committed: 'record, sign and exchange commits',
  durable: 'import and sync to disk',
  [HEAD]: 'report the import to consensus',
}

export interface TimelinePlan {
  readonly perSecond: number
  readonly seconds: number
  /** Transactions sent before. */
  readonly from: number
}

export async function tellTimeline(network: Network, plan: TimelinePlan): Promise<void> {
  for (const node of network.validators) await logConsensus(node)
  const { perSecond, seconds, from } = plan
  const watch = await BlockWatch.open(network.nodes[0]!)
  const before = network.validators.map(({ pid }) => threadSecondsOf(pid))
  const transactions = Array.from({ length: perSecond * seconds }, (_, index) =>
    signOne('transfers', from + index),
  )
  const beganMs = Date.now()
  const { sent } = await sendLoad(network.nodes, transactions, perSecond)
  await watch.untilIncluded(sent.keys())
  watch.close()
  const after = network.validators.map(({ pid }) => threadSecondsOf(pid))
  const dueOf = new Map(watch.blocks.map(({ number, dueMs }) => [number, dueMs + performance.timeOrigin]))
  const known = network.validators.map((node) => momentsOf(node, dueOf, beganMs))
  printTimeline(known)
  printThreads(before, after, sent.size)
}

async function logConsensus({ http }: NetworkNode): Promise<void> {
  const connection = await Connection.open(http)
  await connection.ask('admin_changeLogLevel', 'DEBUG', ['consensus'])
  connection.close()
}

/** Blocks with transactions that were agreed in round 0, by height. */
function momentsOf(
  node: NetworkNode,
  dueOf: ReadonlyMap<number, number>,
  beganMs: number,
): ReadonlyMap<number, Moments> {
  const blocks = new Map<number, Moments>()
  for (const { time, msg, fields = {} } of linesOf(node)) {
    const atMs = Date.parse(time)
    const height = fields.height ?? fields.number
    const due = height === undefined ? undefined : dueOf.get(height)
    if (height === undefined || due === undefined || atMs < beganMs || (fields.round ?? 0) > 0) continue
    const block = blocks.get(height) ?? { at: new Map([['due', due]]), transactions: 0 }
    blocks.set(height, block)
    for (const [name, ms] of momentsIn(msg, fields, atMs)) block.at.set(name, ms)
    block.transactions = Math.max(block.transactions, fields.transactions ?? 0)
  }
  return new Map([...blocks].filter(([, { transactions, at }]) => transactions > 0 && at.has(HEAD)))
}

function* momentsIn(
  message: string,
  { what, kind, ms = 0 }: NonNullable<Line['fields']>,
  atMs: number,
): Generator<readonly [string, number]> {
  if (message === 'Prepared proposal') yield ['prepared', atMs]
  else if (message === 'Reached commit quorum') yield ['committed', atMs]
  else if (message === 'Imported block') yield ['durable', atMs]
  else if (message !== 'Finished consensus work') return
  else if (what === 'build') yield ['built', atMs]
  else if (what === 'sign' && kind === 'proposal') yield ['signed', atMs]
  else if (what === 'import') yield [HEAD, atMs]
  else if (what === 'validate') {
    yield ['received', atMs - ms]
    yield ['validated', atMs]
  }
}

function* linesOf(node: NetworkNode): Generator<Line> {
  // The last line may be incomplete.
  for (const line of node.output().split('\n').slice(0, -1))
    if (line.startsWith('{')) yield JSON.parse(line) as Line
}

function printTimeline(known: readonly ReadonlyMap<number, Moments>[]): void {
  const heights = [...known[0]!.keys()].filter((height) => known.every((blocks) => blocks.has(height)))
  console.log(`  ${heights.length} blocks with transactions; milliseconds, p50 and p99 of all validators:`)
  const rows = STAGES.map(([from, to]) => {
    const lasted = heights.flatMap((height) => {
      const all = known.map((blocks) => blocks.get(height)!.at)
      const proposer = all.find((each) => each.has('signed'))
      return all.flatMap((each) => {
        // The proposer's signature begins the transmission to each of the others.
        const start = to === 'received' ? proposer?.get(from) : each.get(from)
        const end = each.get(to)
        return start === undefined || end === undefined ? [] : [end - start]
      })
    })
    return [LABELS[to]!, lasted] as const
  })
  const heads = heights.map((height) => known.map((blocks) => blocks.get(height)!.at))
  const sinceDue = (at: ReadonlyMap<string, number>): number => at.get(HEAD)! - at.get('due')!
  rows.push(['due to head, on the first validator', heads.map((all) => Math.min(...all.map(sinceDue)))])
  rows.push(['due to head, on the last validator', heads.map((all) => Math.max(...all.map(sinceDue)))])
  for (const [label, lasted] of rows) {
    const [p50, p99] = [50, 99].map((each) => percentile(lasted, each).toFixed(0).padStart(6))
    console.log(`    ${label.padEnd(40)}${p50}${p99}`)
  }
}

/** Threads below this are left out. */
const LEAST_US = 5

/** Prints the mean CPU of a validator for each transaction, by thread. */
export function printThreads(
  before: readonly ReadonlyMap<string, number>[],
  after: readonly ReadonlyMap<string, number>[],
  transactions: number,
): void {
  const names = new Set(after.flatMap((each) => [...each.keys()]))
  const costs = [...names].map((name) => {
    const seconds = after.map((each, at) => (each.get(name) ?? 0) - (before[at]!.get(name) ?? 0))
    const mean = seconds.reduce((sum, each) => sum + each, 0) / seconds.length
    return [name, (mean * 1e6) / transactions] as const
  })
  const shown = costs.filter(([, us]) => us >= LEAST_US).sort((a, b) => b[1] - a[1])
  const total = costs.reduce((sum, [, us]) => sum + us, 0)
  console.log(`  CPU of a validator for each transaction: ${total.toFixed(0)} µs`)
  console.log(`    ${shown.map(([name, us]) => `${name} ${us.toFixed(0)}`).join(', ')}`)
}
