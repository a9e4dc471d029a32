/**
 * CPU time per transaction in a network: on the node that accepts it from a client, on the proposer, on the other
 * validators and on a follower. A node's CPU time counts for the role that it has between the announcements of two
 * blocks.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { threadSecondsOf } from './cpu-seconds.ts'
import { BlockWatch, type SeenBlock, sendLoad } from './network-load.ts'
import { type NetworkNode, startNetwork } from './network-nodes.ts'
import { type Span, stageShares } from './pool-stages.ts'
import { signOne } from './pool-workload.ts'

const WARM = 1_000
const IDLE_MS = 5_000
const LOOK_MS = 200
/** The profiler's own threads. */
const PROFILER = /^v8:Prof/

type Role = 'takes from clients' | 'proposes' | 'validates' | 'follows'

interface Look {
  readonly atMs: number
  readonly seconds: readonly number[]
}

export interface StagesPlan {
  readonly validators: number
  readonly perSecond: number
  readonly seconds: number
}

export async function tellStages({ validators, perSecond, seconds }: StagesPlan): Promise<void> {
  console.log(
    `\nCPU for each transfer at ${perSecond} per second, all sent to a node that is not a validator`,
  )
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-network-'))
  const profiles = (index: number): string => join(folder, String(index))
  const network = await startNetwork({ validators, observers: 2, periodMs: 1_000, profiles })
  const { nodes } = network
  try {
    for (const index of nodes.keys()) mkdirSync(profiles(index), { recursive: true })
    const [entry, follower] = nodes.slice(validators) as [NetworkNode, NetworkNode]
    const watch = await BlockWatch.open(follower)
    const sign = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => signOne('transfers', from + index))
    const warm = await sendLoad([entry], sign(0, WARM), perSecond)
    await watch.untilIncluded(warm.sent.keys())
    const before = nodes.map(ownSeconds)
    await pause(IDLE_MS)
    const idle = nodes.map((node, at) => (ownSeconds(node) - before[at]!) / (IDLE_MS / 1_000))
    const looks: Look[] = []
    const look = (): void => void looks.push({ atMs: performance.now(), seconds: nodes.map(ownSeconds) })
    const threadsBefore = nodes.map(({ pid }) => threadSecondsOf(pid))
    const timer = setInterval(look, LOOK_MS)
    const from = watch.blocks.length
    const { sent } = await sendLoad([entry], sign(WARM, perSecond * seconds), perSecond)
    await watch.untilIncluded(sent.keys())
    clearInterval(timer)
    look()
    const threads = nodes.map(({ pid }) => threadSecondsOf(pid))
    watch.close()
    await Promise.all(nodes.map((node) => node.stop()))
    const blocks = watch.blocks.slice(from - 1)
    const count = sent.size
    const roles = sortByRole(nodes, blocks, entry, looks)
    for (const [role, { spans, cpuSeconds, transactions }] of roles) {
      const eachUs = (cpuSeconds * 1e6) / transactions
      console.log(`  ${role}: ${eachUs.toFixed(0)} µs`)
      printStages(spans, profiles, eachUs)
    }
    console.log('  idle, in thousandths of a core:')
    console.log(
      `    ${idle.map((each, at) => `${nameOf(nodes, at)} ${(each * 1_000).toFixed(0)}`).join(', ')}`,
    )
    console.log('  threads, µs for each transfer, all roles of a node together:')
    for (const at of [0, validators, validators + 1]) {
      const costs = [...threads[at]!]
        .map(([name, now]) => [name, ((now - (threadsBefore[at]!.get(name) ?? 0)) * 1e6) / count] as const)
        .filter(([name, us]) => us >= 5 && !PROFILER.test(name))
        .sort((a, b) => b[1] - a[1])
      const shown = costs.map(([name, us]) => `${name} ${us.toFixed(0)}`)
      console.log(`    ${nameOf(nodes, at)}: ${shown.join(', ')}`)
    }
  } finally {
    await network.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function ownSeconds({ pid }: NetworkNode): number {
  let seconds = 0
  for (const [name, each] of threadSecondsOf(pid)) if (!PROFILER.test(name)) seconds += each
  return seconds
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

function nameOf(nodes: readonly NetworkNode[], at: number): string {
  if (nodes[at]!.validator !== undefined) return `validator ${at}`
  return at === nodes.length - 1 ? 'follower' : 'entry'
}

interface RoleCosts {
  readonly spans: Map<number, Span[]>
  cpuSeconds: number
  transactions: number
}

function sortByRole(
  nodes: readonly NetworkNode[],
  blocks: readonly SeenBlock[],
  entry: NetworkNode,
  looks: readonly Look[],
): ReadonlyMap<Role, RoleCosts> {
  const roles = new Map<Role, RoleCosts>()
  for (const [index, block] of blocks.slice(1).entries()) {
    const fromMs = blocks[index]!.atMs
    if (fromMs < looks[0]!.atMs || block.transactions.length === 0) continue
    for (const [at, node] of nodes.entries()) {
      const role = roleOf(node, block, entry)
      if (!roles.has(role)) roles.set(role, { spans: new Map(), cpuSeconds: 0, transactions: 0 })
      const costs = roles.get(role)!
      costs.cpuSeconds += secondsAt(looks, block.atMs, at) - secondsAt(looks, fromMs, at)
      costs.transactions += block.transactions.length
      const spans = costs.spans.get(at) ?? []
      spans.push({ from: fromMs * 1_000 + ORIGIN_US, to: block.atMs * 1_000 + ORIGIN_US })
      costs.spans.set(at, spans)
    }
  }
  return roles
}

/** Profiles use the machine's monotonic clock, in microseconds. */
const ORIGIN_US = Number(process.hrtime.bigint() / 1_000n) - performance.now() * 1_000

function roleOf(node: NetworkNode, { miner }: SeenBlock, entry: NetworkNode): Role {
  if (node === entry) return 'takes from clients'
  if (node.validator === undefined) return 'follows'
  return String(node.validator).toLowerCase() === miner.toLowerCase() ? 'proposes' : 'validates'
}

/** Assumes even growth between two samples. */
function secondsAt(looks: readonly Look[], atMs: number, node: number): number {
  const after = looks.findIndex((look) => look.atMs >= atMs)
  if (after <= 0) return looks.at(after)!.seconds[node]!
  const [one, other] = [looks[after - 1]!, looks[after]!]
  const part = (atMs - one.atMs) / (other.atMs - one.atMs)
  return one.seconds[node]! + part * (other.seconds[node]! - one.seconds[node]!)
}

function printStages(
  spans: ReadonlyMap<number, readonly Span[]>,
  profiles: (index: number) => string,
  eachUs: number,
): void {
  const shares = new Map<string, number>()
  for (const [at, own] of spans) {
    for (const [stage, share] of stageShares(profiles(at), ...own)) {
      shares.set(stage, (shares.get(stage) ?? 0) + share / spans.size)
    }
  }
  const costs = [...shares].map(([stage, share]) => [stage, share * eachUs] as const)
  const shown = costs.filter(([, us]) => us >= 1).sort((a, b) => b[1] - a[1])
  console.log(`    ${shown.map(([stage, us]) => `${stage} ${us.toFixed(0)}`).join(', ')}`)
}
