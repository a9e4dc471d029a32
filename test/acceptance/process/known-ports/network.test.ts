/** cairn network: a network of processes that only commands create, run, harm and stop. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { NodeReport } from '#fleet/network-report.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData, parseData } from '#types/hex.ts'
import { CommandNetwork, QUICK } from '../../../support/command-network.ts'
import { memoryOf } from '../../../support/memory-of.ts'
import { cairn, PROGRAM, temporaryDirectory } from '../../../support/program.ts'
import { openRpcClient, type RpcClient } from '../../../support/rpc-client.ts'

/** Four programs start at the same time, and the machine may be busy. */
const TIMEOUT = { timeout: 600_000 }
const FIRST_MAX_SECONDS = 15
const FIRST_MAX_BUSY_SECONDS = 60
/**
 * Measured before V8 has collected the garbage of the start; `npm run bench -- network-start` measures a quiet
 * machine.
 */
const TOGETHER_MAX_MB = 1_300
const PER_SECOND = 50
/** The average rate, because the last transaction must be accepted too. */
const LEAST_RATE = 0.95 * PER_SECOND
const LEAST_BUSY_RATE = 0.5 * PER_SECOND
/** The rate within one second; a transaction that is a little late counts in the next second. */
const LEAST_IN_SECOND = 0.8 * PER_SECOND
const PERIOD_SECONDS = 1
const REQUEST_TIMEOUT_SECONDS = 2 * PERIOD_SECONDS
const GAP_MAX_SECONDS = REQUEST_TIMEOUT_SECONDS + 2 * PERIOD_SECONDS
/** The proposer of the next round may be down as well, and that round lasts twice as long. */
const GAP_MAX_BUSY_SECONDS = GAP_MAX_SECONDS + 2 * REQUEST_TIMEOUT_SECONDS
const RETRY_MS = 20
/** A node accepted the transaction and ended before it could answer. */
const TAKEN_BEFORE = /^(Known transaction|Nonce too low)$/

interface Sent {
  readonly count: number
  /** Until the last transaction was accepted. */
  readonly seconds: number
  /** The fewest transactions sent within one second. */
  readonly fewest: number
}

/**
 * Sends each transfer at its time and tries the nodes in turn until one accepts it, as a client behind a load
 * balancer does.
 */
async function sendTransfers(network: CommandNetwork, signal: AbortSignal): Promise<Sent> {
  const clients = [1, 2, 3, 4].map((number) => openRpcClient(network.port(`validator-${number}`)))
  const give = async (nonce: number): Promise<void> => {
    const transaction = formatData(network.transfer(nonce).encoded)
    for (let turn = nonce; ; turn += 1) {
      const answer = await clients[turn % 4]!.call('eth_sendRawTransaction', transaction).catch(
        () => undefined,
      )
      if (answer?.result !== undefined || TAKEN_BEFORE.test(answer?.error?.message ?? '')) return
      await pause(RETRY_MS)
    }
  }
  // The first signature computes tables, which takes as long as fifteen transfers.
  network.transfer(0)
  const beganMs = performance.now()
  const perSecond: number[] = []
  const given: Promise<void>[] = []
  while (!signal.aborted) {
    const second = Math.floor((performance.now() - beganMs) / 1_000)
    perSecond[second] = (perSecond[second] ?? 0) + 1
    given.push(give(given.length))
    await pause(Math.max(0, beganMs + (given.length * 1_000) / PER_SECOND - performance.now()))
  }
  await Promise.all(given)
  const seconds = (performance.now() - beganMs) / 1_000
  for (const client of clients) client.close()
  const whole = Array.from(perSecond.slice(0, -1), (count) => count ?? 0)
  return { count: given.length, seconds, fewest: Math.min(...whole) }
}

async function longestGapSeconds(client: RpcClient, first: number): Promise<number> {
  const times: number[] = []
  for (let number = first; ; number += 1) {
    const { result } = await client.call('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
    if (result === null) break
    times.push(Number((result as { timestamp: string }).timestamp))
  }
  return Math.max(...times.slice(1).map((time, at) => time - times[at]!))
}

const heights = (reports: NodeReport[]) => reports.flatMap(({ height }) => height ?? [])

test(
  'a network comes up, reports why it is stalled, recovers, and outlives its supervisor',
  TIMEOUT,
  async (context) => {
    const beganMs = performance.now()
    const network = new CommandNetwork(context, QUICK)
    const machine = network.watchMachine()
    network.run('up', '--detach')
    await network.mine(0)
    const seconds = (performance.now() - beganMs) / 1_000
    const { pssMb, rssMb } = memoryOf(network.pids())
    context.diagnostic(
      `first transaction in a block after ${seconds.toFixed(1)} s; the network takes ${pssMb.toFixed(0)} MB (PSS; RSS ${rssMb.toFixed(0)} MB)`,
    )
    assert.ok(seconds <= (machine.isBusy(context) ? FIRST_MAX_BUSY_SECONDS : FIRST_MAX_SECONDS))
    assert.ok(pssMb <= TOGETHER_MAX_MB, `${pssMb} MB`)
    assert.equal(statSync(network.file('validator-1/key')).mode & 0o777, 0o600)
    const second = cairn(['network', 'up'], { cwd: network.cwd })
    assert.match(second.stderr, /The network is up, watched by process \d+/)

    network.run('kill', 'validator-2')
    network.run('stop', 'validator-3')
    const halted = await network.until(([first]) => /3 of 4 validators are needed/.test(first?.cause ?? ''))
    assert.deepEqual(
      halted.map(({ state }) => state),
      ['running', 'stopped', 'stopped', 'running'],
    )

    // Without a supervisor the nodes continue, and a stopped one can still be started.
    process.kill(network.supervisor(), 'SIGKILL')
    const survivor = network.pid('validator-1')
    network.run('start', 'validator-2')
    const before = Math.max(...heights(halted))
    await network.until((reports) => heights(reports).length === 3 && Math.min(...heights(reports)) > before)

    // The next supervisor takes over and restarts nodes that crash.
    network.run('start', 'validator-3')
    network.run('up', '--detach')
    assert.equal(network.pid('validator-1'), survivor)
    const crashed = network.pid('validator-4')
    process.kill(crashed, 'SIGKILL')
    await network.until((reports) => {
      const again = reports[3]!
      return again.state === 'running' && again.pid !== crashed && Math.min(...heights(reports)) > before + 1
    })
    await network.until(() => /Cairn is up/.test(network.run('logs', 'validator-4')))
    network.run('down')
    assert.ok(!existsSync(network.file('supervisor.pid')), 'the next up would be refused')
    assert.ok(network.reports().every(({ state }) => state === 'down'))
  },
)

test(
  'a validator is added and removed, and all are upgraded under load without losing a transaction',
  TIMEOUT,
  async (context) => {
    const network = new CommandNetwork(context, QUICK)
    network.run('up', '--detach')
    assert.match(
      await network.runBeside('add'),
      /Quorum: 3 of 4 validators now, 4 of 5 afterwards[\s\S]*validator-5 is a validator/,
    )
    network.run('stop', 'validator-5')
    const refused = cairn(['network', 'remove', 'validator-5'], { cwd: network.cwd })
    assert.match(refused.stderr, /validator-5 is not a running validator/)
    network.run('start', 'validator-5')
    await network.until((reports) => reports[4]?.state === 'running')
    assert.match(await network.runBeside('remove', 'validator-5'), /3 of 4 afterwards/)

    const from = Math.max(...heights(network.reports()))
    const machine = network.watchMachine()
    const load = new AbortController()
    const sending = sendTransfers(network, load.signal)
    const said = await network.runBeside('upgrade', `--to=${PROGRAM}`)
    assert.equal(said.match(/takes part again: its seal is in block/g)?.length, 4, said)
    load.abort()
    const { count, seconds, fewest } = await sending
    const client = openRpcClient(network.port('validator-1'))
    context.after(() => client.close())
    const key = parseData(readFileSync(network.file('account.key'), 'utf8'))
    const sender = addressFromPublicKey(publicKeyFromPrivate('secp256k1', key))
    const mined = async () => Number((await client.call('eth_getTransactionCount', sender, 'latest')).result)
    while ((await mined()) < count) await pause(100)
    const gap = await longestGapSeconds(client, from)
    const rate = count / seconds
    context.diagnostic(
      `${count} transactions, ${rate.toFixed(1)} a second, at least ${fewest} in each; longest gap between blocks ${gap} s`,
    )
    const isBusy = machine.isBusy(context)
    assert.ok(rate >= (isBusy ? LEAST_BUSY_RATE : LEAST_RATE), `${rate} transactions a second`)
    assert.ok(gap <= (isBusy ? GAP_MAX_BUSY_SECONDS : GAP_MAX_SECONDS), `${gap} s between two blocks`)
    if (!isBusy) assert.ok(fewest >= LEAST_IN_SECOND, `${fewest} transactions in one second`)
  },
)

test(
  'a network with permissions and tokens produces blocks and answers with its password',
  TIMEOUT,
  async (context) => {
    const network = new CommandNetwork(
      context,
      QUICK,
      '--validators=1',
      '--observers=1',
      '--permissions',
      '--auth',
    )
    network.run('up', '--detach')
    const reports = await network.until((all) => heights(all).length === 2 && Math.min(...heights(all)) >= 2)
    assert.deepEqual(
      reports.map(({ name, peers }) => [name, peers]),
      [
        ['validator-1', 1],
        ['observer-1', 1],
      ],
    )
  },
)

test('mistakes are answered with what to do', (context) => {
  const cwd = temporaryDirectory(context)
  const nowhere = cairn(['network', 'up'], { cwd })
  assert.equal(nowhere.code, 1)
  assert.match(nowhere.stderr, /There is no network in .*make one by 'cairn network new'/)
  assert.equal(cairn(['network', 'new'], { cwd }).code, 0)
  assert.match(cairn(['network', 'new'], { cwd }).stderr, /network is not empty/)
  assert.match(
    cairn(['network', 'stop', 'validator-9'], { cwd }).stderr,
    /The network has no node validator-9; its nodes are validator-1, validator-2/,
  )
})
