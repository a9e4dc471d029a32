// npm run bench:p2p: what messages and handshakes cost on loopback between two processes. CPU time, so that other work on
// the machine counts little; only the round trip is time on the wall.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { systemClock } from '#platform/clock.ts'
import { systemRandom } from '#platform/random.ts'
import { parseEnode } from '#types/enode.ts'
import { startBenchPeer } from './p2p-node.ts'

interface Report {
  readonly received: number
  readonly cpuMs: number
}

let onEcho = (): void => {}
const us = await startBenchPeer(() => onEcho())
const peer = fork(join(import.meta.dirname, 'p2p-peer.ts'))
const [{ enode }] = (await once(peer, 'message')) as [{ enode: string }]
const there = parseEnode(enode)
us.network.maintain(there)
await until(() => us.links.length === 1)

for (const [bytes, count] of [
  [200, 30_000],
  [2_000, 10_000],
  [1_000_000, 60],
] as const) {
  const { sent, received } = await stream(bytes, count)
  const unit = bytes >= 100_000 ? [1_000, 'ms', 1] : [1, 'us', 0]
  const text = (ms: number) => `${((ms * 1_000) / count / (unit[0] as number)).toFixed(2)} ${unit[1]}`
  const rate = ((bytes * count) / 1_000_000 / (Math.max(sent, received) / 1_000)).toFixed(0)
  console.log(
    `${bytes} B: CPU per message ${text(sent)} to send, ${text(received)} to receive; ${rate} MB/s per core`,
  )
}
await roundTrips(1_000)
await handshakes(40)
peer.send('stop')
await us.network.stop()

async function stream(bytes: number, count: number): Promise<{ sent: number; received: number }> {
  const data = systemRandom.randomBytes(bytes)
  const before = await ask(peer)
  const own = cpuMs()
  for (let sent = 0; sent < count; ) {
    if (us.links[0]!.send(0, data, 'bulk')) sent += 1
    else await us.links[0]!.drained()
  }
  let after = await ask(peer)
  while (after.received < before.received + count) after = await ask(peer)
  return { sent: cpuMs() - own, received: after.cpuMs - before.cpuMs }
}

async function roundTrips(count: number): Promise<void> {
  const data = systemRandom.randomBytes(250)
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const start = systemClock.monotonicMs()
    const { promise, resolve } = Promise.withResolvers<void>()
    onEcho = resolve
    us.links[0]!.send(1, data, 'urgent')
    await promise
    times.push(systemClock.monotonicMs() - start)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(2)
  console.log(`250 B there and back: median ${at(0.5)} ms, 99 of 100 within ${at(0.99)} ms`)
}

async function handshakes(count: number): Promise<void> {
  const before = await ask(peer)
  const own = cpuMs()
  for (let at = 0; at < count; at++) {
    us.network.remove(there.id)
    await until(() => us.links.length === 0)
    us.network.maintain(there)
    await until(() => us.links.length === 1)
  }
  const after = await ask(peer)
  const [dialling, dialled] = [(cpuMs() - own) / count, (after.cpuMs - before.cpuMs) / count]
  const rate = (1_000 / Math.max(dialling, dialled)).toFixed(0)
  console.log(
    `handshake with HELLO: CPU ${dialling.toFixed(1)} ms dialling, ${dialled.toFixed(1)} ms dialled; ${rate} per second and core`,
  )
}

async function ask(child: ChildProcess): Promise<Report> {
  child.send('report')
  const [report] = (await once(child, 'message')) as [Report]
  return report
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => void systemClock.after(1, () => resolve(undefined)))
}
