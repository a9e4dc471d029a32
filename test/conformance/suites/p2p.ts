/**
 * RLPx as Besu and geth spoke it: recorded handshakes and frames, in both roles, whole and byte by byte. Compression is
 * compared by what it holds: packers differ in how they pack.
 */
import assert from 'node:assert/strict'
import { keyAgreement } from '#p2p/node-key.ts'
import { encryptEcies } from '#p2p/rlpx/ecies.ts'
import { FrameDecoder } from '#p2p/rlpx/frame-decoder.ts'
import { FRAME_MAX_BYTES, FrameEncoder } from '#p2p/rlpx/frame-encoder.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { deriveSecrets, type FrameSecrets, readHandshake } from '#p2p/rlpx/handshake.ts'
import { decodeAck, decodeAuth } from '#p2p/rlpx/handshake-packet.ts'
import { deflate, inflate } from '#p2p/rlpx/snappy.ts'
import { decodeHello, HELLO } from '#p2p/rlpx/wire-messages.ts'
import { parseStaticNodes } from '#p2p/static-nodes.ts'
import { systemRandom } from '#platform/random.ts'
import { concatBytes, numberToBytes } from '#types/bytes.ts'
import { publicKeyFromPrivate } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { formatDigits, parseDataLenient } from '#types/hex.ts'
import { decodeRlp, type RlpItem, rlpItemEnd } from '#types/rlp.ts'
import { type Outcome, outcomeOf, type Pack, type Suite } from '../suite.ts'

/** One side of a session with a peer; the keys are ours. */
interface RecordedSession {
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

interface RecordedFrames {
  readonly aes_secret: string
  readonly mac_secret: string
  readonly egress_gen: readonly string[]
  readonly ingress_gen: readonly string[]
  readonly messages: readonly { readonly data: string; readonly frame_size: number }[]
}

const bytes = parseDataLenient
const { parts } = await testNode()

const suite: Suite = {
  name: 'p2p',
  async *run(pack: Pack) {
    for (const file of pack.files('p2p').filter((path) => !path.includes('README'))) yield outcome(pack, file)
  },
}

export default suite

function outcome(pack: Pack, file: string): Outcome | Promise<Outcome> {
  const waits = (reason: string): Outcome => ({ unit: file, status: 'waits', reason })
  if (/-(initiator|responder)\.json$/.test(file)) {
    return outcomeOf(file, () => verifySession(pack.json(file) as RecordedSession))
  }
  if (file.includes('rlpx-frames/')) {
    return outcomeOf(file, () => verifyFrames(pack.json(file) as RecordedFrames))
  }
  if (file.includes('ecies/')) return outcomeOf(file, () => verifyInitiatorMessage(pack))
  if (file.includes('eth66/')) return waits('eth, the protocol of blocks and transactions')
  if (file.includes('dns-discovery/')) return waits('discovery by DNS')
  if (file.includes('discv5')) return waits('discovery v5')
  if (file.includes('static-nodes/')) return outcomeOf(file, () => verifyStaticNodes(pack.text(file), file))
  return waits('nothing reads it')
}

async function verifySession(session: RecordedSession): Promise<void> {
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
      // The recorded ack was encrypted with a key that nobody kept; what it means for the MACs is known.
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

/** What we sent, read as the peer read it, and made again. */
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

function verifyFrames(recorded: RecordedFrames): void {
  const running = (pieces: readonly string[]) => {
    const state = parts.createRunningKeccak()
    for (const piece of pieces) state.update(bytes(piece))
    return state
  }
  const secrets = (): FrameSecrets => ({
    aes: bytes(recorded.aes_secret),
    mac: bytes(recorded.mac_secret),
    egress: running(recorded.egress_gen),
    ingress: running(recorded.ingress_gen),
  })
  const frames = recorded.messages.map(({ data }) => bytes(data))
  const stream = concatBytes(...frames)
  for (const size of [stream.length, 1]) {
    const messages = readAll(new FrameDecoder(secrets()), stream, size)
    assert.deepEqual(
      messages.map(({ data }) => data.length + 1),
      recorded.messages.map(({ frame_size }) => frame_size),
    )
    const { ingress, ...common } = secrets()
    const encoder = new FrameEncoder({ ...common, egress: ingress, ingress })
    for (const [at, { code, data }] of messages.entries()) {
      assert.ok(Buffer.from(encoder.encode(code, data)).equals(frames[at]!), `frame ${at}`)
      unpack(code, data)
    }
  }
}

/** Every file is named after what is to be said of it. */
async function verifyStaticNodes(text: string, file: string): Promise<void> {
  const names = (areAllowed: boolean) => ({
    areAllowed,
    areKept: false,
    resolve: async (name: string) => (name === 'localhost' ? '127.0.0.1' : Promise.reject(new Error(name))),
  })
  const parse = (areAllowed: boolean) => parseStaticNodes(text, file, names(areAllowed))
  if (!/\/valid_/.test(file)) return void (await assert.rejects(parse(true), Fault))
  assert.equal((await parse(true)).length, 4)
  if (file.includes('hostname')) await assert.rejects(parse(false), Fault)
}

/** What an initiator encrypted, with the key of the one it was for. */
async function verifyInitiatorMessage(pack: Pack): Promise<void> {
  const key = pack.text('p2p/ecies/test.keypair').trim()
  const plain = bytes(pack.text('p2p/ecies/test.initiatormessage').trim())
  const { parts: ours } = await testNode(systemRandom, key)
  const length = numberToBytes(plain.length + 113, 2)
  const to = publicKeyFromPrivate('secp256k1', bytes(key))
  const packet = concatBytes(length, encryptEcies(to, plain, length, systemRandom))
  const body = decodeRlp(plain.subarray(0, rlpItemEnd(plain, 0))) as readonly RlpItem[]
  assert.deepEqual((await readHandshake(ours, packet, 'eip8')).publicKey, body[1])
}

function readAll(decoder: FrameDecoder, stream: Uint8Array, size: number) {
  const messages: { readonly code: number; readonly data: Uint8Array }[] = []
  for (let at = 0; at < stream.length; at += size) {
    messages.push(...decoder.push(stream.subarray(at, at + size)))
  }
  return messages
}

function unpack(code: number, data: Uint8Array): Uint8Array {
  return code === HELLO ? data : inflate(data, FRAME_MAX_BYTES)
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, at) => byte ^ b[at]!)
}
