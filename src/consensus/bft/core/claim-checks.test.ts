import { deepStrictEqual, strictEqual } from 'node:assert'
import { test } from 'node:test'
import type { Delivery, RequestKey } from '#consensus/bft/events.ts'
import { MessageBench } from '#consensus/bft/messages.fixture.ts'
import type { ProposedBlock, RoundChangeMessage } from '#consensus/bft/messages.ts'
import { createQbftRules } from '#consensus/qbft/rules.ts'
import { ClaimChecks, MAX_CHECKS_PER_PEER } from './claim-checks.ts'

const bench = new MessageBench('qbft', 'current')
const [first, second] = bench.validators
const BLOCK = bench.block(first!, 0)
const by = (from: string): Delivery => ({ from, passOn: () => {} })

class ClaimFixture {
  readonly asked: ProposedBlock[] = []
  readonly cancelled: number[] = []
  readonly checks = new ClaimChecks({
    rules: createQbftRules({ maxRoundTimeoutMs: 60_000 }),
    validate: (block) => {
      this.asked.push(block)
      return this.key(this.asked.length)
    },
    cancel: (id) => void this.cancelled.push(id),
  })

  /** The key of the request with this number. */
  key(id: number): RequestKey {
    return { id, height: 5, round: 0 }
  }

  waitingFor(id: number): readonly RoundChangeMessage[] | undefined {
    return this.checks.finish(this.key(id))?.waiting.map(({ message }) => message)
  }
}

const [one, other, later] = await Promise.all([
  bench.roundChange(first!, 1),
  bench.roundChange(second!, 1),
  bench.roundChange(first!, 3),
])

test('a block is validated once, and every round change that claims it waits for the answer', () => {
  const fixture = new ClaimFixture()
  const added = [one, other, one, later].map((change) => fixture.checks.add(change, BLOCK, by('a')))
  deepStrictEqual([added, fixture.asked.length], [[true, true, true, true], 1])
  strictEqual(fixture.waitingFor(7), undefined)
  deepStrictEqual(fixture.waitingFor(1), [one, other, later])
  strictEqual(fixture.waitingFor(1), undefined)
})

test('the same header with another body is validated separately', () => {
  const fixture = new ClaimFixture()
  fixture.checks.add(one, BLOCK, by('a'))
  fixture.checks.add(other, { ...BLOCK, encoded: BLOCK.encoded.with(-1, 0xc1) }, by('b'))
  strictEqual(fixture.asked.length, 2)
  deepStrictEqual([fixture.waitingFor(2), fixture.waitingFor(1)], [[other], [one]])
})

test('a peer that sends ever more blocks uses up only its own capacity', () => {
  const fixture = new ClaimFixture()
  const blocks = Array.from({ length: 6 }, (_, number) => bench.block(first!, 0, 5 + number))
  const added = blocks.map((block) => fixture.checks.add(one, block, by('a')))
  strictEqual(added.filter(Boolean).length, MAX_CHECKS_PER_PEER)
  strictEqual(fixture.checks.add(other, blocks.at(-1)!, by('b')), true)
  strictEqual(fixture.checks.add(other, blocks[0]!, by('a')), true)
  fixture.checks.finish(fixture.key(1))
  strictEqual(fixture.checks.add(one, blocks[3]!, by('a')), true)
})

test('a failed check is repeated with the others, and its old answer is ignored', () => {
  const fixture = new ClaimFixture()
  fixture.checks.add(one, BLOCK, by('a'))
  fixture.checks.add(other, bench.block(second!, 0), by('a'))
  deepStrictEqual(
    [fixture.checks.failed(fixture.key(9)), fixture.checks.failed(fixture.key(1))],
    [false, true],
  )
  strictEqual(fixture.waitingFor(1), undefined)
  fixture.checks.askAgain()
  deepStrictEqual([fixture.asked.length, fixture.cancelled], [4, [2]])
  strictEqual(fixture.waitingFor(2), undefined)
  deepStrictEqual([fixture.waitingFor(3), fixture.waitingFor(4)], [[one], [other]])
})

test('a check is cancelled when no remaining round waits for it', () => {
  const fixture = new ClaimFixture()
  fixture.checks.add(one, BLOCK, by('a'))
  fixture.checks.add(later, BLOCK, by('a'))
  fixture.checks.add(other, bench.block(second!, 0), by('a'))
  fixture.checks.dropBelow(2)
  deepStrictEqual(fixture.cancelled, [2])
  fixture.checks.dropBelow(3)
  deepStrictEqual([fixture.cancelled, fixture.waitingFor(1)], [[2], [later]])
  fixture.checks.add(later, BLOCK, by('a'))
  fixture.checks.dropBelow(4)
  deepStrictEqual([fixture.cancelled, fixture.waitingFor(3)], [[2, 3], undefined])
})
