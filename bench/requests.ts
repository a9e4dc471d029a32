/**
 * The cost of a request: the ten most frequent methods, a batch and WebSocket next to a bare node:http or ws echo of the
 * same bytes, and next to anvil if it is installed.
 *
 *   npm run bench -- requests [--calls eth_call,eth_getBalance] [--rounds 5]
 *   npm run bench -- requests --brief                three methods, judged by BRIEF_LEAST; a stage of the gate
 *   npm run bench -- requests --brief --slower 15    shows that the judgement notices a node that is so much slower
 *   npm run bench -- requests --other ../before      next to the node of another checkout, to judge a change
 *   npm run bench -- requests --stages               Cairn's CPU time by stage of a request, in microseconds per call
 *
 * All servers are warmed up and then measured in turn, in rounds of one short slice each. The ratios compare CPU time per
 * call, and in brackets the rate of one server thread. Each is the median of the rounds whose echo took no more than
 * usual: a neighbour that disturbs the echo disturbs the others too.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createTemporaryDirectory } from '#platform/files/temporary-directory.ts'
import { watchMachineOf } from '../test/support/busy-machine.ts'
import { message } from './child-message.ts'
import { cpuMicrosOf, cpuSecondsOf } from './cpu-seconds.ts'
import { type Span, type Stages, sharesOf } from './pool-stages.ts'
import { requestOf } from './read-calls.ts'
import { makeReadChain, type ReadChain } from './read-chain.ts'
import { SLOWER_PERCENT } from './read-jobs.ts'
import { capture, type NodeServer, startAnvil, startEcho, startNode, stopNode } from './read-servers.ts'
import { type RequestCall, requestCalls } from './request-calls.ts'
import type { RequestCount, RequestJob } from './request-load.ts'
import type { Job, Measurement } from './rpc-jobs.ts'

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    brief: { type: 'boolean', default: false },
    slower: { type: 'string' },
    other: { type: 'string' },
    stages: { type: 'boolean', default: false },
  },
})

/** Least shares of the echo's calls per CPU second in a brief run. Runs of one node differ by a fifth (ADR 87). */
const BRIEF_LEAST: Readonly<Record<string, number>> = {
  eth_call: 0.33,
  eth_getBalance: 0.75,
  eth_blockNumber: 0.8,
}
const BLOCKS = values.brief ? 50 : 1_000
/** Each has 200 transactions, which eth_sendRawTransaction sends. */
const FURTHER_BLOCKS = values.brief ? 0 : 30
const CONNECTIONS = 32
/** V8 compiles by the number of calls, so a busy machine must not shorten the warm-up. */
const WARM_UP_ANSWERS = values.brief ? 25_000 : 40_000
const WARM_UP_MAX_SECONDS = 5
const SLICE_SECONDS = values.brief ? 0.15 : 0.6
const ROUNDS = Number(values.rounds)
/** An echo that takes more than the best one by this factor was disturbed. */
const DISTURBED_FACTOR = 1.1
/** Times that the rounds are repeated if the echo was disturbed in more than half of them. */
const REPEATS_MAX = 4

type ServerName = 'echo' | 'cairn' | 'slower' | 'other' | 'anvil'

interface Target {
  readonly name: ServerName
  readonly pid: number
  readonly port: number
  readonly websocketPort: number
  readonly cpuMicros: (pid: number) => number
}

/** In a short run, V8's own threads mostly compile. */
const withoutCompilers = (pid: number): number => cpuMicrosOf(pid, (name) => name !== 'V8Worker')
const cpuMicros = values.brief ? withoutCompilers : (pid: number): number => cpuMicrosOf(pid)

/** Anvil's threads come and go, and the process alone counts the ended ones. */
const withEndedThreads = (pid: number): number => cpuSecondsOf(pid) * 1e6

const STAGES_SECONDS = 2
/** The first matching row of the innermost frame that matches any row. */
const REQUEST_STAGES: Stages = [
  ['engine', /src\/evm|cairn_engine/],
  ['database', /classic-level|abstract-level/],
  ['state and blocks', /src\/(store|chain)/],
  ['parse', /src\/jsonrpc\/dispatch\/(envelope|id-text|json-text|scan-json)|body-collector/],
  ['decode', /node_modules\/zod|src\/api\/schema|src\/types\/hex|src\/jsonrpc\/method/],
  ['dispatch', /src\/(jsonrpc\/(dispatch|limits|registry|audit|auth)|platform\/metrics)/],
  ['method', /src\/(api|pool|types)/],
  ['other threads', /src\/platform\/(channel|thread|contract)|worker|src\/jsonrpc\/threads/],
  ['write', /writeUtf8String|writeLatin1String|writeBuffer|writev|src\/serve\/(responder|response)/],
  ['socket', /src\/(serve|jsonrpc\/server)|^node:|node_modules\/ws/],
]

interface Figures {
  readonly perSecond: number
  readonly cpuMicros: number
}

const children: ChildProcess[] = []

function start(file: string): ChildProcess {
  const child = fork(join(import.meta.dirname, file))
  children.push(child)
  return child
}

/** Cairn's CPU time by stage of a request, from profiles of its threads. */
async function tellStages(): Promise<void> {
  const chain = await makeReadChain(BLOCKS, FURTHER_BLOCKS)
  const { genesisText, blocks } = chain
  const folder = createTemporaryDirectory('cairn-bench-stages-')
  const execArgv = ['--cpu-prof', `--cpu-prof-dir=${folder.path}`]
  const options = { 'rpc-threads': 1, 'rpc-ws-enabled': true, 'rpc-ws-port': 0 }
  const node = await startNode({ genesisText, blocks, further: [], options }, { execArgv })
  children.push(node.child)
  const target: Target = { ...node, name: 'cairn', websocketPort: node.websocketPort!, cpuMicros }
  const load = { http: start('request-load.ts'), websocket: start('load-generator.ts') }
  const measured: { readonly call: RequestCall; readonly span: Span; readonly eachMicros: number }[] = []
  for (const call of chosenCalls(chain)) {
    const once = new OnceBodies(call)
    const { body } = await capture(node, call.isOnce ? requestOf('eth_chainId') : call.bodies[0]!)
    const run = (seconds: number, most?: number) =>
      count(load, call, target, once.take(target), body.length, { seconds, most })
    await run(WARM_UP_MAX_SECONDS, Math.ceil(WARM_UP_ANSWERS / call.size))
    const [from, startMicros] = [nowMicros(), cpuMicros(node.pid)]
    const { answers } = await run(STAGES_SECONDS)
    const eachMicros = (cpuMicros(node.pid) - startMicros) / (answers * call.size)
    measured.push({ call, span: { from, to: nowMicros() }, eachMicros })
  }
  await stopNode(node.child)
  for (const { call, span, eachMicros } of measured) {
    const stages = [...sharesOf(REQUEST_STAGES, folder.path, [span])].sort((a, b) => b[1] - a[1])
    const shown = stages.map(([stage, share]) => `${stage} ${(eachMicros * share).toFixed(1)}`)
    console.log(
      `${`${call.name}:`.padEnd(34)} ${eachMicros.toFixed(1)} µs with the profiler; ${shown.join(', ')}`,
    )
  }
  folder.remove()
}

function nowMicros(): number {
  return Number(process.hrtime.bigint() / 1_000n)
}

function chosenCalls(chain: ReadChain): readonly RequestCall[] {
  const chosen = values.calls.split(',').filter(Boolean)
  const named = values.brief && chosen.length === 0 ? Object.keys(BRIEF_LEAST) : chosen
  return (
    requestCalls(chain)
      .filter(({ name }) => named.length === 0 || named.includes(name))
      // The first call warms up what all of them use.
      .sort((a, b) => named.indexOf(a.name) - named.indexOf(b.name))
  )
}

async function main(): Promise<void> {
  const chain = await makeReadChain(BLOCKS, FURTHER_BLOCKS)
  const { genesisText, blocks } = chain
  const calls = chosenCalls(chain)
  const options = { 'rpc-threads': 1, 'rpc-ws-enabled': true, 'rpc-ws-port': 0 }
  const order = { genesisText, blocks, further: [], options }
  const node = await startNode(order)
  children.push(node.child)
  const slower = values.slower === undefined ? undefined : await startSlower(order, values.slower)
  const other = values.other === undefined ? undefined : await startOther(order, values.other)
  const echo = await startEcho(await capture(node, calls[0]!.bodies[0]!), children)
  const anvil = values.brief ? undefined : await startAnvil(chain, children)
  const targets: Target[] = [
    {
      name: 'echo',
      pid: echo.pid,
      port: echo.port,
      websocketPort: echo.websocketPort!,
      cpuMicros,
    },
    {
      name: 'cairn',
      pid: node.pid,
      port: node.port,
      websocketPort: node.websocketPort!,
      cpuMicros,
    },
    ...(slower === undefined
      ? []
      : [{ ...slower, name: 'slower', websocketPort: slower.websocketPort!, cpuMicros } as const]),
    ...(other === undefined
      ? []
      : [{ ...other, name: 'other', websocketPort: other.websocketPort!, cpuMicros } as const]),
    ...(anvil === undefined
      ? []
      : [{ ...anvil, name: 'anvil', websocketPort: anvil.port, cpuMicros: withEndedThreads } as const]),
  ]
  const load = { http: start('request-load.ts'), websocket: start('load-generator.ts') }
  const machine = watchMachineOf(() =>
    children.flatMap(({ pid, exitCode }) => (exitCode === null ? [pid!] : [])),
  )
  let isMet = true
  let answers = 0
  for (const call of calls) {
    const answer = await capture(node, call.isOnce ? calls[0]!.bodies[0]! : call.bodies[0]!)
    echo.child.send(answer)
    const once = new OnceBodies(call)
    const slice = async (target: Target, seconds: number, most?: number): Promise<Figures> => {
      const startMicros = target.cpuMicros(target.pid)
      const counted = await count(load, call, target, once.take(target), answer.body.length, {
        seconds,
        most,
      })
      answers += counted.answers
      return {
        perSecond: (counted.answers * call.size) / counted.seconds,
        cpuMicros: (target.cpuMicros(target.pid) - startMicros) / (counted.answers * call.size),
      }
    }
    for (const target of targets)
      await slice(target, WARM_UP_MAX_SECONDS, Math.ceil(WARM_UP_ANSWERS / call.size))
    const rounds: Round[] = []
    do {
      for (let count = 0; count < ROUNDS; count++) {
        const round = new Map<ServerName, Figures>()
        // In alternating order, so each server follows each of its neighbours.
        const order = count % 2 === 0 ? targets : targets.toReversed()
        for (const target of order) round.set(target.name, await slice(target, SLICE_SECONDS))
        rounds.push(round)
      }
    } while (values.brief && isDisturbed(rounds) && rounds.length < ROUNDS * REPEATS_MAX)
    report(call, rounds)
    isMet = (isAsExpected(call, rounds) || (values.brief && isDisturbed(rounds))) && isMet
  }
  await stopNode(node.child)
  if (slower !== undefined) await stopNode(slower.child)
  if (other !== undefined) await stopNode(other.child)
  console.log(`${answers} requests answered`)
  if (anvil === undefined && !values.brief) console.log('anvil is not installed here and was not measured.')
  if (!isMet && !(values.brief && machine.isBusy({ diagnostic: console.log }))) process.exitCode = 1
}

/** Hands out bodies that are valid once in equal parts to each slice of each server. */
class OnceBodies {
  readonly #call: RequestCall
  readonly #used = new Map<string, number>()

  constructor(call: RequestCall) {
    this.#call = call
  }

  take({ name }: Target): readonly string[] {
    const { bodies, isOnce } = this.#call
    if (!isOnce) return bodies
    const part = Math.floor(bodies.length / (ROUNDS + 1))
    const used = this.#used.get(name) ?? 0
    this.#used.set(name, used + part)
    return bodies.slice(used, used + part)
  }
}

async function count(
  load: Readonly<Record<RequestCall['kind'], ChildProcess>>,
  { kind, isOnce = false }: RequestCall,
  { pid, port, websocketPort }: Target,
  bodies: readonly string[],
  answerBytes: number,
  {
    seconds,
    most = Number.MAX_SAFE_INTEGER,
  }: { readonly seconds: number; readonly most: number | undefined },
): Promise<RequestCount> {
  const generator = load[kind]
  const common = { connections: CONNECTIONS, seconds }
  if (kind === 'http')
    generator.send({ ...common, port, bodies, most: isOnce ? bodies.length : most } satisfies RequestJob)
  else {
    const body = bodies[0]!
    generator.send({
      ...common,
      kind,
      pid,
      port: websocketPort,
      headers: {},
      body,
      answerBytes,
    } satisfies Job)
  }
  return await message<RequestCount | Measurement>(generator)
}

type Round = ReadonlyMap<ServerName, Figures>

/** The rounds in which the echo was not disturbed. */
function quietRounds(rounds: readonly Round[]): readonly Round[] {
  const echoMicros = (round: Round): number => round.get('echo')!.cpuMicros
  const mostMicros = Math.min(...rounds.map(echoMicros)) * DISTURBED_FACTOR
  return rounds.filter((round) => echoMicros(round) <= mostMicros)
}

/** A brief run is then repeated, and in the end not judged. */
function isDisturbed(rounds: readonly Round[]): boolean {
  return quietRounds(rounds).length < ROUNDS / 2
}

/** The median of the quiet rounds. */
function medianOf(rounds: readonly Round[], figure: (round: Round) => number): number {
  const sorted = quietRounds(rounds)
    .map(figure)
    .sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]!
}

/** The calls per CPU second of a server as a share of another's. */
function shareOf(rounds: readonly Round[], server: ServerName, other: ServerName): number {
  return medianOf(rounds, (round) => round.get(other)!.cpuMicros / round.get(server)!.cpuMicros)
}

/** The least share of the echo's calls per CPU second; 0 if the call has none. */
function leastOf({ name, goal = 0 }: RequestCall): number {
  return values.brief ? (BRIEF_LEAST[name] ?? 0) : goal
}

function reaches(call: RequestCall, rounds: readonly Round[], server: ServerName): boolean {
  return shareOf(rounds, server, 'echo') >= leastOf(call)
}

/** True if Cairn reaches its share, and a slower node does not. */
function isAsExpected(call: RequestCall, rounds: readonly Round[]): boolean {
  const isNoticed = !rounds[0]!.has('slower') || !reaches(call, rounds, 'slower')
  return reaches(call, rounds, 'cairn') && isNoticed
}

function report(call: RequestCall, rounds: readonly Round[]): void {
  const own = (figure: keyof Figures): number => medianOf(rounds, (round) => round.get('cairn')![figure])
  const compare = (server: ServerName): string | undefined => {
    if (!rounds[0]!.has(server)) return undefined
    const rate = medianOf(rounds, (round) => round.get('cairn')!.perSecond / round.get(server)!.perSecond)
    return `${shareOf(rounds, 'cairn', server).toFixed(2)} of ${server} (rate ${rate.toFixed(2)})`
  }
  const least = leastOf(call)
  const parts = [
    `${call.name}:`.padEnd(34),
    `${own('perSecond').toFixed(0)}/s, ${own('cpuMicros').toFixed(1)} µs CPU;`.padEnd(24),
    compare('echo'),
    rounds[0]!.has('other') ? compareOther(rounds) : undefined,
    compare('anvil'),
    least === 0 ? undefined : `${reaches(call, rounds, 'cairn') ? 'met' : 'MISSED'}: ${least} of echo`,
    rounds[0]!.has('slower') ? reportSlower(call, rounds) : undefined,
    `${quietRounds(rounds).length} of ${rounds.length} rounds were quiet`,
    values.brief && isDisturbed(rounds) ? 'not judged' : undefined,
  ]
  console.log(parts.filter((part) => part !== undefined).join('  '))
}

/** All rounds count, and the middle half of them shows whether a difference is larger than the disturbance. */
function compareOther(rounds: readonly Round[]): string {
  const shares = rounds
    .map((round) => round.get('other')!.cpuMicros / round.get('cairn')!.cpuMicros)
    .sort((a, b) => a - b)
  const at = (part: number): string => shares[Math.floor(shares.length * part)]!.toFixed(2)
  return `${at(0.5)} of other (${at(0.25)} to ${at(0.75)})`
}

function reportSlower(call: RequestCall, rounds: readonly Round[]): string {
  const percent = (shareOf(rounds, 'cairn', 'slower') - 1) * 100
  const verdict = reaches(call, rounds, 'slower') ? 'NOT NOTICED' : 'noticed'
  return `${percent.toFixed(0)} % slower: ${shareOf(rounds, 'slower', 'echo').toFixed(2)} of echo, ${verdict}`
}

async function startSlower(order: Parameters<typeof startNode>[0], percent: string): Promise<NodeServer> {
  // Workers that run text load this, and not `--import`.
  const execArgv = [`--require=${join(import.meta.dirname, 'slow-down.ts')}`]
  const server = await startNode(order, { execArgv, env: { ...process.env, [SLOWER_PERCENT]: percent } })
  children.push(server.child)
  return server
}

async function startOther(order: Parameters<typeof startNode>[0], checkout: string): Promise<NodeServer> {
  const server = await startNode(order, {}, join(checkout, 'bench'))
  children.push(server.child)
  return server
}

try {
  await (values.stages ? tellStages() : main())
} finally {
  for (const child of children) child.kill()
}
