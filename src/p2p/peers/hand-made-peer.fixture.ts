/** A peer whose messages are written by hand. The caller destroys its socket. */
import { connect } from 'node:net'
import { FrameDecoder, type WireFrame } from '#p2p/rlpx/frame-decoder.ts'
import { FrameEncoder } from '#p2p/rlpx/frame-encoder.ts'
import { type TestNode, testNode } from '#p2p/rlpx/handshake.fixture.ts'
import * as wire from '#p2p/rlpx/wire-messages.ts'
import { systemRandom } from '#platform/random.ts'
import type { Enode } from '#types/enode.ts'
import { shakeHandsOutbound } from './handshake-socket.ts'
import { until } from './peers.fixture.ts'

export async function handMadePeer(to: Enode, of?: TestNode) {
  const node = of ?? (await testNode(systemRandom))
  const socket = connect({ host: to.host, port: to.tcpPort!, noDelay: true })
  socket.on('error', () => {})
  const deadline = AbortSignal.timeout(5_000)
  const shaken = await shakeHandsOutbound(socket, node.parts, Buffer.from(to.id, 'hex'), deadline)
  const encoder = new FrameEncoder(shaken.secrets)
  const decoder = new FrameDecoder(shaken.secrets)
  const frames: WireFrame[] = []
  socket.on('data', (bytes) => frames.push(...decoder.push(bytes)))
  frames.push(...decoder.push(shaken.rest))
  socket.resume()
  const capabilities = [{ name: 'test', version: 1 }]
  const hello = {
    p2pVersion: 5,
    clientId: 'attacker',
    capabilities,
    listenPort: 0,
    publicKey: node.publicKey,
  }
  return {
    socket,
    frames,
    send: (code: number, data: Uint8Array) => socket.write(encoder.encode(code, data)),
    sayHello: (change: Partial<wire.Hello> = {}) =>
      socket.write(encoder.encode(wire.HELLO, wire.encodeHello({ ...hello, ...change }))),
    /** The reason of the DISCONNECT it received. */
    async reason() {
      await until(() => frames.some(({ code }) => code === wire.DISCONNECT) || socket.closed)
      const goodbye = frames.find(({ code }) => code === wire.DISCONNECT)
      if (goodbye === undefined) return 'no word'
      const plain = wire.decodeDisconnect(goodbye.data)
      return plain === 'unknown' ? wire.decodeDisconnect(goodbye.data.subarray(2)) : plain
    },
  }
}
