import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { frame, handshake } from './websocket-bytes.ts'

/**
 * The good client calls every 50 ms over connections that it opened before the attack. It records response times and
 * the node's memory.
 */

const PERIOD_MS = 50
/** A later answer counts as a failure. */
const GIVE_UP_MS = 10_000
const AT_ONCE = 25
/** Length of the quoted text if the answer was something else, such as a refusal. */
const LAST_WORDS_CHARS = 60
const CALL = '{"jsonrpc":"2.0","id":1,"method":"net_version","params":[]}'

export interface ProbeFigures {
  readonly answers: number
  readonly failures: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** Like `maxOwnMs`, for the 99th percentile. */
  readonly p99OwnMs: number
  /**
   * The longest response time, without the time in which the node or the good client was ready and the machine ran
   * other programs.
   */
  readonly maxOwnMs: number
  /** The share of the time in which one of the two waited for a CPU; small on an idle machine. */
  readonly waitedPart: number
  readonly peakRssBytes: number
}

type Call = () => Promise<number>

export type Transport = 'http' | 'websocket'

interface Line {
  readonly socket: Socket
  readonly call: Call
}

export interface Probe {
  /** Sends several calls at a time over each connection; resolves when all are answered. */
  callOften(count: number): Promise<void>
  /** The figures since the last call. */
  take(): ProbeFigures
  /** Continues over a new connection; resolves when it is open. */
  reconnect(transport: Transport, entry: Entry): Promise<void>
  stop(): void
}

/** The good client's credentials and settings. */
export interface Entry {
  connect(port: number): Socket
  /** Header lines, each with its line end. */
  headers(port: number): string
  /** True if every second body is compressed. */
  readonly packs: boolean
}

const OPEN_DOOR: Entry = {
  connect: (port) => connect({ port, host: '127.0.0.1', noDelay: true }),
  headers: () => '',
  packs: false,
}

export async function startProbe(
  pid: number,
  ports: { http: number; websocket: number },
  entry: Entry = OPEN_DOOR,
): Promise<Probe> {
  const lines: Record<Transport, Line> = {
    http: await openHttp(ports.http, entry),
    websocket: await openWebSocket(ports.websocket, entry),
  }
  const startMs = performance.now()
  const startClock = queueClockOf(pid)
  let latencies: number[] = []
  let ownLatencies: number[] = []
  let failures = 0
  let maxOwnMs = 0
  let peakRssBytes = 0
  let isStopped = false
  let since = { atMs: performance.now(), waitedMs: startClock() }

  const callOnce = async (transport: Transport): Promise<void> => {
    const waitedMs = startClock()
    try {
      const latencyMs = await lines[transport].call()
      latencies.push(latencyMs)
      const ownMs = Math.max(0, latencyMs - waitedMs(latencyMs))
      ownLatencies.push(ownMs)
      maxOwnMs = Math.max(maxOwnMs, ownMs)
    } catch (error) {
      failures += 1
      if (failures > 1 || isStopped) return
      const seconds = Math.round((performance.now() - startMs) / 1_000)
      const what = `over ${transport} after ${seconds} s: ${(error as Error).message}`
      console.log(`  the good client was not answered ${what}`)
    }
  }
  const tick = (): void => {
    if (isStopped) return
    peakRssBytes = Math.max(peakRssBytes, rssBytesOf(pid))
    void callOnce('http')
    void callOnce('websocket')
    setTimeout(tick, PERIOD_MS)
  }
  tick()
  return {
    async callOften(count) {
      for (let done = 0; done < count; done += 2 * AT_ONCE) {
        const calls = Object.values(lines).flatMap(({ call }) => Array.from({ length: AT_ONCE }, call))
        await Promise.all(calls)
      }
    },
    take() {
      const sorted = latencies.sort((a, b) => a - b)
      const at = (rank: number, values = sorted): number =>
        values[Math.min(values.length - 1, Math.floor(rank * values.length))] ?? 0
      const figures = {
        answers: sorted.length,
        failures,
        p50Ms: at(0.5),
        p99Ms: at(0.99),
        maxMs: at(1),
        p99OwnMs: at(
          0.99,
          ownLatencies.sort((a, b) => a - b),
        ),
        maxOwnMs,
        waitedPart: since.waitedMs(0) / (performance.now() - since.atMs),
        peakRssBytes,
      }
      since = { atMs: performance.now(), waitedMs: startClock() }
      latencies = []
      ownLatencies = []
      failures = 0
      maxOwnMs = 0
      peakRssBytes = 0
      return figures
    },
    async reconnect(transport, next) {
      const { socket } = lines[transport]
      lines[transport] = await OPEN[transport](ports[transport], next)
      // Calls on the old connection are answered first.
      setTimeout(() => socket.destroy(), GIVE_UP_MS).unref()
    },
    stop() {
      isStopped = true
      for (const { socket } of Object.values(lines)) socket.destroy()
    },
  }
}

export function rssBytesOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
}

/** Returns the time since the last call in which other programs had the CPU that an answer needed. */
type QueueClock = () => (latencyMs: number) => number

/**
 * Counts the time in which the node's server thread, or this thread, was ready to run. While an answer is due, the
 * server thread sleeps only to wait for other threads of the node, such as garbage collection helpers, so their
 * waiting time counts while it sleeps.
 */
function queueClockOf(pid: number): QueueClock {
  const tasks = `/proc/${pid}/task`
  const ids = readdirSync(tasks)
  const isServer = (id: string): boolean => readFileSync(`${tasks}/${id}/comm`, 'utf8').startsWith('server-')
  const server = ids.find(isServer)
  if (server === undefined) throw new Error('the node has no server thread')
  const others = ids.filter((id) => id !== server).map((id) => `${tasks}/${id}/schedstat`)
  const look = () => ({
    server: timesOf(`${tasks}/${server}/schedstat`),
    own: timesOf(`/proc/self/task/${process.pid}/schedstat`),
    othersWaitedMs: others.reduce((sum, file) => sum + timesOf(file).waitedMs, 0),
  })
  return () => {
    const before = look()
    return (latencyMs) => {
      const now = look()
      const ranMs = now.server.ranMs - before.server.ranMs
      const waitedMs = now.server.waitedMs - before.server.waitedMs + now.own.waitedMs - before.own.waitedMs
      const sleptMs = Math.max(0, latencyMs - ranMs - waitedMs)
      return waitedMs + Math.min(sleptMs, now.othersWaitedMs - before.othersWaitedMs)
    }
  }
}

/** Zeros for a thread that has ended. */
function timesOf(schedstat: string): { ranMs: number; waitedMs: number } {
  try {
    const [ran, waited] = readFileSync(schedstat, 'utf8').split(' ')
    return { ranMs: Number(ran) / 1e6, waitedMs: Number(waited) / 1e6 }
  } catch {
    return { ranMs: 0, waitedMs: 0 }
  }
}

const OPEN = { http: openHttp, websocket: openWebSocket }

async function openHttp(port: number, entry: Entry): Promise<Line> {
  const socket = entry.connect(port)
  const request = (body: Uint8Array, headers = ''): Buffer => {
    const lines = `POST / HTTP/1.1\r\nhost: localhost\r\n${entry.headers(port)}${headers}`
    const head = `${lines}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
    return Buffer.concat([Buffer.from(head), body])
  }
  const plain = request(Buffer.from(CALL))
  const call = entry.packs
    ? createCalls(socket, plain, request(gzipSync(CALL), 'content-encoding: gzip\r\n'))
    : createCalls(socket, plain)
  await firstCall(socket, call)
  return { socket, call }
}

async function openWebSocket(port: number, entry: Entry): Promise<Line> {
  const socket = entry.connect(port)
  socket.write(handshake(port, entry.headers(port)))
  const overdue = setTimeout(() => socket.destroy(), GIVE_UP_MS)
  await new Promise((resolve, reject) => {
    socket.once('data', resolve)
    socket.once('close', () => reject(new Error('the handshake was not answered')))
  }).finally(() => clearTimeout(overdue))
  const call = createCalls(socket, frame(CALL))
  await firstCall(socket, call)
  return { socket, call }
}

/** Closes a connection without an answer: it would occupy the place of another one. */
async function firstCall(socket: Socket, call: Call): Promise<void> {
  try {
    await call()
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** Answers are short and in order; each ends with the closing brace of the JSON. */
function createCalls(socket: Socket, ...requests: readonly (string | Uint8Array)[]): Call {
  let calls = 0
  let lastWords = ''
  const waiting: { startMs: number; resolve: (ms: number) => void; reject: (error: Error) => void }[] = []
  socket.on('data', (data) => {
    const text = data.toString('latin1')
    const answers = text.split('"result"').length - 1
    if (answers === 0) lastWords = text.slice(0, LAST_WORDS_CHARS)
    for (let count = 0; count < answers; count++) {
      const first = waiting.shift()
      first?.resolve(performance.now() - first.startMs)
    }
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    for (const { reject } of waiting.splice(0)) reject(new Error('the connection was closed'))
  })
  return () =>
    new Promise((resolve, reject) => {
      if (socket.destroyed) return reject(new Error('the connection is closed'))
      const timer = setTimeout(() => reject(new Error(`no answer ${lastWords}`.trimEnd())), GIVE_UP_MS)
      const settle = (done: () => void): void => {
        clearTimeout(timer)
        done()
      }
      waiting.push({
        startMs: performance.now(),
        resolve: (ms) => settle(() => resolve(ms)),
        reject: (error) => settle(() => reject(error)),
      })
      socket.write(requests[calls++ % requests.length]!)
    })
}
