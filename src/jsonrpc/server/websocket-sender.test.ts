import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { joinShortFrames } from './websocket-sender.ts'

async function connect(t: TestContext, perMessageDeflate = false) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate })
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const { port } = server.address() as AddressInfo
  const client = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate })
  const [socket] = (await accepted) as [WebSocket]
  joinShortFrames(socket)
  t.after(() => {
    client.terminate()
    server.close()
  })
  /** Pieces that were handed to the system. */
  const pieces: number[] = []
  const raw = (socket as unknown as { _socket: Socket })._socket
  const { _write, _writev } = raw as unknown as Record<string, (...parts: unknown[]) => void>
  Object.assign(raw, {
    _write: (...parts: unknown[]) => {
      pieces.push(1)
      _write!.apply(raw, parts)
    },
    _writev: (chunks: readonly unknown[], onDone: unknown) => {
      pieces.push(chunks.length)
      _writev!.call(raw, chunks, onDone)
    },
  })
  const exchange = async (text: string): Promise<string> => {
    const arrived = once(client, 'message')
    socket.send(text)
    return String((await arrived)[0])
  }
  return { exchange, pieces, socket }
}

/** Lengths at which the head of a frame changes its form, and the longest joined one. */
const LENGTHS = [0, 1, 125, 126, 127, 4_096, 4_097, 65_535, 65_536]

test('texts of every length and alphabet arrive as they were sent', async (t) => {
  const { exchange } = await connect(t)
  for (const character of ['a', '\u0000', '\u007f', '\u0080', 'é', 'ÿ', 'Ā', '漢', '😀'])
    for (const length of LENGTHS) {
      const text = character.repeat(length)
      assert.equal(await exchange(text), text, `${length} times ${JSON.stringify(character)}`)
    }
})

test('a short ASCII text is one piece with its head, another text is not', async (t) => {
  const { exchange, pieces } = await connect(t)
  await exchange('{"result":"0x1"}')
  await exchange('a'.repeat(4_096))
  assert.deepEqual(pieces, [1, 1])
  await exchange('{"result":"é"}')
  await exchange('a'.repeat(4_097))
  assert.deepEqual(pieces, [1, 1, 2, 2])
})

test('compressed texts, fragments and control frames stay intact', async (t) => {
  const { exchange, socket } = await connect(t, true)
  const text = 'compressible '.repeat(200)
  assert.equal(await exchange(text), text)
  assert.equal(await exchange('short'), 'short')
  const arrived = once(socket, 'pong')
  socket.ping('alive')
  await arrived
  socket.send('a', { fin: false })
  assert.equal(await exchange('b'), 'ab')
})
