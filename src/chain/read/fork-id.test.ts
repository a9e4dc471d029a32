import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ForkSchedule } from '#types/genesis/fork-schedule.ts'
import { parseHash } from '#types/hash.ts'
import { ForkIds } from './fork-id.ts'

const MAIN_GENESIS = parseHash('d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3')

/** The examples of EIP-2124 and EIP-6122. */
test('the checksums of the main network match the specification', () => {
  const genesis = MAIN_GENESIS
  const schedule = new ForkSchedule(
    {
      homestead: 1_150_000n,
      tangerineWhistle: 2_463_000n,
      spuriousDragon: 2_675_000n,
      byzantium: 4_370_000n,
      constantinople: 7_280_000n,
      petersburg: 7_280_000n,
      istanbul: 9_069_000n,
      muirGlacier: 9_200_000n,
      berlin: 12_244_000n,
      london: 12_965_000n,
      arrowGlacier: 13_773_000n,
      grayGlacier: 15_050_000n,
      shanghai: 1_681_338_455n,
    },
    1_920_000n,
  )
  const ids = new ForkIds(genesis, 0n, schedule)
  const at = (number: bigint, timestamp = 0n) => ids.at({ number, timestamp }).hash
  assert.equal(at(0n), '0xfc64ec04')
  assert.equal(at(1_149_999n), '0xfc64ec04')
  assert.equal(at(1_150_000n), '0x97c2c34c')
  assert.equal(at(1_920_000n), '0x91d1f948')
  assert.equal(at(7_280_000n), '0x668db0af')
  assert.equal(at(9_069_000n), '0x879d6e30')
  assert.equal(at(15_050_000n), '0xf0afd0e3')
  assert.equal(at(20_000_000n, 1_681_338_455n), '0xdce96c2d')
})

test('a peer is on our network, behind it, ahead of it, or on another, as EIP-2124 says', () => {
  const ids = new ForkIds(
    MAIN_GENESIS,
    0n,
    new ForkSchedule(
      {
        homestead: 1_150_000n,
        tangerineWhistle: 2_463_000n,
        spuriousDragon: 2_675_000n,
        byzantium: 4_370_000n,
        constantinople: 7_280_000n,
        petersburg: 7_280_000n,
      },
      1_920_000n,
    ),
  )
  const max = 2n ** 64n - 1n
  const problem = (number: bigint, hash: string, next: bigint) =>
    ids.problem({ hash, next }, { number, timestamp: 0n })
  for (const [number, hash, next] of [
    [7_987_396n, '0x668db0af', 0n],
    [7_987_396n, '0x668db0af', max],
    [7_279_999n, '0xa00bc324', 0n],
    [7_279_999n, '0xa00bc324', 7_280_000n],
    [7_279_999n, '0xa00bc324', max],
    [7_987_396n, '0xa00bc324', 7_280_000n],
    [7_987_396n, '0x3edd5b10', 4_370_000n],
    [7_279_999n, '0x668db0af', 0n],
    [4_369_999n, '0xa00bc324', 0n],
  ] as const) {
    assert.equal(problem(number, hash, next), undefined, `${number} ${hash} ${next}`)
  }
  assert.match(problem(7_987_396n, '0xa00bc324', 0n) ?? '', /does not know the fork at 7280000/)
  assert.match(problem(7_987_396n, '0x5cddc0e1', 0n) ?? '', /does not belong to this network/)
  assert.match(problem(7_279_999n, '0x5cddc0e1', 0n) ?? '', /does not belong to this network/)
  assert.match(problem(7_987_396n, '0xafec6b27', 0n) ?? '', /does not belong to this network/)
  assert.match(problem(88_888_888n, '0x668db0af', 88_888_888n) ?? '', /has passed without it/)
  assert.match(problem(7_279_999n, '0xa00bc324', 7_279_999n) ?? '', /has passed without it/)
})

test('if every fork holds from block 0 on, only the genesis block counts', () => {
  const ids = new ForkIds(MAIN_GENESIS, 100n, new ForkSchedule({ berlin: 0n, london: 0n, shanghai: 100n }))
  const here = { number: 5n, timestamp: 200n }
  assert.deepEqual(ids.at(here), { hash: '0xfc64ec04', next: 0n })
  assert.equal(ids.problem({ hash: '0x12345678', next: 0n }, here), undefined)
})
