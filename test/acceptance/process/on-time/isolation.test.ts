import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, GENESIS_TEXT, LOOPER, makeBlocks, SOMEBODY } from '#chain/chain.fixture.ts'
import { createNodeWith, type EmbeddedNode } from '#node/create-node.ts'
import { type Machine, watchMachine } from '../../../support/busy-machine.ts'
import { openRpcClient, percentile } from '../../../support/rpc-client.ts'
import { GROWTH_NAMES } from '../planted-methods.ts'

const BLOCKS = 400
const BLOCK_PERIOD_MS = 250
const BLOCK_LATE_MS = 100
const ANSWER_P99_MS = 50
const ANSWER_PAUSE_MS = 5
const BACK_WITHIN_MS = 2_000
const LOOPING_CLIENTS = 8
const QUIET_MS = 3_000
const SATURATED_MS = 5_000

const PLANTED = new URL('../planted-methods.ts', import.meta.url).href
/** The default of --rpc-gas-cap: the longest loop that a call may run. */
const GAS_CAP = '0x5f5e100'

test('engine threads at their limits disturb neither answers nor blocks', async (t) => {
  const blocks = await makeBlocks(...Array.from({ length: BLOCKS }, (_, nonce) => [call(nonce)]))
  const options = {
    logging: 'OFF',
    'rpc-http-enabled': true,
    'rpc-http-port': 0,
    'rpc-engine-threads': 1,
  } as const
  const apis = { 'rpc-http-api': ['ETH', 'DEBUG'] }
  const node = await createNodeWith({ genesis: GENESIS_TEXT, options: { ...options, ...apis } }, [PLANTED])
  t.after(() => node.stop())
  // The thread starts on demand.
  await node.provider.request({ method: 'debug_plantedEcho', params: ['start'] })
  const machine = watchMachine()
  const other = startOthers(node, blocks)
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  const quiet = other.take()
  // Other work on this machine delays blocks with and without engine threads.
  const lateMs = BLOCK_LATE_MS + Math.max(...quiet.blocksMs)
  t.diagnostic(
    `without load: p99 ${percentile(quiet.answersMs, 99).toFixed(1)} ms; a block is late after ${lateMs.toFixed(0)} ms`,
  )

  const looping = await loopFor(node, SATURATED_MS)
  t.diagnostic(`${looping} calls looped up to the gas cap`)
  report(t, machine, 'saturated with loops', other.take(), lateMs)
  assert(looping > 0)

  for (const what of GROWTH_NAMES) {
    const growing = node.provider.request({ method: 'debug_plantedGrowth', params: [what] })
    await assert.rejects(growing, /the engine thread ended while it worked on this request/)
    const died = performance.now()
    assert.equal(await node.provider.request({ method: 'debug_plantedEcho', params: [what] }), what)
    const backMs = performance.now() - died
    t.diagnostic(`${what}: the thread was back after ${backMs.toFixed(0)} ms`)
    assert(backMs < BACK_WITHIN_MS || machine.isBusy(t), `the engine thread was back after ${backMs} ms`)
    report(t, machine, what, other.take(), lateMs)
  }
  await other.stop()
})

interface Seen {
  readonly answersMs: readonly number[]
  readonly blocksMs: readonly number[]
}

/** Work that does not use engines: a client that asks for the head and a balance, and incoming blocks. */
function startOthers(node: EmbeddedNode, blocks: readonly Uint8Array[]) {
  const client = openRpcClient(node.http!.port)
  let answersMs: number[] = []
  let blocksMs: number[] = []
  let isOver = false
  const ask = async (): Promise<void> => {
    for (let count = 0; !isOver; count++) {
      const start = performance.now()
      const answer =
        count % 2 === 0
          ? await client.call('eth_blockNumber')
          : await client.call('eth_getBalance', SOMEBODY, 'latest')
      answersMs.push(performance.now() - start)
      assert.equal(answer.error, undefined)
      // A client that never pauses would occupy a core.
      await new Promise((resolve) => setTimeout(resolve, ANSWER_PAUSE_MS))
    }
  }
  const give = async (): Promise<void> => {
    for (const block of blocks) {
      if (isOver) return
      const start = performance.now()
      const verdict = await node.importBlock(block, 'none')
      blocksMs.push(performance.now() - start)
      assert(verdict.ok)
      await new Promise((resolve) => setTimeout(resolve, BLOCK_PERIOD_MS))
    }
  }
  const work = Promise.all([ask(), give()])
  return {
    take(): Seen {
      const seen = { answersMs, blocksMs }
      answersMs = []
      blocksMs = []
      return seen
    },
    async stop(): Promise<void> {
      isOver = true
      await work
      client.close()
    },
  }
}

/** Clients that call a loop repeatedly, each time with another selector, so the server must try the call. */
async function loopFor(node: EmbeddedNode, durationMs: number): Promise<number> {
  const end = performance.now() + durationMs
  let started = 0
  let ended = 0
  const loop = async (): Promise<void> => {
    const client = openRpcClient(node.http!.port)
    while (performance.now() < end) {
      const data = `0x${(started++).toString(16).padStart(8, '0')}`
      const { error } = await client.call('eth_call', { to: LOOPER, gas: GAS_CAP, data }, 'latest')
      assert.notEqual(error, undefined)
      ended++
    }
    client.close()
  }
  await Promise.all(Array.from({ length: LOOPING_CLIENTS }, loop))
  return ended
}

function report(
  t: TestContext,
  machine: Machine,
  when: string,
  { answersMs, blocksMs }: Seen,
  lateMs: number,
): void {
  const p99 = percentile(answersMs, 99)
  const late = blocksMs.filter((ms) => ms > lateMs)
  const worst = Math.max(...blocksMs).toFixed(0)
  t.diagnostic(
    `${when}: ${answersMs.length} answers, p99 ${p99.toFixed(1)} ms; ${blocksMs.length} blocks, worst ${worst} ms`,
  )
  if (p99 >= ANSWER_P99_MS) assert(machine.isBusy(t), `${when}: p99 of answers is ${p99} ms`)
  if (late.length > 0) assert(machine.isBusy(t), `${when}: blocks were late: ${late.join(', ')} ms`)
}
