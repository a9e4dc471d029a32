/**
 * RLPx as Besu and geth implement it: recorded handshakes and frames, in both roles, in one piece and byte by byte.
 * Compressed data is compared by its content, because implementations compress differently.
 */
import assert from 'node:assert/strict'
import { parseStaticNodes } from '#p2p/read-nodes.ts'
import { encryptEcies } from '#p2p/rlpx/ecies.ts'
import { FrameDecoder } from '#p2p/rlpx/frame-decoder.ts'
import { FrameEncoder } from '#p2p/rlpx/frame-encoder.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { type FrameSecrets, readHandshake } from '#p2p/rlpx/handshake.ts'
import { systemRandom } from '#platform/random.ts'
import { concatBytes, numberToBytes } from '#types/bytes.ts'
import { publicKeyFromPrivate } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { parseDataLenient } from '#types/hex.ts'
import { decodeRlp, type RlpItem, rlpItemEnd } from '#types/rlp.ts'
import { verifyEthMessage } from '../recorded/eth-messages.ts'
import { type RecordedPacket, verifyPacketData } from '../recorded/eth-packets.ts'
import { type RecordedSession, readAll, unpack, verifySession } from '../recorded/rlpx-session.ts'
import { type Outcome, outcomeOf, type Pack, type Suite } from '../suite.ts'

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
  if (file.includes('eth66/')) return outcomeOf(file, () => verifyPacket(pack.json(file) as RecordedPacket))
  if (file.includes('dns-discovery/')) return waits('discovery by DNS')
  if (file.includes('discv5')) return waits('discovery v5')
  if (file.includes('static-nodes/')) return outcomeOf(file, () => verifyStaticNodes(pack.text(file), file))
  return waits('nothing reads it')
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

/** Named as in geth: `GetReceiptsPacket66`. */
function verifyPacket({ type, rlp, data }: RecordedPacket): void {
  const name = type.replace('Packet66', '')
  verifyEthMessage(name, 66, bytes(rlp))
  verifyPacketData(name, bytes(rlp), data)
}

/** Every file name contains the expected result. */
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

/** The initiator's encrypted message, with the recipient's key. */
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
