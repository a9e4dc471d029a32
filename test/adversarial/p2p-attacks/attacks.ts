/** Attacks with a node's enode URL, without a key or with a new one. */
import { createSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import { encodePacket } from '#p2p/discv4/packet.ts'
import { handMadePeer } from '#p2p/peers/hand-made-peer.fixture.ts'
import { until } from '#p2p/peers/peers.fixture.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { openHandshake } from '#p2p/rlpx/handshake.ts'
import { deflate } from '#p2p/rlpx/snappy.ts'
import { EMPTY_BODY, HELLO, PING } from '#p2p/rlpx/wire-messages.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { systemRandom } from '#platform/random.ts'
import { concatBytes } from '#types/bytes.ts'
import type { Enode } from '#types/enode.ts'

export interface Attack {
  readonly name: string
  run(to: Enode): Promise<void>
}

const PARALLEL = 100

function dial(to: Enode): Socket {
  const socket = connect({ host: to.host, port: to.tcpPort!, noDelay: true })
  socket.on('error', () => {})
  return socket
}

/** Opens many connections; each sends something and waits to be closed. */
async function connections(to: Enode, count: number, first: (at: number) => Uint8Array): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      const bytes = first(next++)
      const socket = dial(to)
      socket.resume()
      socket.write(bytes)
      // Not events.once, which throws if the node resets the connection.
      if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
}

/** A connection after the handshake, and its messages. */
async function shaken(to: Enode, says: (peer: Awaited<ReturnType<typeof handMadePeer>>) => void) {
  const peer = await handMadePeer(to)
  // The attack decides whether anything is read.
  peer.socket.pause()
  says(peer)
  return peer.socket
}

async function untilClosed(socket: Socket): Promise<void> {
  socket.resume()
  await until(() => socket.closed)
}

const afterHello =
  (code: number, data: () => Uint8Array) =>
  async (to: Enode): Promise<void> => {
    await untilClosed(
      await shaken(to, ({ send, sayHello }) => {
        sayHello()
        send(code, data())
      }),
    )
  }

export const ATTACKS: readonly Attack[] = [
  {
    name: '10,000 connections with five kinds of garbage',
    async run(to) {
      const node = await testNode(systemRandom)
      const { auth } = await openHandshake(node.parts, Buffer.from(to.id, 'hex'))
      const shapes = [
        Buffer.from('GET / HTTP/1.1\r\n\r\n'),
        new Uint8Array(400),
        concatBytes(Uint8Array.of(0x01, 0x90, 0x04), systemRandom.randomBytes(0x18f)),
        concatBytes(Uint8Array.of(0x04, 0, 0), systemRandom.randomBytes(304)),
        auth.with(100, auth[100]! ^ 1),
      ]
      await connections(to, 10_000, (at) => shapes[at % shapes.length]!)
    },
  },
  {
    name: '100 silent connections',
    async run(to) {
      const sockets = Array.from({ length: 100 }, () => dial(to).resume())
      await until(() => sockets.every(({ closed }) => closed))
    },
  },
  {
    name: '64 MB of garbage on one connection',
    async run(to) {
      const socket = dial(to).resume()
      const piece = systemRandom.randomBytes(65_536)
      for (let sent = 0; sent < 1_000 && !socket.destroyed; sent++) {
        if (!socket.write(piece)) await until(() => !socket.writableNeedDrain || socket.closed)
      }
      await until(() => socket.closed)
    },
  },
  {
    name: 'a frame of 16 MB before HELLO',
    run: async (to) => untilClosed(await shaken(to, ({ send }) => send(HELLO, new Uint8Array(16_000_000)))),
  },
  {
    name: '1,500 nested lists as HELLO',
    run: async (to) => untilClosed(await shaken(to, ({ send }) => send(HELLO, nested(1_500)))),
  },
  {
    name: '50 HELLOs',
    run: async (to) =>
      untilClosed(
        await shaken(to, ({ sayHello }) => {
          for (let count = 0; count < 50; count++) sayHello()
        }),
      ),
  },
  {
    name: 'seven bytes that claim 2 GiB',
    run: afterHello(0x10, () => Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x08, 0, 0)),
  },
  { name: '15 MB that unpack to 320 MB', run: afterHello(0x10, () => bomb(5_000_000)) },
  {
    name: '20,000 PINGs from a peer that does not read',
    async run(to) {
      const socket = await shaken(to, ({ send, sayHello }) => {
        sayHello()
        for (let count = 0; count < 20_000; count++) send(PING, deflate(EMPTY_BODY))
      })
      socket.pause()
      await new Promise((resolve) => void setTimeout(resolve, 1_000))
      socket.destroy()
    },
  },
  {
    name: '10,000 discovery packets with changed bytes',
    async run(to) {
      const node = await testNode(systemRandom)
      const random = createSeededRandom(1)
      const endpoint = { ip: '127.0.0.1', udpPort: 1, tcpPort: 1 }
      const expirationSeconds = Math.floor(Date.now() / 1000) + 60
      const common = { from: endpoint, to: endpoint, expirationSeconds, recordSequence: null }
      const { bytes } = await encodePacket(node.parts.nodeKey, node.parts.keccak, { type: 'ping', ...common })
      const socket = createSocket('udp4')
      for (let count = 0; count < 10_000; count++) {
        const at = 32 + random.randomBelow(bytes.length - 32)
        const changed = bytes.with(at, random.randomBelow(256))
        changed.set(node.parts.keccak(changed.subarray(32)))
        socket.send(changed, to.udpPort!, to.host)
        if (count % 200 === 0) await new Promise((resolve) => void setImmediate(resolve))
      }
      await new Promise((resolve) => void setTimeout(resolve, 500))
      socket.close()
    },
  },
]

function nested(depth: number): Uint8Array {
  let list: Uint8Array = new Uint8Array(0)
  for (let at = 0; at < depth; at++) {
    const length = list.length
    const header =
      length <= 55 ? [0xc0 + length] : length < 256 ? [0xf8, length] : [0xf9, length >> 8, length & 255]
    list = concatBytes(Uint8Array.from(header), list)
  }
  return list.subarray(0, 2_000)
}

/** Copies of 64 bytes each, after a plausible length. */
function bomb(copies: number): Uint8Array {
  const packed = Buffer.alloc(7 + copies * 3)
  let length = 64 * copies + 1
  let to = 0
  for (; length >= 0x80; length = Math.floor(length / 0x80)) packed[to++] = (length & 0x7f) | 0x80
  packed[to++] = length
  packed[to++] = 0
  packed[to++] = 7
  packed.fill(Buffer.from([0xfe, 0x01, 0x00]), to)
  return packed.subarray(0, to + copies * 3)
}
