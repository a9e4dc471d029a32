import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ForkSchedule } from '#types/genesis/fork-schedule.ts'
import { parseHash } from '#types/hash.ts'
import { forkHash } from './fork-id.ts'

/** The examples of EIP-2124 and EIP-6122. */
test('the checksums of the main network are those of its specification', () => {
  const genesis = parseHash('d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3')
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
  const at = (number: bigint, timestamp = 0n) => forkHash(genesis, 0n, schedule, { number, timestamp })
  assert.equal(at(0n), '0xfc64ec04')
  assert.equal(at(1_149_999n), '0xfc64ec04')
  assert.equal(at(1_150_000n), '0x97c2c34c')
  assert.equal(at(1_920_000n), '0x91d1f948')
  assert.equal(at(7_280_000n), '0x668db0af')
  assert.equal(at(9_069_000n), '0x879d6e30')
  assert.equal(at(15_050_000n), '0xf0afd0e3')
  assert.equal(at(20_000_000n, 1_681_338_455n), '0xdce96c2d')
})
