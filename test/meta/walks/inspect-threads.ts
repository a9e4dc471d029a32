/** The threads of another process, through its inspector. */

/** Results have the form of the inspector protocol. */
// biome-ignore lint/suspicious/noExplicitAny: the protocol has hundreds of answers, and this uses six.
export type Ask = (method: string, params?: object) => Promise<any>

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly sessionId?: string; readonly message?: string }
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

export interface InspectedThreads {
  /** The threads running now, main first. Later ones are not included. */
  readonly threads: readonly Ask[]
  close(): void
}

/** Main uses its own messages; messages of other threads are wrapped in those of main. */
export async function inspectThreads(url: string): Promise<InspectedThreads> {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error(`${url} cannot be reached`))
  })
  const main = conversation((text) => socket.send(text))
  const workers = new Map<string, ReturnType<typeof conversation>>()
  socket.onmessage = ({ data }) => {
    const message: Message = JSON.parse(String(data))
    const { sessionId = '', message: wrapped = '' } = message.params ?? {}
    if (message.method === 'NodeWorker.receivedMessageFromWorker') {
      workers.get(sessionId)?.receive(JSON.parse(wrapped))
    } else if (message.method === 'NodeWorker.attachedToWorker') {
      const send = (text: string) =>
        void main.ask('NodeWorker.sendMessageToWorker', { sessionId, message: text })
      workers.set(sessionId, conversation(send))
    } else main.receive(message)
  }
  await main.ask('NodeWorker.enable', { waitForDebuggerOnStart: false })
  return {
    threads: [main.ask, ...[...workers.values()].map(({ ask }) => ask)],
    close: () => socket.close(),
  }
}

function conversation(send: (text: string) => void) {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let lastId = 0
  return {
    ask: ((method, params = {}) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      waiting.set(++lastId, { resolve, reject })
      send(JSON.stringify({ id: lastId, method, params }))
      return promise
    }) satisfies Ask,
    receive({ id, result, error }: Message): void {
      if (id === undefined) return
      const { resolve, reject } = waiting.get(id)!
      waiting.delete(id)
      if (error === undefined) resolve(result)
      else reject(new Error(error.message))
    },
  }
}
