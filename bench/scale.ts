/*
 * Measures how costs grow with a network, for docs/internals/scale.md: CPU time, bytes and messages, which a busy machine
 * does not change much, but no wall times.
 *
 *   npm run bench -- scale                                         all pieces
 *   npm run bench -- scale --pieces validators --sizes 4,7,10,13 --period 6   real validators, empty blocks
 *   npm run bench -- scale --pieces simulator --simulated 25,50,100
 *   npm run bench -- scale --pieces messages                       CPU to verify a consensus message
 *   npm run bench -- scale --pieces followers --followers 1,2,4,8  one validator with transfers
 *   npm run bench -- scale --pieces store --transactions 12800
 *   npm run bench -- scale --pieces segments --transactions 102400   steady state, database and segments
 *   npm run bench -- scale --pieces logs --log-blocks 1000000,10000000   rare logs, some minutes
 */
import { parseArgs } from 'node:util'
import { loadCrypto } from '#evm/crypto.ts'
import { calmScenario } from '../test/simulation/scenario.ts'
import { simulate } from '../test/simulation/simulation.ts'
import { Random } from '../test/support/random.ts'
import { cpuSecondsOf } from './cpu-seconds.ts'
import { Connection } from './keep-alive.ts'
import { sendLoad } from './network-load.ts'
import { type Network, type NetworkNode, startNetwork } from './network-nodes.ts'
import { signOne } from './pool-workload.ts'
import { tellLogCosts } from './scale-logs.ts'
import { tellMessageCosts } from './scale-messages.ts'
import { tellSegments } from './scale-segments.ts'
import { tellStoreGrowth } from './scale-store.ts'

const { values } = parseArgs({
  options: {
    pieces: { type: 'string', default: 'validators,simulator,messages,followers,store,segments,logs' },
    sizes: { type: 'string', default: '4,7,10,13' },
    simulated: { type: 'string', default: '4,13,25,50,100' },
    followers: { type: 'string', default: '1,2,4,8' },
    blocks: { type: 'string', default: '20' },
    period: { type: 'string', default: '3' },
    heights: { type: 'string', default: '5' },
    transactions: { type: 'string', default: '25600' },
    'log-blocks': { type: 'string', default: '1000000' },
    /** A segment of a thousand blocks has enough contents for a dictionary. */
    'segment-blocks': { type: 'string', default: '1024' },
  },
})

/** A round change would add to the figures, so many validators on a busy machine need a longer period. */
const PERIOD_MS = Number(values.period) * 1_000
/** Blocks after which validators know which relays the others do not need. */
const WARM_BLOCKS = 8
const FOLLOWED_PERIOD_MS = 1_000
const TRANSFERS_PER_SECOND = 50
/** The network whose messages are verified. */
const MESSAGE_VALIDATORS = 100
const numbers = (text: string): number[] => text.split(',').map(Number)

interface Traffic {
  readonly bytes: number
  readonly messages: number
}

/** Messages and bytes that a node has sent to its current peers. */
async function sentBy(node: NetworkNode): Promise<Traffic> {
  const connection = await Connection.open(node.http)
  const peers = await connection.ask<{ bytesOut: number; messagesOut: number }[]>('admin_peers')
  connection.close()
  return {
    bytes: peers.reduce((sum, { bytesOut }) => sum + bytesOut, 0),
    messages: peers.reduce((sum, { messagesOut }) => sum + messagesOut, 0),
  }
}

interface Costs extends Traffic {
  readonly height: number
  readonly cpuSeconds: number
}

async function look(nodes: readonly NetworkNode[]): Promise<Costs> {
  const traffic = await Promise.all(nodes.map(sentBy))
  const connection = await Connection.open(nodes[0]!.http)
  const height = Number(await connection.ask('eth_blockNumber'))
  connection.close()
  return {
    height,
    cpuSeconds: nodes.reduce((sum, { pid }) => sum + cpuSecondsOf(pid), 0),
    bytes: traffic.reduce((sum, each) => sum + each.bytes, 0),
    messages: traffic.reduce((sum, each) => sum + each.messages, 0),
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

/** Figures per block, of all `nodes` together, while `work` runs. */
async function perBlock(nodes: readonly NetworkNode[], work: () => Promise<unknown>): Promise<Costs> {
  const before = await look(nodes)
  await work()
  const after = await look(nodes)
  const blocks = after.height - before.height
  return {
    height: blocks,
    cpuSeconds: (after.cpuSeconds - before.cpuSeconds) / blocks,
    bytes: (after.bytes - before.bytes) / blocks,
    messages: (after.messages - before.messages) / blocks,
  }
}

/** Figures of one validator per block in a network of this size. */
interface Row extends Traffic {
  readonly size: number
}

/** Prints how messages and bytes grow with the number of validators: 1 is in proportion, 2 with the square. */
function printExponents(rows: readonly Row[]): void {
  if (rows.length < 2) return
  const sizes = rows.map(({ size }) => size)
  const messages = exponentOf(
    sizes,
    rows.map((row) => row.messages),
  ).toFixed(2)
  const bytes = exponentOf(
    sizes,
    rows.map((row) => row.bytes),
  ).toFixed(2)
  console.log(
    `\nExponents of one validator's figures over ${sizes.join(', ')} validators: messages ${messages}, bytes ${bytes}`,
  )
}

/** The slope of the least-squares line through the logarithms. */
function exponentOf(sizes: readonly number[], figures: readonly number[]): number {
  const mean = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0) / all.length
  const [x, y] = [sizes.map(Math.log), figures.map(Math.log)]
  const [meanX, meanY] = [mean(x), mean(y)]
  const covariance = mean(x.map((each, at) => (each - meanX) * (y[at]! - meanY)))
  return covariance / mean(x.map((each) => (each - meanX) ** 2))
}

async function withNetwork<Result>(
  plan: Parameters<typeof startNetwork>[0],
  use: (network: Network) => Promise<Result>,
): Promise<Result> {
  const network = await startNetwork(plan)
  try {
    return await use(network)
  } finally {
    await network.stop()
  }
}

async function validators(): Promise<void> {
  console.log('\nReal validators, empty blocks, fully connected; per block')
  console.log(
    '| Validators | Messages, all | Messages of one | Bytes of one | CPU of one, ms | Later rounds |',
  )
  console.log('|---|---|---|---|---|---|')
  const rows: Row[] = []
  for (const size of numbers(values.sizes)) {
    await withNetwork({ validators: size, periodMs: PERIOD_MS }, async (network) => {
      await pause(WARM_BLOCKS * PERIOD_MS)
      const before = network.laterRounds()
      const costs = await perBlock(network.nodes, () => pause(Number(values.blocks) * PERIOD_MS))
      const row = [
        size,
        costs.messages.toFixed(0),
        (costs.messages / size).toFixed(0),
        (costs.bytes / size).toFixed(0),
        ((costs.cpuSeconds / size) * 1_000).toFixed(0),
        network.laterRounds() - before,
      ]
      console.log(`| ${row.join(' | ')} |`)
      rows.push({ size, messages: costs.messages / size, bytes: costs.bytes / size })
    })
  }
  printExponents(rows)
}

async function simulator(): Promise<void> {
  console.log(
    '\nSimulated QBFT validators, signed, encoded and relayed as by nodes, without frames; per block',
  )
  console.log('| Validators | Messages, all | Messages of one | Bytes of one | CPU of one, ms |')
  console.log('|---|---|---|---|---|')
  const crypto = await loadCrypto()
  const heights = Number(values.heights)
  const rows: Row[] = []
  for (const size of numbers(values.simulated)) {
    const scenario = { ...calmScenario(size, heights, 'qbft'), isWireSimulated: true }
    let before = process.cpuUsage()
    const outcome = await simulate(scenario, new Random(1, 0), crypto, undefined, () => {
      before = process.cpuUsage()
    })
    const { user, system } = process.cpuUsage(before)
    if (outcome.violations.length > 0) throw new Error(outcome.violations.join(', '))
    const each = (total: number): number => total / outcome.heights
    const row = [
      size,
      each(outcome.messages).toFixed(0),
      (each(outcome.messages) / size).toFixed(0),
      (each(outcome.bytes) / size).toFixed(0),
      (each(user + system) / 1_000 / size).toFixed(1),
    ]
    console.log(`| ${row.join(' | ')} |`)
    rows.push({ size, messages: each(outcome.messages) / size, bytes: each(outcome.bytes) / size })
  }
  printExponents(rows)
}

async function followers(): Promise<void> {
  console.log(
    `\nOne validator and followers, ${TRANSFERS_PER_SECOND} transfers per second sent to the validator; per block`,
  )
  console.log('| Followers | Bytes of the validator | CPU of the validator, ms | CPU of a follower, ms |')
  console.log('|---|---|---|---|')
  for (const count of numbers(values.followers)) {
    const plan = { validators: 1, observers: count, periodMs: FOLLOWED_PERIOD_MS }
    await withNetwork(plan, async ({ nodes }) => {
      const [validator, ...rest] = nodes as [NetworkNode, ...NetworkNode[]]
      const seconds = (Number(values.blocks) * FOLLOWED_PERIOD_MS) / 1_000
      const transactions = Array.from({ length: TRANSFERS_PER_SECOND * seconds }, (_, index) =>
        signOne('transfers', index),
      )
      const cpuOf = (): number => rest.reduce((sum, { pid }) => sum + cpuSecondsOf(pid), 0)
      const cpuBefore = cpuOf()
      const own = await perBlock([validator], () => sendLoad([validator], transactions, TRANSFERS_PER_SECOND))
      const followerMs = ((cpuOf() - cpuBefore) * 1_000) / own.height / count
      const row = [count, own.bytes.toFixed(0), (own.cpuSeconds * 1_000).toFixed(0), followerMs.toFixed(0)]
      console.log(`| ${row.join(' | ')} |`)
    })
  }
}

const PIECES: Readonly<Record<string, () => Promise<void>>> = {
  validators,
  simulator,
  messages: async () => tellMessageCosts(MESSAGE_VALIDATORS, await loadCrypto()),
  followers,
  store: () => tellStoreGrowth(Number(values.transactions)),
  segments: () => tellSegments(Number(values.transactions), numbers(values['segment-blocks'])),
  logs: () => tellLogCosts(numbers(values['log-blocks'])),
}

for (const name of values.pieces.split(',')) {
  const piece = PIECES[name]
  if (piece === undefined)
    throw new Error(`--pieces: unknown piece "${name}"; use ${Object.keys(PIECES).join(', ')}.`)
  await piece()
}
