/** What rpc.ts tells the load generator. */
export interface Job {
  readonly kind: 'http' | 'websocket'
  /** Of the server, whose CPU time is read. */
  readonly pid: number
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Over HTTP: this many requests, however long they take, and not `seconds`. */
  readonly amount?: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Over HTTP, in its place: sent in turn. */
  readonly bodies?: readonly string[]
  /** Over WebSocket: the length of the answer, by which answers are counted. */
  readonly answerBytes: number
}

export interface Measurement {
  readonly answers: number
  readonly seconds: number
  readonly serverCpuSeconds: number
  readonly ownCpuSeconds: number
  /** Over HTTP. */
  readonly p99Ms: number
}
