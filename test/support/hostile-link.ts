/** A TCP link to a real server that an attacker or a broken network holds: it hangs, drips or refuses. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** `silent` accepts connections and bytes and never answers; `slow` returns one byte per second. */
export type LinkMode = 'open' | 'silent' | 'slow' | 'closed'

export interface HostileLink {
  readonly port: number
  /** Open connections. */
  connections(): number
  /** Breaks all connections; new ones get the mode. */
  set(mode: LinkMode): Promise<void>
}

const BYTE_MS = 1_000

export async function openHostileLink(
  context: Pick<TestContext, 'after'>,
  target: number,
  first: LinkMode,
): Promise<HostileLink> {
  const sockets = new Set<Socket>()
  let mode = first
  let server = createServer()
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    return socket
  }
  const onConnection = (client: Socket): void => {
    keep(client)
    if (mode === 'silent') {
      client.resume()
      return
    }
    const upstream = keep(connect(target, '127.0.0.1'))
    client.pipe(upstream)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    if (mode === 'open') upstream.pipe(client)
    else drip(upstream, client)
  }
  const listen = async (port: number): Promise<Server> => {
    const listening = createServer(onConnection).listen(port, '127.0.0.1')
    await once(listening, 'listening')
    return listening
  }
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  server = await listen(0)
  const { port } = server.address() as AddressInfo
  if (mode === 'closed') await close()
  context.after(async () => {
    if (server.listening) await close()
  })
  return {
    port,
    connections: () => sockets.size,
    set: async (next) => {
      if (server.listening) await close()
      mode = next
      if (next !== 'closed') server = await listen(port)
    },
  }
}

function drip(from: Socket, to: Socket): void {
  const waiting: Uint8Array[] = []
  from.on('data', (bytes) => waiting.push(bytes))
  const timer = setInterval(() => {
    const [bytes] = waiting
    if (bytes === undefined) return
    to.write(bytes.subarray(0, 1))
    if (bytes.length === 1) waiting.shift()
    else waiting[0] = bytes.subarray(1)
  }, BYTE_MS)
  to.on('close', () => clearInterval(timer))
}
