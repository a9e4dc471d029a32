import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COINBASE, configOf, OTHER, SENDER } from './engine.fixture.ts'
import { bftPaymentAt, rulesAt, transactionRulesOf } from './rules.ts'

const at = (number: bigint, timestamp = 0n, difficulty = 1n) => ({ number, timestamp, difficulty })

test('a fork includes the rules of all earlier forks, named or not', () => {
  const rules = rulesAt(configOf({ ethash: {}, londonBlock: 5 }), at(5n))
  assert.equal(rules.fork, 'london')
  assert.ok(rules.has('spuriousDragon') && rules.has('berlin') && !rules.has('paris'))
  assert.equal(rulesAt(configOf({ ethash: {}, londonBlock: 5 }), at(4n)).fork, 'frontier')
})

test('the same rules are the same object', () => {
  const config = configOf({ ethash: {}, londonBlock: 5 })
  assert.equal(rulesAt(config, at(5n)), rulesAt(config, at(6n)))
  assert.notEqual(rulesAt(config, at(4n)), rulesAt(config, at(5n)))
})

test('if the merge came by total difficulty, a header without difficulty has the rules of Paris', () => {
  const config = configOf({ ethash: {}, londonBlock: 0, terminalTotalDifficulty: 100, shanghaiTime: 50 })
  assert.deepEqual([rulesAt(config, at(3n)).fork, rulesAt(config, at(3n)).consensus], ['london', 'work'])
  const merged = rulesAt(config, at(3n, 0n, 0n))
  assert.deepEqual([merged.fork, merged.consensus], ['paris', 'stake'])
  assert.equal(rulesAt(config, at(3n, 50n, 0n)).fork, 'shanghai')
  assert.equal(rulesAt(configOf({ ethash: {}, londonBlock: 0 }), at(3n, 0n, 0n)).fork, 'london')
})

test('each fork has its blob parameters, or inherits them from the last fork with any', () => {
  const bpo1 = { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 }
  const config = configOf({
    ethash: {},
    cancunTime: 1,
    pragueTime: 2,
    osakaTime: 3,
    bpo1Time: 4,
    blobSchedule: { bpo1 },
  })
  const max = [0n, 1n, 2n, 3n, 4n].map((time) => rulesAt(config, at(1n, time)).blobs?.max)
  assert.deepEqual(max, [undefined, 6, 9, 9, 15])
  assert.equal(transactionRulesOf(rulesAt(config, at(1n, 2n))).maxBlobs, 9)
  assert.equal(transactionRulesOf(rulesAt(config, at(1n, 4n))).maxBlobs, 6)
})

test('a fork that no engine knows is refused when it is reached', () => {
  const config = configOf({ ethash: {}, osakaTime: 0, amsterdamTime: 9 })
  assert.equal(rulesAt(config, at(1n, 8n)).fork, 'osaka')
  assert.throws(() => rulesAt(config, at(1n, 9n)), { kind: 'UNSUPPORTED_FORK' })
})

test('options of the network are part of the rules', () => {
  const rules = rulesAt(configOf({ qbft: {}, berlinBlock: 0, contractSizeLimit: 99, chainId: 2018 }), at(1n))
  assert.deepEqual([rules.maxCodeBytes, rules.chainId, rules.consensus], [99, 2018n, 'bft'])
  assert.equal(rulesAt(configOf({ ethash: {} }), at(1n)).maxCodeBytes, 24_576)
})

test('on a BFT chain the genesis file names beneficiary and reward, and transitions change them', () => {
  const qbft = { blockreward: '5', miningbeneficiary: OTHER }
  const transitions = {
    qbft: [
      { block: 10, blockreward: '6' },
      { block: 20, miningbeneficiary: '' },
      { block: 30, miningbeneficiary: SENDER },
    ],
  }
  const config = configOf({ berlinBlock: 0, qbft, transitions })
  const paid = (number: bigint) => {
    const { beneficiary, rewardWei } = bftPaymentAt(config, at(number), COINBASE)
    return [beneficiary, rewardWei]
  }
  assert.deepEqual(paid(9n), [OTHER, 5n])
  assert.deepEqual(paid(10n), [OTHER, 6n])
  assert.deepEqual(paid(20n), [COINBASE, 6n])
  assert.deepEqual(paid(30n), [SENDER, 6n])
})

test('a transition counts seconds if its rules are reached by time', () => {
  const transitions = { qbft: [{ block: 100, blockreward: '6' }] }
  const config = configOf({ shanghaiTime: 0, qbft: {}, transitions })
  assert.equal(bftPaymentAt(config, at(500n, 99n), COINBASE).rewardWei, 0n)
  assert.equal(bftPaymentAt(config, at(2n, 100n), COINBASE).rewardWei, 6n)
})
