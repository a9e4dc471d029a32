/**
 * Reads the heaps of a running node after a full collection, thread by thread, through its inspector. Between two
 * collections a heap's size says nothing about the memory it keeps. The node is started with
 * NODE_OPTIONS=--inspect=127.0.0.1:0.
 */
interface InspectorMessage {
  readonly id?: number
  readonly result?: unknown
  readonly method?: string
  readonly params?: {
    readonly sessionId: string
    readonly message?: string
    readonly workerInfo?: { readonly title: string }
  }
}

type Pending = Map<number, (result: unknown) => void>

interface Session {
  readonly name: string
  send(text: string): void
  readonly pending: Pending
}

export class HeapProbe {
  readonly #socket: WebSocket
  readonly #main: Session
  readonly #workers = new Map<string, Session>()
  #nextId = 1

  private constructor(socket: WebSocket) {
    this.#socket = socket
    this.#main = { name: 'main', send: (text) => socket.send(text), pending: new Map() }
    socket.addEventListener('message', ({ data }) => this.#onMessage(JSON.parse(String(data))))
  }

  /** `output` is the node's output, which contains the inspector's URL. */
  static async open(output: string): Promise<HeapProbe> {
    const [url] = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(output) ?? []
    if (url === undefined) throw new Error(`The node has no inspector: ${output.slice(0, 500)}`)
    const socket = new WebSocket(url)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', reject)
    })
    const probe = new HeapProbe(socket)
    await probe.#ask(probe.#main, 'NodeWorker.enable', { waitForDebuggerOnStart: false })
    return probe
  }

  /** Used bytes by thread name. */
  async heaps(): Promise<Record<string, number>> {
    const heaps: Record<string, number> = {}
    for (const session of [this.#main, ...this.#workers.values()]) {
      await this.#ask(session, 'HeapProfiler.collectGarbage')
      const { usedSize } = (await this.#ask(session, 'Runtime.getHeapUsage')) as { usedSize: number }
      heaps[session.name] = usedSize
    }
    return heaps
  }

  close(): void {
    this.#socket.close()
  }

  #ask({ send, pending }: Session, method: string, params: object = {}): Promise<unknown> {
    const id = this.#nextId++
    return new Promise((resolve) => {
      pending.set(id, resolve)
      send(JSON.stringify({ id, method, params }))
    })
  }

  #onMessage(message: InspectorMessage): void {
    const { method, params } = message
    if (method === 'NodeWorker.attachedToWorker') this.#attach(params!)
    else if (method === 'NodeWorker.detachedFromWorker') this.#workers.delete(params!.sessionId)
    else if (method === 'NodeWorker.receivedMessageFromWorker') {
      answer(this.#workers.get(params!.sessionId)?.pending, JSON.parse(params!.message!))
    } else answer(this.#main.pending, message)
  }

  #attach({ sessionId, workerInfo }: NonNullable<InspectorMessage['params']>): void {
    const send = (message: string): void => {
      void this.#ask(this.#main, 'NodeWorker.sendMessageToWorker', { sessionId, message })
    }
    // Threads without their own name share one.
    const { title = '' } = workerInfo ?? {}
    const name = /\[worker \d+\] ?(.*)/.exec(title)?.[1] || title || sessionId
    this.#workers.set(sessionId, { name, send, pending: new Map() })
  }
}

function answer(pending: Pending | undefined, { id, result }: InspectorMessage): void {
  if (id === undefined) return
  pending?.get(id)?.(result)
  pending?.delete(id)
}
