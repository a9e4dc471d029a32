/** Jobs that rpc.ts sends to the load generator. */
export interface Job {
  readonly kind: 'http' | 'websocket'
  /** The server's process id, for its CPU time. */
  readonly pid: number
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** For HTTP: the number of requests; replaces `seconds`. */
  readonly amount?: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** For HTTP: replaces `body` with several bodies in turn. */
  readonly bodies?: readonly string[]
  /** For WebSocket: the length of an answer, which the generator counts by. */
  readonly answerBytes: number
}

export interface Measurement {
  readonly answers: number
  readonly seconds: number
  readonly serverCpuSeconds: number
  readonly ownCpuSeconds: number
  /** Only for HTTP. */
  readonly p99Ms: number
}
