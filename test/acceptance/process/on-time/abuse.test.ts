/*
 * Attacks the real program and checks three things: it survives, its memory stays in bounds, and a good client that
 * is already connected always gets answers within 200 ms. The attacks come from a process with the lowest priority;
 * the good client is this process. Time in which the node's thread was ready but the machine ran other programs is
 * printed and not counted.
 *
 *   node --test test/acceptance/process/on-time/abuse.test.ts                            about 30 s, 10,000 malformed messages
 *   CAIRN_ABUSE_FACTOR=10 node --test test/acceptance/process/on-time/abuse.test.ts      ten times as many and as long
 *   CAIRN_SEED=7 …                                                    the same malformed messages again
 *   CAIRN_ABUSE_BODY_MIB=128 …                                        the limit for bodies, here 16 MiB: parsing
 *                                                                     128 MiB alone takes 0.3 s and 300 MB
 */
import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { after, before, suite, test } from 'node:test'
import type { AttackPlan } from '../../../adversarial/abuse/attack.ts'
import type { Order } from '../../../adversarial/abuse/attacker.ts'
import { type Probe, type ProbeFigures, rssBytesOf, startProbe } from '../../../adversarial/abuse/probe.ts'
import { exchange, pause } from '../../../adversarial/abuse/sockets.ts'
import { type RunningNode, startNode } from '../../../support/running-node.ts'

const MIB = 1024 * 1024
const SEED = Number(process.env.CAIRN_SEED ?? randomInt(2 ** 31))
const FACTOR = Number(process.env.CAIRN_ABUSE_FACTOR ?? 1)
const BODY_MAX_BYTES = Number(process.env.CAIRN_ABUSE_BODY_MIB ?? 16) * MIB

const ANSWER_MAX_MS = 200
const MEMORY_MAX_BYTES = 100e6
const WARM_UP_CALLS = 3_000
/** A new client may have to wait until the node has noticed that an attacker's connections are gone. */
const NEWCOMER_MAX_MS = 2_000
const CALL = '{"jsonrpc":"2.0","id":1,"method":"net_version","params":[]}'
const REQUEST = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${CALL.length}\r\n\r\n${CALL}`

type Plans = readonly (readonly [name: Order['attack'], plan: Partial<AttackPlan>])[]

const SMALL: Plans = [
  ['malformedRequests', { count: 5_000 }],
  ['malformedFrames', { count: 5_000 }],
  ['slowloris', { seconds: 2 }],
  ['halfOpenUpgrades', { seconds: 2 }],
  ['headerFlood', { seconds: 2 }],
  ['connectionFlood', { count: 3_000 }],
  ['unreadAnswers', { seconds: 2 }],
]

const LARGE: Plans = [
  ['nestedArrays', {}],
  ['gzipBombs', { seconds: 3 }],
  ['largestBodies', { seconds: 3 }],
]

/** Memory and waiting for the CPU are read from /proc. */
const skip = process.platform !== 'linux'

console.log(`CAIRN_SEED=${SEED}`)
suite('a node under attack', { skip }, () => besiege(SMALL, MEMORY_MAX_BYTES))
suite('a node under large bodies', { skip }, () => besiege(LARGE, BODY_MAX_BYTES + MEMORY_MAX_BYTES))

function besiege(plans: Plans, memoryMaxBytes: number): void {
  let siege: Siege

  before(async () => {
    siege = await beginSiege()
  })

  after(() => siege?.end())

  for (const [name, plan] of plans) {
    test(`${name}: the good client is answered, memory stays, newcomers are served`, async () => {
      const figures = await siege.attack(name, plan)
      const description = siege.describe(figures)
      assert.equal(figures.failures, 0, 'requests of the good client failed')
      assert.ok(figures.maxOwnMs <= ANSWER_MAX_MS, description)
      assert.ok(figures.peakRssBytes - siege.startRssBytes <= memoryMaxBytes, description)
      await siege.assertServesNewcomers()
    })
  }

  test('nothing of it was an error of ours, and the node stops as if nothing had been', async () => {
    const { code, output } = await siege.end()
    const errors = output.split('\n').filter((line) => /"level":"(ERROR|FATAL)"|Uncaught/.test(line))
    assert.deepEqual(errors, [])
    assert.equal(code, 0)
  })
}

class Siege {
  readonly startRssBytes: number
  readonly #node: RunningNode
  readonly #probe: Probe
  readonly #attacker: ChildProcess

  constructor(node: RunningNode, probe: Probe, attacker: ChildProcess) {
    this.#node = node
    this.#probe = probe
    this.#attacker = attacker
    this.startRssBytes = rssBytesOf(node.pid)
  }

  async attack(name: Order['attack'], plan: Partial<AttackPlan>): Promise<ProbeFigures> {
    const { http, websocket } = this.#node
    const order: Order = {
      attack: name,
      target: { http, websocket, bodyMaxBytes: BODY_MAX_BYTES },
      plan: { seed: SEED, count: (plan.count ?? 0) * FACTOR, seconds: (plan.seconds ?? 0) * FACTOR },
    }
    this.#probe.take()
    this.#attacker.send(order)
    const [{ summary, error }] = (await once(this.#attacker, 'message')) as [
      { summary?: string; error?: string },
    ]
    const figures = this.#probe.take()
    assert.equal(error, undefined)
    console.log(`${name}: ${summary}\n  ${this.describe(figures)}`)
    return figures
  }

  describe({ answers, failures, p50Ms, p99Ms, maxMs, maxOwnMs, peakRssBytes }: ProbeFigures): string {
    const ms = (value: number): string => value.toFixed(1)
    const grownMb = ((peakRssBytes - this.startRssBytes) / 1e6).toFixed(0)
    return (
      `good client: ${answers} answers, ${failures} failures, p50 ${ms(p50Ms)} p99 ${ms(p99Ms)} max ${ms(maxMs)} ms ` +
      `(${ms(maxOwnMs)} without waiting for a CPU); memory +${grownMb} MB of ${(this.startRssBytes / 1e6).toFixed(0)} MB`
    )
  }

  async assertServesNewcomers(): Promise<void> {
    const endMs = performance.now() + NEWCOMER_MAX_MS
    for (;;) {
      const answer = await exchange(this.#node.http, REQUEST, NEWCOMER_MAX_MS)
      if (answer.includes('"result"')) return
      assert.ok(performance.now() < endMs, `a new client was not answered: ${answer}`)
      await pause(50)
    }
  }

  async end(): Promise<{ code: number | null; output: string }> {
    this.#probe.stop()
    this.#attacker.kill()
    return { code: await this.#node.stop(), output: this.#node.output() }
  }
}

async function beginSiege(): Promise<Siege> {
  const node = await startNode([
    ...['--rpc-http-enabled', '--rpc-ws-enabled', '--logging=INFO'],
    `--rpc-http-max-request-content-length=${BODY_MAX_BYTES}`,
  ])
  const attacker = fork(new URL('../../../adversarial/abuse/attacker.ts', import.meta.url))
  // Compiled code and the heap's usual growth are not a leak.
  for (let calls = 0; calls < WARM_UP_CALLS; calls += 50) {
    await Promise.all(Array.from({ length: 50 }, () => exchange(node.http, REQUEST, NEWCOMER_MAX_MS)))
  }
  const probe = await startProbe(node.pid, node)
  await pause(500)
  return new Siege(node, probe, attacker)
}
