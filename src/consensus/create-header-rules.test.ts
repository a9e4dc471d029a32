import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHash } from '#types/hash.ts'
import {
  extend,
  makeBlock,
  type NextBlock,
  openTestNetwork,
  type TestValidator,
  testNetwork,
  testValidators,
} from './network.fixture.ts'

const [a, b, c, d, stranger] = testValidators(5) as [
  TestValidator,
  TestValidator,
  TestValidator,
  TestValidator,
  TestValidator,
]
const four = [a, b, c, d]
const plain = { validators: four, author: a }

async function problemOf(config: Readonly<Record<string, unknown>>, next: NextBlock): Promise<string> {
  const { chain } = await openTestNetwork(testNetwork(config, four))
  const verdict = await extend(chain, next)
  return verdict.ok ? 'none' : verdict.sentence
}

const BROKEN: readonly (readonly [string, Partial<NextBlock>, RegExp])[] = [
  ['another mix hash', { change: { mixHash: parseHash('11'.repeat(32)) } }, /^The mix hash is/],
  ['another difficulty', { change: { difficulty: 2n } }, /^The difficulty is 2/],
  [
    'a time before the period is over',
    { laterSeconds: 1n },
    /^The time 1 is too early: blocks are 2 s apart/,
  ],
  ['a time in the future', { laterSeconds: 1_800_000_000n }, /is in the future/],
  ['validators that are not all', { validators: [a, b, c] }, /^It lists the validators/],
  ['validators in another order', { validators: [b, a, c, d] }, /^It lists the validators/],
  ['an author who is no validator', { author: stranger }, /is not a validator\.$/],
  ['too few seals', { sealers: [a, b] }, /^It has 2 seals, and 3 are needed\.$/],
  ['more seals than validators', { sealers: [a, b, c, d, stranger] }, /^It has 5 seals/],
  ['a seal of a stranger', { sealers: [a, b, stranger] }, /^It has a seal of/],
  ['two seals of one validator', { sealers: [a, b, b] }, /^Two seals are of one validator\.$/],
]

for (const protocol of ['qbft', 'ibft2'] as const) {
  const config = { [protocol]: { blockperiodseconds: 2 } }
  const fine: NextBlock = { ...plain, protocol, laterSeconds: 2n }

  test(`${protocol}: a block sealed by a quorum is imported in any round`, async () => {
    assert.equal(await problemOf(config, { ...fine, sealers: [d, a, c], round: 3 }), 'none')
  })

  test(`${protocol}: a header that breaks a rule is refused with that rule`, async () => {
    const { chain } = await openTestNetwork(testNetwork(config, four))
    for (const [what, wrong, sentence] of BROKEN) {
      const verdict = await extend(chain, { ...fine, ...wrong })
      assert.match(verdict.ok ? 'none' : verdict.sentence, sentence, what)
    }
    assert.equal(chain.head.header.number, 0n)
  })
}

test('blocks with sub-second periods may have the same time', async () => {
  const { chain } = await openTestNetwork(testNetwork({ qbft: { xblockperiodmilliseconds: 500 } }, four))
  for (const laterSeconds of [1n, 0n, 0n]) {
    assert.ok((await extend(chain, { ...plain, laterSeconds })).ok)
  }
  assert.equal(chain.head.header.number, 3n)
})

test('at sub-second periods the time goes back by at most a second', async () => {
  const { chain } = await openTestNetwork(testNetwork({ qbft: { xblockperiodmilliseconds: 500 } }, four))
  assert.ok((await extend(chain, { ...plain, laterSeconds: 10n })).ok)
  const verdict = await extend(chain, { ...plain, laterSeconds: -2n })
  assert.match(verdict.ok ? 'none' : verdict.sentence, /^The time 8 is too early: .* is 9\.$/)
  assert.ok((await extend(chain, { ...plain, laterSeconds: -1n })).ok)
})

test('a header may be at most one second ahead of the clock', async () => {
  const { chain, clock } = await openTestNetwork(testNetwork({ qbft: {} }, four))
  clock.setWall(9_999)
  const ahead = await makeBlock(chain, { ...plain, laterSeconds: 11n })
  assert.ok(!(await chain.importBlock(chain.receive(ahead))).ok)
  clock.setWall(10_000)
  assert.ok((await chain.importBlock(chain.receive(ahead))).ok)
})

test('a period changes with a transition', async () => {
  const transitions = { qbft: [{ block: 2, blockperiodseconds: 5 }] }
  const { chain } = await openTestNetwork(testNetwork({ qbft: {}, transitions }, four))
  assert.ok((await extend(chain, { ...plain, laterSeconds: 1n })).ok)
  assert.ok(!(await extend(chain, { ...plain, laterSeconds: 4n })).ok)
  assert.ok((await extend(chain, { ...plain, laterSeconds: 5n })).ok)
})

test('a proposal needs no seals to be valid', async () => {
  const { chain } = await openTestNetwork(testNetwork({ qbft: {} }, four))
  const proposal = chain.receive(await makeBlock(chain, { ...plain, sealers: [] }))
  assert.ok((await chain.validate(proposal, { validation: 'light' })).ok)
  assert.ok(!(await chain.importBlock(proposal)).ok)
})
