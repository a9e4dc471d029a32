/*
 * Produces the load of bench/requests.ts over HTTP in its own process. It sends prepared bytes over kept connections and
 * only counts what returns, because a complete client would cost more than the measured servers.
 */
import { connect } from 'node:net'

export interface RequestJob {
  readonly port: number
  /** Sent in turn by all connections together. */
  readonly bodies: readonly string[]
  readonly connections: number
  readonly seconds: number
  /** The job ends after as many requests, if it takes less time. */
  readonly most: number
}

export interface RequestCount {
  readonly answers: number
  readonly seconds: number
}

const HEAD_END = '\r\n\r\n'
const CHUNKED_END = Buffer.from(`0${HEAD_END}`)
/** Longer than every head here. */
const HEAD_MAX_BYTES = 1_024

process.on('message', (job: RequestJob) => {
  run(job).then(
    (count) => process.send!(count),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function run({ port, bodies, connections, seconds, most }: RequestJob): Promise<RequestCount> {
  const requests = bodies.map((body) =>
    Buffer.from(
      `POST / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  )
  const startMs = performance.now()
  const endMs = startMs + seconds * 1_000
  let next = 0
  let answers = 0
  const take = (): Buffer | undefined => {
    if (performance.now() >= endMs || next >= most) return undefined
    return requests[next++ % requests.length]
  }
  await Promise.all(Array.from({ length: connections }, () => converse(port, take, () => answers++)))
  return { answers, seconds: (performance.now() - startMs) / 1_000 }
}

/** One connection with one pending request at a time, until there is none left. */
function converse(port: number, take: () => Buffer | undefined, onAnswer: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    /** Bytes of the current answer that have not arrived; infinite for a chunked answer. */
    let missingBytes = 0
    const send = (): void => {
      const request = take()
      if (request !== undefined) socket.write(request)
      else {
        socket.destroy()
        resolve()
      }
    }
    socket.on('connect', send)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('The server closed a connection.')))
    socket.on('data', (chunk) => {
      if (missingBytes === 0) missingBytes = lengthOf(chunk)
      missingBytes -= chunk.length
      const isChunked = missingBytes === Number.POSITIVE_INFINITY
      if (isChunked ? !chunk.subarray(-CHUNKED_END.length).equals(CHUNKED_END) : missingBytes > 0) return
      missingBytes = 0
      onAnswer()
      send()
    })
  })
}

/** The length of the answer that begins with this chunk. */
function lengthOf(chunk: Buffer): number {
  const head = chunk.toString('latin1', 0, HEAD_MAX_BYTES)
  const end = head.indexOf(HEAD_END)
  const length = /content-length: *(\d+)/i.exec(head)?.[1]
  const isResult = head.startsWith('HTTP/1.1 200') && !head.includes('"error"')
  const isChunked = /transfer-encoding: *chunked/i.test(head)
  if (end < 0 || !isResult || (length === undefined && !isChunked))
    throw new Error(`This is not an answer: ${head}`)
  return isChunked ? Number.POSITIVE_INFINITY : end + HEAD_END.length + Number(length)
}
