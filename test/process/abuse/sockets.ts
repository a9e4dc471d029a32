import { connect, type Socket } from 'node:net'

/** Connects and never complains: being cut off is what an attacker is used to. */
export function open(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => {})
  return socket
}

/**
 * Sends everything and resolves with what came back when the connection closes or time is up. `leaves`: ends its
 * side at once; a node that is still at work then need not answer. Others ask for the end in a header.
 */
export function exchange(
  port: number,
  bytes: string | Uint8Array,
  maxMs: number,
  leaves = true,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = open(port)
    let received = ''
    const timer = setTimeout(() => socket.destroy(), maxMs)
    socket.on('data', (data) => {
      if (received.length < 4_096) received += data.toString('latin1')
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(received)
    })
    if (leaves) socket.end(bytes)
    else socket.write(bytes)
  })
}

/** Resolves with the first bytes, or with nothing when the connection closes. */
export function firstAnswer(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve('')
    socket.once('data', (data) => resolve(data.toString('latin1')))
    socket.once('close', () => resolve(''))
  })
}

/** Resolves when the socket has taken the bytes, or is gone. */
export function write(socket: Socket, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || socket.write(bytes)) return resolve()
    const settle = (): void => {
      socket.off('drain', settle)
      socket.off('close', settle)
      resolve()
    }
    socket.on('drain', settle)
    socket.on('close', settle)
  })
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Runs `count` times, some at once, and no faster than `perSecond`: the node's neighbours need the cores too. */
export async function paced(
  count: number,
  { atOnce, perSecond }: { atOnce: number; perSecond: number },
  run: (index: number) => Promise<void>,
): Promise<void> {
  const startMs = performance.now()
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const aheadMs = startMs + (index / perSecond) * 1_000 - performance.now()
      if (aheadMs > 1) await pause(aheadMs)
      await run(index)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
