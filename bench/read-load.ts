/** Load on a server from the generator's process, and single requests to it. */
import type { ChildProcess } from 'node:child_process'
import { message } from './child-message.ts'
import { requestOf } from './read-calls.ts'
import type { Job, Measurement } from './rpc-jobs.ts'

const CONNECTIONS = 32
const JSON_HEADERS = { 'content-type': 'application/json' }

export interface Server {
  readonly pid: number
  readonly port: number
}

export interface Figures {
  readonly perSecond: number
  readonly cpuMicros: number
  readonly p99Ms: number
}

export async function load(
  generator: ChildProcess,
  server: Server,
  bodies: readonly string[],
  seconds: number,
  further: Pick<Job, 'amount'> = {},
): Promise<Figures> {
  const job: Job = {
    kind: 'http',
    ...server,
    connections: CONNECTIONS,
    seconds: Math.max(1, Math.round(seconds)),
    ...further,
    headers: JSON_HEADERS,
    body: bodies[0]!,
    bodies,
    answerBytes: 0,
  }
  generator.send(job)
  const measured = await message<Measurement>(generator)
  return {
    perSecond: measured.answers / measured.seconds,
    cpuMicros: (measured.serverCpuSeconds / measured.answers) * 1e6,
    p99Ms: measured.p99Ms,
  }
}

export async function ask({ port }: Server, method: string, ...params: unknown[]): Promise<unknown> {
  const response = await post(port, requestOf(method, ...params))
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error !== undefined) throw new Error(`${method}: ${error.message}`)
  return result
}

export function post(port: number, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, ...headers },
    body,
  })
}
