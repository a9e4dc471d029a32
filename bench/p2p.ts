// npm run bench -- p2p measures messages and handshakes over the loopback interface between two processes. The
// figures are CPU time, so other work on the machine counts little; only the round trip is wall time.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { systemClock } from '#platform/clock.ts'
import { systemRandom } from '#platform/random.ts'
import { type Enode, parseEnode } from '#types/enode.ts'
import { startLibraryBenchPeer } from './p2p-library.ts'
import { startBenchPeer } from './p2p-node.ts'

interface Report {
  readonly received: number
  readonly cpuMs: number
}

/** One side of a connection, in either implementation. */
interface Side {
  readonly links: readonly unknown[]
  /** Undefined if the message was accepted. */
  send(code: number, data: Uint8Array): Promise<void> | undefined
  dial(): void
  hangUp(): void
}

let onEcho = (): void => {}

const ours = await startBenchPeer(() => onEcho())
await measure(
  'Cairn',
  await startPeer('ours'),
  (there) => ({
    links: ours.links,
    send: (code, data) =>
      ours.links[0]!.send(code, data, code === 1 ? 'urgent' : 'bulk') ? undefined : ours.links[0]!.drained(),
    dial: () => void ours.network.maintain(there),
    hangUp: () => void ours.network.remove(there.id),
  }),
  { small: 30_000, middle: 10_000, large: 60, trips: 1_000 },
)
await ours.network.stop()

const library = await startLibraryBenchPeer(() => onEcho())
await measure(
  '@ethereumjs/devp2p',
  await startPeer('library'),
  (there) => ({
    links: library.links,
    // Its queue has no limit.
    send: (code, data) => void library.links.at(-1)!.send(code, data),
    dial: () => void library.dial(there),
    hangUp: () => library.hangUp(there),
  }),
  { small: 3_000, middle: 1_000, large: 10, trips: 50 },
)
library.stop()

interface Counts {
  readonly small: number
  readonly middle: number
  readonly large: number
  readonly trips: number
}

async function startPeer(kind: 'ours' | 'library'): Promise<ChildProcess> {
  return fork(join(import.meta.dirname, 'p2p-peer.ts'), [kind])
}

async function measure(
  name: string,
  peer: ChildProcess,
  sideOf: (there: Enode) => Side,
  counts: Counts,
): Promise<void> {
  const [{ enode }] = (await once(peer, 'message')) as [{ enode: string }]
  const us = sideOf(parseEnode(enode))
  us.dial()
  await until(() => us.links.length === 1)
  console.log(`${name}:`)
  for (const [bytes, count] of [
    [200, counts.small],
    [2_000, counts.middle],
    [1_000_000, counts.large],
  ] as const) {
    const { sent, received } = await stream(us, peer, bytes, count)
    const unit = bytes >= 100_000 ? [1_000, 'ms', 1] : [1, 'us', 0]
    const text = (ms: number) => `${((ms * 1_000) / count / (unit[0] as number)).toFixed(2)} ${unit[1]}`
    const rate = ((bytes * count) / 1_000_000 / (Math.max(sent, received) / 1_000)).toFixed(0)
    console.log(
      `  ${bytes} B: CPU per message ${text(sent)} to send, ${text(received)} to receive; ${rate} MB/s per core`,
    )
  }
  await roundTrips(us, counts.trips)
  await handshakes(us, peer, 40)
  peer.send('stop')
}

async function stream(
  us: Side,
  peer: ChildProcess,
  bytes: number,
  count: number,
): Promise<{ sent: number; received: number }> {
  const data = systemRandom.randomBytes(bytes)
  const before = await ask(peer)
  const own = cpuMs()
  for (let sent = 0; sent < count; ) {
    const refused = us.send(0, data)
    if (refused === undefined) sent += 1
    else await refused
  }
  let after = await ask(peer)
  while (after.received < before.received + count) after = await ask(peer)
  return { sent: cpuMs() - own, received: after.cpuMs - before.cpuMs }
}

async function roundTrips(us: Side, count: number): Promise<void> {
  const data = systemRandom.randomBytes(250)
  const times: number[] = []
  for (let at = 0; at < count; at++) {
    const start = systemClock.monotonicMs()
    const { promise, resolve } = Promise.withResolvers<void>()
    onEcho = resolve
    void us.send(1, data)
    await promise
    times.push(systemClock.monotonicMs() - start)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(2)
  console.log(`  250 B round trip: median ${at(0.5)} ms, p99 ${at(0.99)} ms`)
}

async function handshakes(us: Side, peer: ChildProcess, count: number): Promise<void> {
  const before = await ask(peer)
  const own = cpuMs()
  for (let at = 0; at < count; at++) {
    us.hangUp()
    await until(() => us.links.length === 0)
    us.dial()
    await until(() => us.links.length === 1)
  }
  const after = await ask(peer)
  const [dialling, dialled] = [(cpuMs() - own) / count, (after.cpuMs - before.cpuMs) / count]
  const rate = (1_000 / Math.max(dialling, dialled)).toFixed(0)
  console.log(
    `  handshake with HELLO: CPU ${dialling.toFixed(1)} ms dialling, ${dialled.toFixed(1)} ms dialled; ${rate} per second and core`,
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
