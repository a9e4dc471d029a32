/** Replays one side of a recorded RLPx session: handshake, frames, messages. */
import assert from 'node:assert/strict'
import { keyAgreement } from '#p2p/node-key.ts'
import { FrameDecoder } from '#p2p/rlpx/frame-decoder.ts'
import { FRAME_MAX_BYTES, FrameEncoder } from '#p2p/rlpx/frame-encoder.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { deriveSecrets, type FrameSecrets, readHandshake } from '#p2p/rlpx/handshake.ts'
import { decodeAck, decodeAuth } from '#p2p/rlpx/handshake-packet.ts'
import { deflate, inflate } from '#p2p/rlpx/snappy.ts'
import { decodeHello, HELLO } from '#p2p/rlpx/wire-messages.ts'
import { systemRandom } from '#platform/random.ts'
import { parseDataLenient as bytes, formatDigits } from '#types/hex.ts'

/** The session's keys are ours. */
export interface RecordedSession {
  readonly role: 'initiator' | 'responder'
  readonly remoteId: string
  readonly staticKey: string
  readonly ephemeralKey: string
  readonly nonce: string
  readonly auth: string
  readonly ack: string
  readonly aesSecret: string
  readonly macSecret: string
  readonly sent: readonly string[]
  readonly received: string
  readonly receivedMessages: readonly { readonly code: number; readonly plain: string }[]
}

const { parts } = await testNode()

export async function verifySession(session: RecordedSession): Promise<void> {
  const { parts: ours } = await testNode(systemRandom, session.staticKey)
  const auth = bytes(session.auth)
  const ack = bytes(session.ack)
  const own = keyAgreement(bytes(session.ephemeralKey))
  const nonce = bytes(session.nonce)
  let secrets: () => FrameSecrets
  if (session.role === 'initiator') {
    const answer = await decodeAck(ours.nodeKey, ack, 'eip8')
    const nonces = { initiator: nonce, responder: answer.nonce }
    secrets = () =>
      deriveSecrets(ours, { role: 'initiator', own, other: answer.ephemeralKey, nonces, auth, ack })
  } else {
    const { nonce: initiatorNonce } = await decodeAuth(ours.nodeKey, auth, 'eip8')
    const asked = await readHandshake(ours, auth, 'eip8')
    assert.equal(formatDigits(asked.publicKey), session.remoteId)
    const { secrets: answered } = asked.answer({ ephemeralKey: bytes(session.ephemeralKey), nonce })
    assert.equal(formatDigits(answered.aes), session.aesSecret)
    secrets = () => {
      // The key of the recorded ack is lost, but its effect on the MACs is known.
      const egress = parts.createRunningKeccak()
      egress.update(xor(answered.mac, initiatorNonce))
      egress.update(ack)
      const ingress = parts.createRunningKeccak()
      ingress.update(xor(answered.mac, nonce))
      ingress.update(auth)
      return { aes: answered.aes, mac: answered.mac, egress, ingress }
    }
  }
  assert.equal(formatDigits(secrets().aes), session.aesSecret)
  assert.equal(formatDigits(secrets().mac), session.macSecret)

  const received = bytes(session.received)
  for (const size of [received.length, 1]) {
    const messages = readAll(new FrameDecoder(secrets()), received, size)
    const plain = messages.map(({ code, data }) => ({ code, plain: formatDigits(unpack(code, data)) }))
    assert.deepEqual(
      plain,
      session.receivedMessages.map((message) => ({ code: message.code, plain: message.plain })),
    )
  }
  assert.equal(
    formatDigits(decodeHello(bytes(session.receivedMessages[0]!.plain)).publicKey),
    session.remoteId,
  )
  verifySent(secrets, session)
}

/** Reads our sent frames as the peer did, and encodes them again. */
function verifySent(secrets: () => FrameSecrets, { sent }: RecordedSession): void {
  const stream = bytes(sent.join(''))
  const { aes, mac, egress } = secrets()
  const messages = readAll(new FrameDecoder({ aes, mac, ingress: egress, egress }), stream, 1)
  assert.equal(messages.length, sent.length)
  const encoder = new FrameEncoder(secrets())
  for (const [at, { code, data }] of messages.entries()) {
    assert.equal(formatDigits(encoder.encode(code, data)), sent[at])
    const plain = unpack(code, data)
    if (code !== HELLO) assert.deepEqual(inflate(deflate(plain), plain.length), plain)
  }
}

/** `size` is the number of bytes per read. */
export function readAll(decoder: FrameDecoder, stream: Uint8Array, size: number) {
  const messages: { readonly code: number; readonly data: Uint8Array }[] = []
  for (let at = 0; at < stream.length; at += size) {
    messages.push(...decoder.push(stream.subarray(at, at + size)))
  }
  return messages
}

export function unpack(code: number, data: Uint8Array): Uint8Array {
  return code === HELLO ? data : inflate(data, FRAME_MAX_BYTES)
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, at) => byte ^ b[at]!)
}
