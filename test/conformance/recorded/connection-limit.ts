import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import { firstDifference } from '../../acceptance/conversations/compare-json.ts'
import type { Outcome } from '../suite.ts'
import type { RecordedEntry } from './entry.ts'
import { judge } from './judge.ts'
import type { NodePorts } from './start-node.ts'
import { parseReplies } from './transcript.ts'

/** The time without events after which a connection counts as stable. */
const SETTLE_MS = 150
const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
const REQUEST_BYTES = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${REQUEST.length}\r\n\r\n${REQUEST}`

interface RecordedConnection {
  readonly closedByServer?: boolean
  readonly response?: string
  readonly st?: string
}

/**
 * The three entries with several open connections. The recorded WebSocket close codes only show how the recording
 * client ended them.
 */
export async function playConnectionLimit(
  unit: string,
  ports: NodePorts,
  { transport, note, connections = [] }: RecordedEntry,
): Promise<Outcome> {
  const recorded = connections as RecordedConnection[]
  if (transport === 'ws') {
    const expected = recorded.map(({ st }) => st === 'open')
    const difference = firstDifference(
      JSON.stringify(expected),
      JSON.stringify(await openWebSockets(ports.ws, expected.length)),
    )
    return outcome(unit, difference)
  }
  const sends = note.includes('send one request')
  const seen = await openConnections(ports.http, recorded.length, sends)
  const closed = (list: readonly { closedByServer?: boolean }[]) =>
    JSON.stringify(list.map(({ closedByServer }) => closedByServer))
  const difference = firstDifference(closed(recorded), closed(seen))
  if (difference !== undefined || !sends) return outcome(unit, difference)
  const replies = (list: readonly RecordedConnection[]) => ({
    replies: list.flatMap(({ response = '' }) => parseReplies(Buffer.from(response))),
    end: '',
  })
  const verdict = judge(
    replies(recorded),
    replies(seen),
    recorded.map(() => REQUEST),
  )
  if (verdict.kind === 'waits')
    return { unit, status: 'waits', reason: `method ${verdict.methods.join(', ')}` }
  return outcome(unit, verdict.kind === 'differs' ? verdict.where : undefined)
}

function outcome(unit: string, difference: string | undefined): Outcome {
  return difference === undefined ? { unit, status: 'met' } : { unit, status: 'failed', reason: difference }
}

/** Opens one after the other, because simultaneous connections have no order. */
async function openConnections(port: number, count: number, sends: boolean): Promise<RecordedConnection[]> {
  const states: { socket: Socket; response: string; closedByServer: boolean }[] = []
  for (let opened = 0; opened < count; opened += 1) {
    const socket = connect({ host: '127.0.0.1', port })
    const state = { socket, response: '', closedByServer: false }
    states.push(state)
    const settled = new Promise<void>((resolve) => {
      socket.on('connect', () => (sends ? socket.write(REQUEST_BYTES) : resolve()))
      socket.on('data', (chunk) => {
        state.response += chunk
        resolve()
      })
      const onEnd = (): void => {
        state.closedByServer = true
        resolve()
      }
      socket.on('end', onEnd)
      socket.on('error', onEnd)
    })
    await settled
  }
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const seen = states.map(({ response, closedByServer }) => ({ response, closedByServer }))
  await Promise.all(states.map(({ socket }) => leave(socket)))
  return seen
}

/** Waits until the server has closed too, because the next entry needs the slot. */
async function leave(socket: Socket): Promise<void> {
  if (socket.closed) return
  const closed = new Promise((resolve) => socket.on('close', resolve))
  socket.end()
  await closed
}

/** Returns which of the WebSockets opened. */
async function openWebSockets(port: number, count: number): Promise<boolean[]> {
  const sockets: WebSocket[] = []
  const opens: boolean[] = []
  for (let opened = 0; opened < count; opened += 1) {
    const socket = new WebSocket(`ws://localhost:${port}`)
    sockets.push(socket)
    opens.push(
      await new Promise<boolean>((resolve) => {
        socket.on('open', () => resolve(true))
        socket.on('error', () => resolve(false))
      }),
    )
  }
  for (const socket of sockets) socket.terminate()
  return opens
}
