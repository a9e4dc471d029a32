import { deepStrictEqual } from 'node:assert'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatDigits } from '#types/hex.ts'
import { MetPeers } from './met-peers.ts'

const [one, two] = [1, 2].map((byte) => {
  const publicKey = publicKeyFromPrivate('secp256k1', new Uint8Array(32).fill(byte))
  return { id: formatDigits(publicKey), address: addressFromPublicKey(publicKey) }
})

test('a peer that was turned away is remembered by address until it joins or stays away', () => {
  const clock = createFakeClock()
  const met = new MetPeers(clock)
  met.turnAway(one!.id, 'genesis block')
  met.turnAway(two!.id, 'forks')
  const seen = () => met.turnedAway().map(({ address, why }) => [address, why])
  deepStrictEqual(seen(), [
    [one!.address, 'genesis block'],
    [two!.address, 'forks'],
  ])
  met.joined(one!.id)
  deepStrictEqual([seen(), met.exchanging()], [[[two!.address, 'forks']], [one!.address]])
  clock.advance(150_001)
  met.left(one!.id)
  deepStrictEqual([seen(), met.exchanging()], [[], []])
})
