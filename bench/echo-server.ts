/*
 * The yardstick: the maximum of node:http and ws when they answer every request with fixed bytes. rpc.ts starts it in its
 * own process with the bytes that cairn answers; it reports its ports when it listens. A message replaces the bytes.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

export interface EchoedAnswer {
  /** Alternating names and values. */
  readonly headers: readonly string[]
  readonly body: string
}

let { headers, body } = JSON.parse(process.argv[2]!) as EchoedAnswer
process.on('message', (answer: EchoedAnswer) => {
  headers = answer.headers
  body = answer.body
})

const http = createServer((request, response) => {
  request.on('data', () => {})
  request.on('end', () => {
    response.sendDate = false
    response.writeHead(200, [...headers])
    response.end(body)
  })
})
http.keepAliveTimeout = 75_000

const websocketServer = createServer()
const sockets = new WebSocketServer({ server: websocketServer })
sockets.on('connection', (socket: WebSocket) => socket.on('message', () => socket.send(body)))

http.listen(0, '127.0.0.1', () => {
  websocketServer.listen(0, '127.0.0.1', () => {
    const portOf = (address: unknown) => (address as AddressInfo).port
    process.send!({ http: portOf(http.address()), websocket: portOf(websocketServer.address()) })
  })
})
