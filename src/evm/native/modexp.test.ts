import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCK, bytes, ETHER, rulesOf, SENDER, stateOf, transaction } from '#evm/engine.fixture.ts'
import { NO_WAIVERS } from '#evm/engine.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import { decodeOutcome } from '#evm/outcome.ts'
import { parseAddress } from '#types/address.ts'
import { formatDigits } from '#types/hex.ts'

const native = createNativeEngine()
const skip = native.ok ? false : `not built: ${native.sentence}`
const MODEXP = parseAddress('0x0000000000000000000000000000000000000005')
const LENGTHS = [1, 8, 9, 16, 17, 24, 25, 32, 33]
/** Odd, even, a power of two, and with leading zeros. */
const MODULI = ['ff', '03', 'fe', '06', '80', '01', '00']
const BASES = ['', '02', `${'ff'.repeat(40)}`, '00'.repeat(8)]
const EXPONENTS = ['', '00', '01', '0003', `${'f7'.repeat(40)}`]

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (modulus === 0n) return 0n
  let [result, factor] = [1n % modulus, base % modulus]
  for (let rest = exponent; rest > 0n; rest >>= 1n, factor = (factor * factor) % modulus) {
    if (rest & 1n) result = (result * factor) % modulus
  }
  return result
}

test('MODEXP computes the power for every length and form of the modulus', { skip }, async () => {
  if (!native.ok) return
  const cases = LENGTHS.flatMap((length) =>
    MODULI.flatMap((last) => ['00', 'ab'].map((rest) => rest.repeat(length - 1) + last)),
  ).flatMap((modulus) =>
    BASES.flatMap((base) => EXPONENTS.map((exponent) => [base, exponent, modulus] as const)),
  )
  const waivers = { ...NO_WAIVERS, nonce: true, gasLimit: true }
  const state = stateOf({ [SENDER]: { balance: ETHER } })
  const session = native.engine.open(BLOCK, rulesOf({ pragueTime: 0 }), state, { waivers })
  const { outcomes } = await session.run(
    cases.map((parts) => {
      const lengths = parts.map((part) => (part.length / 2).toString(16).padStart(64, '0'))
      return transaction({ to: MODEXP, data: bytes([...lengths, ...parts].join('')) })
    }),
  )
  for (const [index, parts] of cases.entries()) {
    const [base, exponent, modulus] = parts.map((part) => BigInt(`0x0${part}`)) as [bigint, bigint, bigint]
    const expected = power(base, exponent, modulus).toString(16).padStart(parts[2].length, '0')
    assert.equal(formatDigits(decodeOutcome(outcomes[index]!).output), expected, parts.join(' '))
  }
  assert.equal(outcomes.length, cases.length)
})
