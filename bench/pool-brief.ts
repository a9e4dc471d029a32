/**
 * The short form of the pool benchmark, for the gate: the CPU time of a transfer on Cairn's JavaScript threads, next to a fixed
 * reference. The reference is one POST to a bare node:http echo and the recovery of one key in this process. Both are measured in
 * turn, so a busy machine slows both; if other programs take much of it, the cost of waiting remains, and the ratio is not judged.
 */
import type { ChildProcess } from 'node:child_process'
import { loadCrypto } from '#evm/crypto.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { watchMachine } from '../test/support/busy-machine.ts'
import { cpuMicrosOf } from './cpu-seconds.ts'
import { postAll } from './keep-alive.ts'
import { type PoolTarget, startCairn } from './pool-targets.ts'
import { requestOf, signWorkload } from './pool-workload.ts'
import { type NodeServer, startEcho } from './read-servers.ts'

const WARM_UP = 4_000
const ROUNDS = 6
const ROUND = 600
const CONNECTIONS = 64
/** An answer of eth_sendRawTransaction has as many bytes. */
const ANSWER = 'x'.repeat(103)
/** A tenth above the ratio of a node without a mistake: a node that takes a fifth longer exceeds it. */
const MOST = 3.4
/** Other programs may disturb a measurement; a slower node exceeds the limit in each. */
const MEASUREMENTS = 3
/** V8's own threads mostly compile in so short a run, and native threads only recover keys. */
const JAVASCRIPT_THREADS = new Set(['MainThread', 'server-0', 'writer'])

/** Sends transactions and resolves when all are in blocks. */
export type SendAll = (target: PoolTarget, transactions: readonly Transaction[]) => Promise<void>

export async function judgeBriefly(send: SendAll): Promise<boolean> {
  const children: ChildProcess[] = []
  const headers = ['content-type', 'application/json', 'content-length', `${ANSWER.length}`]
  const target = await startCairn({})
  try {
    const echo = await startEcho({ headers, body: ANSWER }, children)
    const machine = watchMachine(target.pid, echo.pid)
    let next = 0
    const take = (count: number): readonly Transaction[] => {
      const from = next
      next += count
      return signWorkload('transfers', count, from)
    }
    const warmUp = take(WARM_UP)
    await send(target, warmUp)
    await referenceMicros(echo, warmUp)
    let lowest = Number.POSITIVE_INFINITY
    for (let count = 1; count <= MEASUREMENTS && lowest > MOST; count++) {
      let [own, reference] = [0, 0]
      for (let round = 0; round < ROUNDS; round++) {
        const transactions = take(ROUND)
        const before = ownMicros(target)
        await send(target, transactions)
        own += ownMicros(target) - before
        reference += await referenceMicros(echo, transactions)
      }
      const each = (micros: number): string => (micros / (ROUNDS * ROUND)).toFixed(0)
      console.log(
        `a transfer ${each(own)} µs, the reference ${each(reference)} µs of CPU: ratio ${(own / reference).toFixed(2)}, at most ${MOST}`,
      )
      lowest = Math.min(lowest, own / reference)
    }
    console.log(`${next} transactions in blocks`)
    return lowest <= MOST || machine.isBusy({ diagnostic: console.log })
  } finally {
    for (const child of children) child.kill()
    await target.stop()
  }
}

function ownMicros({ pid }: PoolTarget): number {
  return cpuMicrosOf(pid, (name) => JAVASCRIPT_THREADS.has(name))
}

async function referenceMicros(
  { pid, port }: NodeServer,
  transactions: readonly Transaction[],
): Promise<number> {
  const { recoverBeside } = await loadCrypto()
  if (recoverBeside === undefined) throw new Error('This benchmark needs the native engine.')
  const echoMicros = (): number => cpuMicrosOf(pid, (name) => name !== 'V8Worker')
  const before = echoMicros()
  await postAll(port, transactions.map(requestOf), CONNECTIONS, () => {})
  const posts = echoMicros() - before
  const start = process.cpuUsage()
  await recoverBeside(transactions)
  const { user, system } = process.cpuUsage(start)
  return posts + user + system
}
