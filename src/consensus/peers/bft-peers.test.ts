import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testValidators } from '#consensus/network.fixture.ts'
import type { PeerLink } from '#p2p/peers/protocol.ts'
import type { Address } from '#types/address.ts'
import { publicKeyFromPrivate } from '#types/curve.ts'
import { formatDigits } from '#types/hex.ts'
import { BftPeers } from './bft-peers.ts'

const [one, two] = testValidators(2) as [
  ReturnType<typeof testValidators>[0],
  ReturnType<typeof testValidators>[0],
]

const met = {
  exchanging: () => [two.address],
  turnedAway: () => [{ address: one.address, why: 'forks' } as const],
}

function linkOf(key: Uint8Array) {
  const publicKey = publicKeyFromPrivate('secp256k1', key)
  const sent: number[] = []
  const heldBack: number[] = []
  const peer = { publicKey, enode: { id: formatDigits(publicKey) } } as PeerLink['peer']
  const link: PeerLink = {
    peer,
    send: (code) => sent.push(code) > 0,
    drained: () => Promise.resolve(),
    holdBack: (ms) => void heldBack.push(ms),
    disconnect: () => undefined,
  }
  return { link, sent, heldBack }
}

test('a peer counts as the validator of its key until its last connection closes', () => {
  const peers = new BftPeers(['qbft'], met)
  const heard: [Address, number][] = []
  const back: Address[] = []
  const [protocol] = peers.protocols()
  assert.deepEqual([protocol!.name, protocol!.version, protocol!.messageCount], ['istanbul', 100, 22])
  assert.deepEqual(
    [0, 0x11, 0x12, 0x15, 0x16].map((code) => protocol!.limitOf(code) !== undefined),
    [false, false, true, true, false],
  )
  const first = linkOf(one.key)
  const handlers = protocol!.connect(first.link)
  handlers.onMessage(0x12, Uint8Array.of(1))
  peers.attach({
    receive(from, code) {
      heard.push([from, code])
      return 0
    },
    peerReconnected: (address) => void back.push(address),
  })
  handlers.onMessage(0x13, Uint8Array.of(1))
  const again = linkOf(one.key)
  protocol!.connect(again.link)
  handlers.onClose?.('tcpError')
  assert.deepEqual(peers.connected(), [one.address])
  peers.send([one.address, two.address], 0x14, Uint8Array.of(2))
  assert.deepEqual([first.sent, again.sent], [[], [0x14]])
  assert.deepEqual(heard, [[one.address, 0x13]])
  assert.deepEqual(back, [one.address, one.address])
  assert.equal(peers.idOf(one.address), again.link.peer.enode.id)
  assert.equal(peers.idOf(two.address), undefined)
  assert.deepEqual(peers.exchanging(), met.exchanging())
  assert.deepEqual(peers.turnedAway(), met.turnedAway())
})

test('a peer that sent too much is held back, and main answers at once', () => {
  const peers = new BftPeers(['qbft'], met)
  const { link, heldBack } = linkOf(one.key)
  const handlers = peers.protocols()[0]!.connect(link)
  peers.attach({ receive: (_, code) => (code === 0x12 ? 2_000 : 0), peerReconnected: () => {} })
  assert.equal(handlers.onMessage(0x12, Uint8Array.of(1)), undefined)
  assert.equal(handlers.onMessage(0x13, Uint8Array.of(1)), undefined)
  assert.deepEqual(heldBack, [2_000])
})

test('a network that migrates from IBFT 2.0 to QBFT speaks both, distinguished by message code', () => {
  const peers = new BftPeers(['ibft2', 'qbft'], met)
  const links = peers.protocols().map((protocol) => {
    const made = linkOf(two.key)
    protocol.connect(made.link)
    return made
  })
  peers.send([two.address], 0x00, Uint8Array.of(1))
  peers.send([two.address], 0x15, Uint8Array.of(1))
  assert.deepEqual(
    links.map(({ sent }) => sent),
    [[0x00], [0x15]],
  )
})
