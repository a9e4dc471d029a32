import { deepStrictEqual } from 'node:assert'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { KnownHashes } from '#sync/peers/known-hashes.ts'
import type { Hash } from '#types/hash.ts'
import { RelayHashes } from './relay-hashes.ts'

const SOON_MS = 50
const LATE_MS = 500
const NEEDED_MS = 600_000

function relaying() {
  const clock = createFakeClock()
  const [eager, informed] = ['eager', 'informed'].map((name) => ({
    name,
    transactions: new KnownHashes(100),
  })) as [Peer, Peer]
  const sent: string[] = []
  const relay = new RelayHashes<Peer>({
    clock,
    peers: () => [eager, informed],
    announce: ({ name }, all) => void sent.push(`${all.map(({ hash }) => hash).join(' and ')} to ${name}`),
  })
  const add = (...hashes: string[]) =>
    relay.add(hashes.map((hash) => ({ hash: hash as Hash, type: 0, size: 100 })))
  const after = (ms: number): string[] => {
    clock.advance(ms)
    return sent.splice(0)
  }
  return { eager, informed, relay, add, after }
}

interface Peer {
  readonly name: string
  readonly transactions: KnownHashes
}

test('transactions are announced together, to each peer that lacks them, once', () => {
  const { eager, add, after } = relaying()
  add('0x1')
  add('0x2', '0x2', '0x3')
  eager.transactions.add('0x1' as Hash)
  deepStrictEqual(after(SOON_MS - 1), [])
  deepStrictEqual(after(1), ['0x2 and 0x3 to eager', '0x1 and 0x2 and 0x3 to informed'])
  deepStrictEqual(after(LATE_MS), [])
})

test('a peer that hears others gets announcements late, without those that it got meanwhile', () => {
  const { informed, relay, add, after } = relaying()
  relay.hearsOthers(informed)
  add('0x1', '0x2')
  deepStrictEqual(after(SOON_MS), ['0x1 and 0x2 to eager'])
  informed.transactions.add('0x1' as Hash)
  deepStrictEqual(after(LATE_MS - SOON_MS), ['0x2 to informed'])
})

test('a peer that requests a transaction announced late gets announcements soon for some time', () => {
  const { informed, relay, add, after } = relaying()
  relay.hearsOthers(informed)
  add('0x1')
  after(LATE_MS)
  relay.onRequested(informed, ['0x9' as Hash])
  add('0x2')
  deepStrictEqual(after(LATE_MS), ['0x2 to eager', '0x2 to informed'])
  relay.onRequested(informed, ['0x9' as Hash, '0x2' as Hash])
  relay.hearsOthers(informed)
  add('0x3')
  deepStrictEqual(after(SOON_MS), ['0x3 to eager', '0x3 to informed'])
  after(NEEDED_MS)
  add('0x4')
  deepStrictEqual(after(SOON_MS), ['0x4 to eager'])
})
