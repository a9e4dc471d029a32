/**
 * Compares cairn's JSON-RPC rate with the maximum of node:http and ws. `npm run bench -- rpc --seconds 70`
 *
 * Servers: cairn without and with authentication, and with user limits that the load does not reach; and the bare server of
 * `echo-server.ts`, which answers the same bytes. Load: `web3_clientVersion` over 64 kept-alive connections, from another
 * process. Every round measures every scenario once, cairn and echo in turn, so other work on the machine affects both; the
 * figures are medians of the rounds. The server's CPU time per call is shown too: other programs affect it less than the
 * rate. The exit code is 1 if a goal is missed.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'
import { type RunningNode, startNode } from '../test/support/running-node.ts'
import { message } from './child-message.ts'
import type { EchoedAnswer } from './echo-server.ts'
import type { Job, Measurement } from './rpc-jobs.ts'

const CONNECTIONS = 64
const ROUNDS = 5
const WARM_UP_SECONDS = 1
const BATCH_SIZE = 100
/** The nice value of cairn's server threads; the echo server must have the same. */
const SERVER_NICE = 10

const CALL = '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion","params":[]}'
const BATCH = `[${Array.from({ length: BATCH_SIZE }, () => CALL).join(',')}]`
const JSON_HEADERS = { 'content-type': 'application/json' }
const CREDENTIALS = { username: 'bench', password: 'bench' }

interface Server {
  readonly pid: number
  readonly http: number
  readonly websocket: number
}

interface Scenario {
  readonly name: string
  readonly server: Server
  readonly kind: Job['kind']
  readonly body: string
  readonly callsPerAnswer?: number
  readonly needsToken?: boolean
  /** The scenario to compare with, and the minimum ratio of the rates. */
  readonly beside?: string
  readonly goal?: number
}

interface Figures {
  readonly perSecond: number
  readonly cpuMicros: number
  readonly generatorCores: number
}

const children: ChildProcess[] = []
const nodes: RunningNode[] = []
const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'))

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '70' } } })
  const { scenarios, answerBytes } = await startServers()
  const generator = fork(join(import.meta.dirname, 'load-generator.ts'))
  children.push(generator)
  const run = async (scenario: Scenario, seconds: number): Promise<Figures> => {
    const token = scenario.needsToken ? { authorization: `Bearer ${await login()}` } : {}
    const { pid, http, websocket } = scenario.server
    const port = scenario.kind === 'http' ? http : websocket
    const { kind, body } = scenario
    const headers = { ...JSON_HEADERS, ...token }
    return await measure(generator, scenario, {
      ...{ kind, body, pid, port, seconds, headers, answerBytes },
      connections: CONNECTIONS,
    })
  }
  for (const scenario of scenarios) await run(scenario, WARM_UP_SECONDS)
  const each = (Number(values.seconds) - scenarios.length * WARM_UP_SECONDS) / (ROUNDS * scenarios.length)
  const rounds: Map<string, Figures>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const figures = new Map<string, Figures>()
    for (const scenario of scenarios) figures.set(scenario.name, await run(scenario, each))
    rounds.push(figures)
  }
  process.exitCode = report(scenarios, rounds) ? 0 : 1
}

let loginPort = 0

async function startServers(): Promise<{ scenarios: Scenario[]; answerBytes: number }> {
  const open = await startCairn(['--rpc-ws-enabled', '--rpc-ws-max-active-connections=100'])
  const credentials = join(folder, 'credentials.toml')
  const users = `[Users.${CREDENTIALS.username}]\npassword = "${hashPassword(CREDENTIALS.password)}"\npermissions = ["*:*"]\n`
  writeFileSync(credentials, users)
  const guarded = await startCairn([
    '--rpc-http-authentication-enabled',
    `--rpc-http-authentication-credentials-file=${credentials}`,
  ])
  loginPort = guarded.http
  // The limits exceed the load: every call is charged to its caller, and none is refused.
  const limited = await startCairn(['--rpc-user-limits=requests=1000000000,engine-seconds=1000000'])
  const answer = await captureAnswer(open)
  const echo = await startEcho(answer)
  const scenarios: Scenario[] = [
    { name: 'HTTP, bare node:http', server: echo, kind: 'http', body: CALL },
    { name: 'HTTP', server: open, kind: 'http', body: CALL, beside: 'HTTP, bare node:http', goal: 0.6 },
    { name: 'HTTP, user limits', server: limited, kind: 'http', body: CALL, beside: 'HTTP' },
    { name: 'HTTP, token, bare node:http', server: echo, kind: 'http', body: CALL, needsToken: true },
    {
      ...{ name: 'HTTP, token', server: guarded, kind: 'http', body: CALL, needsToken: true },
      ...{ beside: 'HTTP, token, bare node:http', goal: 0.45 },
    },
    {
      ...{ name: `HTTP, batches of ${BATCH_SIZE}`, server: open, kind: 'http', body: BATCH },
      ...{ callsPerAnswer: BATCH_SIZE, beside: 'HTTP', goal: 3 },
    },
    { name: 'WebSocket, bare ws', server: echo, kind: 'websocket', body: CALL },
    { name: 'WebSocket', server: open, kind: 'websocket', body: CALL, beside: 'WebSocket, bare ws' },
  ]
  return { scenarios, answerBytes: Buffer.byteLength(answer.body) }
}

async function startCairn(args: readonly string[]): Promise<RunningNode> {
  const node = await startNode([
    ...['--rpc-http-enabled', '--rpc-http-max-active-connections=100', '--metrics-enabled'],
    ...args,
  ])
  nodes.push(node)
  return node
}

async function startEcho(answer: EchoedAnswer): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'echo-server.ts'), [JSON.stringify(answer)])
  children.push(child)
  setPriority(child.pid!, SERVER_NICE)
  const ports = await message<{ http: number; websocket: number }>(child)
  return { pid: child.pid!, ...ports }
}

/** The answer for the echo server, without the headers that node:http adds. */
async function captureAnswer({ http }: Server): Promise<EchoedAnswer> {
  const response = await fetch(`http://127.0.0.1:${http}/`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, 'accept-encoding': 'identity' },
    body: CALL,
  })
  const headers = [...response.headers].filter(([name]) => name !== 'connection' && name !== 'keep-alive')
  return { headers: headers.flat(), body: await response.text() }
}

/** Logs in before every measurement, because a token lives for five minutes. */
async function login(): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${loginPort}/login`, {
    method: 'POST',
    body: JSON.stringify(CREDENTIALS),
  })
  return ((await response.json()) as { token: string }).token
}

async function measure(
  generator: ChildProcess,
  { callsPerAnswer = 1 }: Scenario,
  job: Job,
): Promise<Figures> {
  generator.send(job)
  const { answers, seconds, serverCpuSeconds, ownCpuSeconds } = await message<Measurement>(generator)
  const calls = answers * callsPerAnswer
  return {
    perSecond: calls / seconds,
    cpuMicros: (serverCpuSeconds / calls) * 1e6,
    generatorCores: ownCpuSeconds / seconds,
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!
}

/** Returns true if every goal was met. */
function report(scenarios: readonly Scenario[], rounds: readonly ReadonlyMap<string, Figures>[]): boolean {
  const mid = (pick: (round: ReadonlyMap<string, Figures>) => number) => median(rounds.map(pick))
  const rows: string[][] = [
    ['', 'calls/s', 'CPU µs/call', 'ratio', 'ratio per CPU s', 'goal', '', 'generator'],
  ]
  let areMet = true
  for (const { name, beside, goal } of scenarios) {
    const own = (round: ReadonlyMap<string, Figures>) => round.get(name)!
    const other = (round: ReadonlyMap<string, Figures>) => round.get(beside ?? name)!
    const ratio = mid((round) => own(round).perSecond / other(round).perSecond)
    const cpuRatio = mid((round) => other(round).cpuMicros / own(round).cpuMicros)
    const isMet = goal === undefined || ratio >= goal
    areMet &&= isMet
    rows.push([
      name,
      mid((round) => own(round).perSecond).toFixed(0),
      mid((round) => own(round).cpuMicros).toFixed(1),
      beside === undefined ? '' : ratio.toFixed(2),
      beside === undefined ? '' : cpuRatio.toFixed(2),
      goal === undefined ? '' : `>= ${goal}`,
      goal === undefined ? '' : isMet ? 'met' : 'MISSED',
      `${mid((round) => own(round).generatorCores).toFixed(2)} cores`,
    ])
  }
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join('  '),
    )
  console.log(
    `Node ${process.version}, ${CONNECTIONS} connections, medians of ${ROUNDS} rounds; batches count calls.`,
  )
  return areMet
}

try {
  await main()
} finally {
  for (const child of children) child.kill()
  await Promise.all(nodes.map((node) => node.stop()))
  rmSync(folder, { recursive: true, force: true })
}
