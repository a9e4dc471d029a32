import { readdirSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { frame, handshake } from './websocket-bytes.ts'

/*
 * The good client: calls every 50 ms over connections that it opened before the trouble began, and notes how
 * long each answer took and how much memory the node had.
 */

const PERIOD_MS = 50
/** An answer later than this counts as never. */
const GIVE_UP_MS = 10_000
const CALL = '{"jsonrpc":"2.0","id":1,"method":"net_version","params":[]}'

export interface ProbeFigures {
  readonly answers: number
  readonly failures: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
  /** The longest without the time in which the server thread was ready to run and the machine ran others. */
  readonly maxOwnMs: number
  readonly peakRssBytes: number
}

type Call = () => Promise<number>

export interface Probe {
  /** The figures since the last look. */
  take(): ProbeFigures
  stop(): void
}

export async function startProbe(pid: number, ports: { http: number; websocket: number }): Promise<Probe> {
  const http = await openHttp(ports.http)
  const websocket = await openWebSocket(ports.websocket)
  const waitedMs = queueClockOf(pid)
  let latencies: number[] = []
  let failures = 0
  let maxOwnMs = 0
  let peakRssBytes = 0
  let isStopped = false

  const callOnce = async (call: Call): Promise<void> => {
    const waitedBeforeMs = waitedMs()
    try {
      const latencyMs = await call()
      latencies.push(latencyMs)
      maxOwnMs = Math.max(maxOwnMs, latencyMs - (waitedMs() - waitedBeforeMs))
    } catch {
      failures += 1
    }
  }
  const tick = (): void => {
    if (isStopped) return
    peakRssBytes = Math.max(peakRssBytes, rssBytesOf(pid))
    void callOnce(http.call)
    void callOnce(websocket.call)
    setTimeout(tick, PERIOD_MS)
  }
  tick()
  return {
    take() {
      const sorted = latencies.sort((a, b) => a - b)
      const at = (rank: number): number =>
        sorted[Math.min(sorted.length - 1, Math.floor(rank * sorted.length))] ?? 0
      const figures = {
        answers: sorted.length,
        failures,
        p50Ms: at(0.5),
        p99Ms: at(0.99),
        maxMs: at(1),
        maxOwnMs,
        peakRssBytes,
      }
      latencies = []
      failures = 0
      maxOwnMs = 0
      peakRssBytes = 0
      return figures
    },
    stop() {
      isStopped = true
      http.socket.destroy()
      websocket.socket.destroy()
    },
  }
}

export function rssBytesOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
}

/** How long the node's server thread has waited for a CPU since it began. */
function queueClockOf(pid: number): () => number {
  const tasks = `/proc/${pid}/task`
  const isServer = (id: string): boolean => readFileSync(`${tasks}/${id}/comm`, 'utf8').startsWith('server-')
  const thread = readdirSync(tasks).find(isServer)
  if (thread === undefined) throw new Error('the node has no server thread')
  return () => Number(readFileSync(`${tasks}/${thread}/schedstat`, 'utf8').split(' ')[1]) / 1e6
}

async function openHttp(port: number): Promise<{ socket: Socket; call: Call }> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const request =
    `POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
    `content-length: ${CALL.length}\r\n\r\n${CALL}`
  const call = createCalls(socket, request)
  await call()
  return { socket, call }
}

async function openWebSocket(port: number): Promise<{ socket: Socket; call: Call }> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.write(handshake(port))
  await new Promise((resolve, reject) => {
    socket.once('data', resolve)
    socket.once('close', reject)
  })
  const call = createCalls(socket, frame(CALL))
  await call()
  return { socket, call }
}

/** Answers are short and arrive in order: each ends with the brace of the JSON. */
function createCalls(socket: Socket, request: string | Uint8Array): Call {
  const waiting: { startMs: number; resolve: (ms: number) => void; reject: (error: Error) => void }[] = []
  socket.on('data', (data) => {
    const answers = data.toString('latin1').split('"result"').length - 1
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
      const timer = setTimeout(() => reject(new Error('no answer')), GIVE_UP_MS)
      const settle = (done: () => void): void => {
        clearTimeout(timer)
        done()
      }
      waiting.push({
        startMs: performance.now(),
        resolve: (ms) => settle(() => resolve(ms)),
        reject: (error) => settle(() => reject(error)),
      })
      socket.write(request)
    })
}
