/**
 * The cost of a request: the ten most frequent methods, a batch and WebSocket next to a bare node:http or ws echo of the
 * same bytes, and next to anvil if it is installed.
 *
 *   npm run bench -- requests [--calls eth_call,eth_getBalance] [--rounds 5]
 *   npm run bench -- requests --brief      three methods, judged by BRIEF_LEAST; a stage of the gate
 *
 * All servers are warmed up and then measured in turn, in slices of less than a second; each figure is the best slice, which
 * other programs disturbed least. The ratios compare CPU time per call, and in brackets the rate of one server thread.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { watchMachineOf } from '../test/support/busy-machine.ts'
import { message } from './child-message.ts'
import { cpuMicrosOf, cpuSecondsOf } from './cpu-seconds.ts'
import { makeReadChain } from './read-chain.ts'
import { capture, startAnvil, startEcho, startNode, stopNode } from './read-servers.ts'
import { type RequestCall, requestCalls } from './request-calls.ts'
import type { RequestCount, RequestJob } from './request-load.ts'
import type { Job, Measurement } from './rpc-jobs.ts'

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    brief: { type: 'boolean', default: false },
  },
})

/** Least shares of the echo's calls per CPU second in a brief run: a quarter below those of an idle machine. */
const BRIEF_LEAST: Readonly<Record<string, number>> = {
  eth_call: 0.22,
  eth_getBalance: 0.52,
  eth_blockNumber: 0.78,
}
const BLOCKS = values.brief ? 50 : 1_000
/** Of 200 transactions each, which eth_sendRawTransaction sends. */
const FURTHER_BLOCKS = values.brief ? 0 : 30
const CONNECTIONS = 32
/** V8 compiles by the number of calls, so a busy machine must not shorten the warm-up. */
const WARM_UP_ANSWERS = values.brief ? 25_000 : 40_000
const WARM_UP_MAX_SECONDS = 5
const SLICE_SECONDS = values.brief ? 0.15 : 0.6
const ROUNDS = Number(values.rounds)

interface Target {
  readonly name: 'echo' | 'cairn' | 'anvil'
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

async function main(): Promise<void> {
  const chain = await makeReadChain(BLOCKS, FURTHER_BLOCKS)
  const { genesisText, blocks } = chain
  const named = values.brief ? Object.keys(BRIEF_LEAST) : values.calls.split(',').filter(Boolean)
  const calls = requestCalls(chain)
    .filter(({ name }) => named.length === 0 || named.includes(name))
    // The first call warms up what all of them use.
    .sort((a, b) => named.indexOf(a.name) - named.indexOf(b.name))
  const options = { 'rpc-threads': 1, 'rpc-ws-enabled': true, 'rpc-ws-port': 0 }
  const node = await startNode({ genesisText, blocks, further: [], options })
  children.push(node.child)
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
    const slices = new Map<string, Figures[]>(targets.map(({ name }) => [name, []]))
    const measure = async (): Promise<void> => {
      for (let round = 0; round < ROUNDS; round++) {
        for (const target of targets) slices.get(target.name)!.push(await slice(target, SLICE_SECONDS))
      }
    }
    await measure()
    // A neighbour may have disturbed every slice of a second.
    if (values.brief && !reaches(call, slices)) await measure()
    report(call, slices)
    isMet = reaches(call, slices) && isMet
  }
  await stopNode(node.child)
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

type Slices = ReadonlyMap<string, readonly Figures[]>

function bestOf(slices: Slices, server: Target['name']): Figures | undefined {
  const figures = slices.get(server)
  return (
    figures && {
      perSecond: Math.max(...figures.map((each) => each.perSecond)),
      cpuMicros: Math.min(...figures.map((each) => each.cpuMicros)),
    }
  )
}

/** The least share of the echo's calls per CPU second; 0 if the call has none. */
function leastOf({ name, goal = 0 }: RequestCall): number {
  return values.brief ? BRIEF_LEAST[name]! : goal
}

function reaches(call: RequestCall, slices: Slices): boolean {
  return bestOf(slices, 'echo')!.cpuMicros / bestOf(slices, 'cairn')!.cpuMicros >= leastOf(call)
}

/** Prints the best slice of each server. */
function report(call: RequestCall, slices: Slices): void {
  const own = bestOf(slices, 'cairn')!
  const share = (server: Target['name']): string | undefined => {
    const other = bestOf(slices, server)
    return (
      other &&
      `${(other.cpuMicros / own.cpuMicros).toFixed(2)} of ${server} (rate ${(own.perSecond / other.perSecond).toFixed(2)})`
    )
  }
  const least = leastOf(call)
  const parts = [
    `${call.name}:`.padEnd(34),
    `${own.perSecond.toFixed(0)}/s, ${own.cpuMicros.toFixed(1)} µs CPU;`.padEnd(24),
    share('echo'),
    share('anvil'),
    least === 0 ? undefined : `${reaches(call, slices) ? 'met' : 'MISSED'}: ${least} of echo`,
  ]
  console.log(parts.filter((part) => part !== undefined).join('  '))
}

try {
  await main()
} finally {
  for (const child of children) child.kill()
}
