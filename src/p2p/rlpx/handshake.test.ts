import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyAgreement } from '#p2p/node-key.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { concatBytes } from '#types/bytes.ts'
import { publicKeyFromPrivate } from '#types/curve.ts'
import type { Fault } from '#types/fault.ts'
import { formatDigits, parseDataLenient } from '#types/hex.ts'
import { decryptEcies, encryptEcies } from './ecies.ts'
import { ACKS, AUTHS, KEYS, SECRETS } from './eip8.fixture.ts'
import { type TestNode, testNode } from './handshake.fixture.ts'
import { deriveSecrets, openHandshake, readHandshake } from './handshake.ts'
import {
  decodeAck,
  encodeAuth,
  HandshakeInbox,
  PACKET_MAX_BYTES,
  type PacketForm,
} from './handshake-packet.ts'

const bytes = parseDataLenient
const a = await testNode(createSeededRandom(1), KEYS.staticA)
const b = await testNode(createSeededRandom(2), KEYS.staticB)
const DRAW_A = { ephemeralKey: bytes(KEYS.ephemeralA), nonce: bytes(KEYS.nonceA) }
const DRAW_B = { ephemeralKey: bytes(KEYS.ephemeralB), nonce: bytes(KEYS.nonceB) }

const invalid = (fault: Fault) => fault.kind === 'INVALID_HANDSHAKE'
const formOf = (name: string): PacketForm => (name === 'legacy' ? 'legacy' : 'eip8')
const flipped = (packet: Uint8Array, at: number) =>
  packet.map((byte, index) => (index === at ? byte ^ 1 : byte))

for (const [name, auth] of Object.entries(AUTHS)) {
  test(`auth ${name} of EIP-8 proves the key of node A`, async () => {
    const asked = await readHandshake(b.parts, bytes(auth), formOf(name))
    assert.deepEqual(asked.publicKey, a.publicKey)
  })
}

for (const [name, packet] of Object.entries(ACKS)) {
  test(`ack ${name} of EIP-8 has the ephemeral key and the nonce of node B`, async () => {
    const ack = await decodeAck(a.parts.nodeKey, bytes(packet), formOf(name))
    assert.deepEqual(ack.ephemeralKey, publicKeyFromPrivate('secp256k1', DRAW_B.ephemeralKey))
    assert.deepEqual(ack.nonce, DRAW_B.nonce)
  })
}

test('both sides derive the secrets of EIP-8', () => {
  const common = {
    nonces: { initiator: DRAW_A.nonce, responder: DRAW_B.nonce },
    auth: bytes(AUTHS.version4),
    ack: bytes(ACKS.version4),
  }
  const ofA = deriveSecrets(a.parts, {
    ...common,
    role: 'initiator',
    own: keyAgreement(DRAW_A.ephemeralKey),
    other: publicKeyFromPrivate('secp256k1', DRAW_B.ephemeralKey),
  })
  const ofB = deriveSecrets(b.parts, {
    ...common,
    role: 'responder',
    own: keyAgreement(DRAW_B.ephemeralKey),
    other: publicKeyFromPrivate('secp256k1', DRAW_A.ephemeralKey),
  })
  for (const secrets of [ofA, ofB]) {
    assert.equal(formatDigits(secrets.aes), SECRETS.aes)
    assert.equal(formatDigits(secrets.mac), SECRETS.mac)
  }
  assert.deepEqual(ofA.ingress.digest(), ofB.egress.digest())
  ofB.ingress.update(new TextEncoder().encode('foo'))
  assert.equal(formatDigits(ofB.ingress.digest()), SECRETS.ingressFoo)
})

async function shakeHands(asking: TestNode, asked: TestNode) {
  const opened = await openHandshake(asking.parts, asked.publicKey)
  const read = await readHandshake(asked.parts, opened.auth, 'eip8')
  const answer = read.answer()
  return { opened, read, answer, secrets: await opened.finish(answer.ack, 'eip8') }
}

test('two nodes agree on secrets and identify each other', async () => {
  const { read, answer, secrets } = await shakeHands(a, b)
  assert.deepEqual(read.publicKey, a.publicKey)
  assert.deepEqual(secrets.aes, answer.secrets.aes)
  assert.deepEqual(secrets.mac, answer.secrets.mac)
  assert.deepEqual(secrets.egress.digest(), answer.secrets.ingress.digest())
  assert.deepEqual(secrets.ingress.digest(), answer.secrets.egress.digest())
})

test('a legacy auth gets a legacy ack', async () => {
  const read = await readHandshake(b.parts, bytes(AUTHS.legacy), 'legacy')
  const { ack } = read.answer(DRAW_B)
  assert.equal(ack.length, 210)
  assert.deepEqual((await decodeAck(a.parts.nodeKey, ack, 'legacy')).nonce, DRAW_B.nonce)
})

test('a packet with any changed byte is refused with the same message', async () => {
  const { opened, answer } = await shakeHands(a, b)
  const sentences = new Set<string>()
  for (const at of [0, 1, 2, 3, 40, 70, 85, 120, opened.auth.length - 1]) {
    await assert.rejects(readHandshake(b.parts, flipped(opened.auth, at), 'eip8'), (fault: Fault) => {
      sentences.add(fault.message)
      return invalid(fault)
    })
  }
  assert.equal(sentences.size, 1)
  await assert.rejects(opened.finish(flipped(answer.ack, 100), 'eip8'), invalid)
})

test('an auth to another node, or signed by another key than it names, is refused', async () => {
  const opened = await openHandshake(a.parts, a.publicKey)
  await assert.rejects(readHandshake(b.parts, opened.auth, 'eip8'), invalid)
  const noSignature = { signature: new Uint8Array(65), publicKey: a.publicKey, nonce: DRAW_A.nonce }
  const forged = encodeAuth(b.publicKey, noSignature, a.parts.random)
  await assert.rejects(readHandshake(b.parts, forged, 'eip8'), invalid)
  const noKey = { signature: new Uint8Array(65), publicKey: new Uint8Array(64).fill(1), nonce: DRAW_A.nonce }
  await assert.rejects(
    readHandshake(b.parts, encodeAuth(b.publicKey, noKey, a.parts.random), 'eip8'),
    invalid,
  )
})

test('a point off the curve is refused before the key is used', async () => {
  const message = encryptEcies(b.publicKey, new Uint8Array(10), new Uint8Array(0), a.parts.random)
  assert.equal((await decryptEcies(b.parts.nodeKey, message, new Uint8Array(0))).length, 10)
  const outside = message.slice()
  outside.fill(7, 1, 65)
  await assert.rejects(decryptEcies(b.parts.nodeKey, outside, new Uint8Array(0)), invalid)
})

test('the inbox reassembles packets of either form and returns the bytes after them', async () => {
  const hello = bytes('0102030405')
  for (const [name, auth] of Object.entries(AUTHS)) {
    const form = formOf(name)
    const stream = concatBytes(bytes(auth), hello)
    for (const size of [1, 7, 306, 307, stream.length]) {
      const inbox = new HandshakeInbox('auth')
      let rest: Uint8Array | undefined
      for (let at = 0; at < stream.length; at += size) {
        const piece = stream.subarray(at, at + size)
        if (rest !== undefined) {
          rest = concatBytes(rest, piece)
          continue
        }
        const found = await inbox.push(piece, async (packet, as) => {
          assert.equal(as, form)
          assert.deepEqual(packet, bytes(auth))
          if (size > 300) await readHandshake(b.parts, packet, as)
        })
        rest = found?.rest
      }
      assert.deepEqual(rest, hello)
    }
  }
})

test('an EIP-8 packet whose length looks legacy is decoded', async () => {
  const inbox = new HandshakeInbox('auth')
  const packet = concatBytes(Uint8Array.of(0x04, 0x10, 0x04), new Uint8Array(0x410 - 1).fill(9))
  const forms: PacketForm[] = []
  const found = await inbox.push(packet, async (_, form) => {
    forms.push(form)
    if (form === 'legacy') throw new Error('not legacy')
    return form
  })
  assert.deepEqual(forms, ['legacy', 'eip8'])
  assert.equal(found?.result, 'eip8')
})

test('an impossible length is refused by its first two bytes', async () => {
  const never = async () => assert.fail()
  for (const length of [0, 114, PACKET_MAX_BYTES + 1, 0x4745]) {
    const start = Uint8Array.of(length >> 8, length & 0xff)
    await assert.rejects(new HandshakeInbox('auth').push(start, never), invalid)
  }
  const notAPoint = new Uint8Array(307).fill(5)
  notAPoint[0] = 4
  await assert.rejects(
    new HandshakeInbox('auth').push(notAPoint, async () => Promise.reject(new Error('no'))),
    invalid,
  )
})
