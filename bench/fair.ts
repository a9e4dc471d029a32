/*
 * Measures how much one user notices while another floods the node. Two users have tokens. The quiet user sends reads, calls
 * and estimates one by one at a steady pace. The flooding user sends traces, heavy calls and batches over connections that
 * never wait. Quiet and flooded phases alternate, so other work on the machine affects both; the latencies of all quiet
 * phases are compared with the latencies of all flooded ones.
 *
 *   npm run bench -- fair                                12 phases of 10 s; p99 at most twice the quiet p99
 *   npm run bench -- fair --phases 4 --seconds 3 --percentile 90
 *   npm run bench -- fair --gross 10                     on a busy machine, judges only a tenfold increase
 *   npm run bench -- fair --limits none                  runs without limits and judges nothing
 *
 * A phase with slow answers ends after three times its length. It then counts the answers so far and the one pending
 * request, and prints how many requests were due.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'
import { watchMachine } from '../test/support/busy-machine.ts'
import { percentile } from '../test/support/rpc-client.ts'
import { type RunningNode, startNode } from '../test/support/running-node.ts'
import type { FloodCounts, FloodOrder } from './fair-flood.ts'
import { Connection, untilMs } from './keep-alive.ts'

const { values } = parseArgs({
  options: {
    phases: { type: 'string', default: '12' },
    /** The length of each phase. */
    seconds: { type: 'string', default: '10' },
    /** The burst that the limits allow at the start of a flood is more than a hundredth of a short run. */
    percentile: { type: 'string', default: '99' },
    /** The maximum ratio of the flooded percentile to the quiet one. */
    most: { type: 'string', default: '2' },
    /** The maximum ratio on a busy machine, where the other limit says more about other programs than about the node. */
    gross: { type: 'string' },
    limits: {
      type: 'string',
      default: 'requests=3000,engine-seconds=3,quiet:requests=0,quiet:engine-seconds=0',
    },
  },
})

const SECONDS = Number(values.seconds)
/** Requests per second of the quiet user. */
const PACE = 100
const DUE = PACE * SECONDS
const FLOOD_LEAD_MS = 1_000
const PHASE_MAX_MS = 3 * SECONDS * 1_000
/** An account of the development network. */
const RICH = '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73'
const USERS = ['quiet', 'flood'] as const

const folder = mkdtempSync(join(tmpdir(), 'cairn-fair-'))

async function start(): Promise<RunningNode> {
  const credentials = join(folder, 'credentials.toml')
  const rows = USERS.map(
    (user) => `[Users.${user}]\npassword = "${hashPassword(user)}"\npermissions = ["*:*"]\n`,
  )
  writeFileSync(credentials, rows.join(''))
  return await startNode([
    ...['--network=dev', '--rpc-http-enabled', '--rpc-http-api=ETH,NET,WEB3,TRACE,DEBUG'],
    ...['--rpc-http-authentication-enabled', `--rpc-http-authentication-credentials-file=${credentials}`],
    '--rpc-threads=1',
    '--rpc-engine-threads=2',
    ...(values.limits === 'none' ? [] : [`--rpc-user-limits=${values.limits}`]),
  ])
}

/** Reads, a small call, and one that needs an engine thread. */
const QUIET_CALLS: readonly (readonly [method: string, ...params: unknown[]])[] = [
  ['eth_blockNumber'],
  ['eth_getBalance', RICH, 'latest'],
  ['eth_getBlockByNumber', 'latest', true],
  ['eth_call', { to: RICH, data: '0x70a08231' }, 'latest'],
  ['eth_estimateGas', { from: RICH, to: RICH, value: '0x1' }],
]

interface Phase {
  readonly latencies: readonly number[]
  /** Refused requests of the quiet user. */
  readonly refused: number
  readonly flood: FloodCounts | undefined
}

async function phase(port: number, isFlooded: boolean): Promise<Phase> {
  // Opened before the flood, because login and connection are not measured.
  const connection = await Connection.open(port, `authorization: Bearer ${await login(port, 'quiet')}\r\n`)
  const flood = isFlooded ? startFlood({ port, token: await login(port, 'flood') }) : undefined
  // The flood uses up its burst first, because a flood lasts longer than that.
  if (flood) await untilMs(performance.now() + FLOOD_LEAD_MS)
  const latencies: number[] = []
  let refused = 0
  const beganMs = performance.now()
  for (let index = 0; index < DUE && performance.now() < beganMs + PHASE_MAX_MS; index++) {
    await untilMs(beganMs + (index * 1_000) / PACE)
    const sentMs = performance.now()
    const [method, ...params] = QUIET_CALLS[index % QUIET_CALLS.length]!
    const asked = connection.ask(method, ...params).catch(() => {
      refused++
    })
    await Promise.race([asked, untilMs(beganMs + PHASE_MAX_MS)])
    latencies.push(performance.now() - sentMs)
  }
  connection.close()
  return { latencies, refused, flood: await flood?.stop() }
}

/** Runs on its own thread, so its cost to the client is not attributed to the node. */
function startFlood(order: FloodOrder): { stop(): Promise<FloodCounts> } {
  const worker = new Worker(new URL('./fair-flood.ts', import.meta.url), { workerData: order })
  const failed = new Promise<never>((_, reject) => worker.once('error', reject))
  failed.catch(() => undefined)
  return {
    stop: async () => {
      const counts = new Promise<FloodCounts>((resolve) => worker.once('message', resolve))
      worker.postMessage('stop')
      const result = await Promise.race([counts, failed])
      await worker.terminate()
      return result
    },
  }
}

async function login(port: number, user: string): Promise<string> {
  const body = JSON.stringify({ username: user, password: user })
  const response = await fetch(`http://127.0.0.1:${port}/login`, { method: 'POST', body })
  return ((await response.json()) as { token: string }).token
}

async function main(): Promise<boolean> {
  const node = await start()
  const all = { quiet: [] as number[], flooded: [] as number[] }
  let answered = 0
  let refused = 0
  let failures = 0
  const machine = watchMachine(node.pid)
  let isBusy = false
  try {
    await phase(node.http, false)
    for (let index = 0; index < Number(values.phases); index++) {
      const isFlooded = index % 2 === 1
      const { latencies, refused: quietRefused, flood } = await phase(node.http, isFlooded)
      all[isFlooded ? 'flooded' : 'quiet'].push(...latencies)
      answered += flood?.answered ?? 0
      refused += flood?.refused ?? 0
      failures += quietRefused
      const word = isFlooded ? 'flooded' : 'quiet  '
      const due = latencies.length < DUE ? ` (${DUE} were due)` : ''
      const failed = quietRefused > 0 ? `, ${quietRefused} not answered with a result` : ''
      console.log(
        `${word} ${shown(latencies)}${due}${failed}${flood ? `; the flood: ${flood.answered} answered, ${flood.refused} refused` : ''}`,
      )
    }
    isBusy = machine.isBusy({ diagnostic: console.log })
  } finally {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(`all quiet   ${shown(all.quiet)}`)
  console.log(`all flooded ${shown(all.flooded)}`)
  const judged = Number(values.percentile)
  const ratio = percentile(all.flooded, judged) / percentile(all.quiet, judged)
  console.log(
    `${all.flooded.length} requests during a flood of which ${answered} were answered and ${refused} refused`,
  )
  const isJudged = values.limits !== 'none'
  const most = isBusy && values.gross !== undefined ? values.gross : values.most
  console.log(
    `p${judged} flooded / quiet: ${ratio.toFixed(2)} (${isJudged ? `at most ${most}` : 'without limits'}); ${failures} requests of the quiet user not answered with a result`,
  )
  return !isJudged || (ratio <= Number(most) && failures === 0)
}

function shown(latencies: readonly number[]): string {
  const [p50, p90, p99] = [50, 90, 99].map((each) => percentile(latencies, each).toFixed(2))
  return `p50 ${p50} ms, p90 ${p90} ms, p99 ${p99} ms of ${latencies.length}`
}

if (!(await main())) process.exitCode = 1
