/**
 * npm run nightly -- soak-peers [--connections 1000 --vanishing 10]: peers that connect and disconnect, and peers
 * that vanish silently. The second part has its own network namespace (Linux, root): the link goes down, and neither
 * side receives anything. The test measures when the node drops these peers, and which resources remain.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '#platform/clock.ts'
import { formatEnode } from '#types/enode.ts'
import { churn, untilQuiet } from '../../adversarial/p2p-attacks/churn.ts'
import { startTarget, type Target } from '../../adversarial/p2p-attacks/start-target.ts'

const DECLARED_DEAD_MAX_MS = 35_000
const BACK_MAX_MS = 60_000
const HEAP_GROWTH_MAX_MB = 3
/** Addresses in this program's own network namespace. */
const OURS = '10.99.0.1'
const THEIRS = '10.99.0.2'

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '1000' },
    vanishing: { type: 'string', default: '10' },
    /** Set by the program when it starts itself in a network namespace. */
    inside: { type: 'boolean', default: false },
  },
})

if (values.inside) process.exit((await vanish(Number(values.vanishing))) ? 0 : 1)
const isFlat = await comeAndGo(Number(values.connections))
const isDeclared = Number(values.vanishing) === 0 || (await inNetworkOfItsOwn())
process.exit(isFlat && isDeclared ? 0 : 1)

async function comeAndGo(count: number): Promise<boolean> {
  const target = await startTarget('127.0.0.1', ['--expose-gc'])
  // Warms up code and caches.
  const before = await churn(target, Math.ceil(count / 10))
  const after = await churn(target, count)
  target.end()
  const heap = (after.heapBytes - before.heapBytes) / 1e6
  const resident = (after.rssBytes - before.rssBytes) / 1e6
  console.log(
    `${count} connections came and went: ${after.peers} peers, ${after.sockets} sockets, ${after.handles} handles (${before.handles} before), heap ${heap.toFixed(1)} MB more, process ${resident.toFixed(0)} MB more`,
  )
  return after.peers + after.sockets === 0 && after.handles <= before.handles && heap < HEAP_GROWTH_MAX_MB
}

async function inNetworkOfItsOwn(): Promise<boolean> {
  const args = [
    '--net',
    process.execPath,
    import.meta.filename,
    '--inside',
    `--vanishing=${values.vanishing}`,
  ]
  const [code] = await once(spawn('unshare', args, { stdio: 'inherit' }), 'exit')
  return code === 0
}

async function vanish(count: number): Promise<boolean> {
  ip('link set lo up')
  ip('link add ours type veth peer name theirs')
  ip(`addr add ${OURS}/24 dev ours`)
  const target = await startTarget(OURS, ['--expose-gc'])
  const before = await target.feel()
  const peers = [
    join(import.meta.dirname, 'vanishing-peers.ts'),
    formatEnode(target.to),
    String(count),
    THEIRS,
  ]
  const child = spawn('unshare', ['--net', process.execPath, ...peers], {
    stdio: ['pipe', 'inherit', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  ip(`link set theirs netns ${child.pid}`)
  ip('link set ours up')
  child.send('the link is there')
  await untilPeers(target, count, BACK_MAX_MS)
  ip('link set ours down')
  const deadMs = await untilPeers(target, 0, 2 * DECLARED_DEAD_MAX_MS)
  const after = await untilQuiet(target.feel)
  ip('link set ours up')
  const backMs = await untilPeers(target, count, 2 * BACK_MAX_MS)
  child.kill('SIGKILL')
  target.end()
  console.log(
    `${count} peers vanished: declared dead after ${seconds(deadMs)} s (limit ${seconds(DECLARED_DEAD_MAX_MS)} s), ${after.sockets} sockets and ${after.handles} handles left (${before.handles} before); back ${seconds(backMs)} s after the link was (limit ${seconds(BACK_MAX_MS)} s)`,
  )
  return deadMs <= DECLARED_DEAD_MAX_MS && backMs <= BACK_MAX_MS && after.handles <= before.handles
}

/** Returns how long it took. */
async function untilPeers({ feel }: Target, count: number, maxMs: number): Promise<number> {
  const startMs = systemClock.monotonicMs()
  for (;;) {
    const tookMs = systemClock.monotonicMs() - startMs
    if ((await feel()).peers === count || tookMs > maxMs) return tookMs
    await new Promise((resolve) => void systemClock.after(100, () => resolve(undefined)))
  }
}

function ip(words: string): void {
  execFileSync('ip', words.split(' '), { stdio: 'inherit' })
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(0)
}
