/*
 * Produces load in its own process, so it does not share a thread with the measured server. It takes one job after the
 * other from rpc.ts and answers each with its result; staying alive keeps its code warm.
 */
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { cpuSecondsOf } from './cpu-seconds.ts'
import type { Job, Measurement } from './rpc-jobs.ts'

interface CannonResult {
  readonly '2xx': number
  readonly non2xx: number
  readonly errors: number
  readonly latency: { readonly p99: number }
}

interface Answered {
  readonly answers: number
  readonly p99Ms: number
}

/** The package has no types. */
const autocannon = createRequire(import.meta.url)('autocannon') as (options: object) => Promise<CannonResult>

const TIMEOUT_SECONDS = 60

process.on('message', (job: Job) => {
  measure(job).then(
    (measurement) => process.send!(measurement),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function measure(job: Job): Promise<Measurement> {
  const startMs = performance.now()
  const serverStart = cpuSecondsOf(job.pid)
  const ownStart = process.cpuUsage()
  const { answers, p99Ms } = await (job.kind === 'http' ? loadHttp(job) : loadWebSocket(job))
  const seconds = (performance.now() - startMs) / 1_000
  const own = process.cpuUsage(ownStart)
  return {
    answers,
    p99Ms,
    seconds,
    serverCpuSeconds: cpuSecondsOf(job.pid) - serverStart,
    ownCpuSeconds: (own.user + own.system) / 1e6,
  }
}

async function loadHttp(job: Job): Promise<Answered> {
  const { port, connections, seconds, amount, headers, body, bodies = [body] } = job
  const result = await autocannon({
    url: `http://127.0.0.1:${port}/`,
    method: 'POST',
    connections,
    // It ends at its next look at the clock, which otherwise comes once a second.
    ...(amount === undefined ? { duration: seconds } : { amount, sampleInt: 100, timeout: TIMEOUT_SECONDS }),
    headers,
    requests: bodies.map((each) => ({ body: each })),
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`not every request was answered: ${JSON.stringify(result)}`)
  return { answers: result['2xx'], p99Ms: result.latency.p99 }
}

/**
 * Sends a prepared frame and counts bytes: a ws client would cost more than the measured server. Each connection sends
 * when it has its answer.
 */
async function loadWebSocket({ port, connections, seconds, body, answerBytes }: Job): Promise<Answered> {
  const frame = maskedFrame(body)
  let answers = 0
  let isOver = false
  const connectionsDone = Array.from({ length: connections }, async () => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => {})
    const key = randomBytes(16).toString('base64')
    socket.write(
      `GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
        `sec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
    )
    await new Promise<void>((resolve) => socket.once('data', () => resolve()))
    let received = 0
    socket.on('data', (chunk) => {
      received += chunk.length
      if (received < answerBytes + FRAME_HEAD_BYTES) return
      received -= answerBytes + FRAME_HEAD_BYTES
      answers += 1
      if (isOver) socket.destroy()
      else socket.write(frame)
    })
    socket.write(frame)
    await closed
  })
  setTimeout(() => {
    isOver = true
  }, seconds * 1_000)
  await Promise.all(connectionsDone)
  return { answers, p99Ms: Number.NaN }
}

/** For frames below 126 bytes. */
const FRAME_HEAD_BYTES = 2

function maskedFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  if (payload.length > 125) throw new Error('this generator sends short messages only')
  const mask = randomBytes(4)
  return Buffer.concat([
    Buffer.from([0x81, 0x80 | payload.length]),
    mask,
    payload.map((byte, index) => byte ^ mask[index % 4]!),
  ])
}
