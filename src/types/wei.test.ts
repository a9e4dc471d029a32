import { strictEqual } from 'node:assert'
import { test } from 'node:test'
import { formatWei } from './wei.ts'

test('amounts are shown in the unit that leaves one to three digits', () => {
  const cases: readonly [bigint, string][] = [
    [0n, '0 wei'],
    [999n, '999 wei'],
    [1_000n, '1.00 kwei'],
    [300_000n, '300.00 kwei'],
    [1_000_000_000n, '1.00 gwei'],
    [1_234_567_890_000_000_000n, '1.23 ether'],
    [999_999n, '1000.00 kwei'],
    [10n ** 40n, '10000000000.00 tether'],
  ]
  for (const [wei, text] of cases) strictEqual(formatWei(wei), text)
})

test('halves are rounded up, however large the amount is', () => {
  strictEqual(formatWei(1_005n), '1.01 kwei')
  strictEqual(formatWei(1_005_000_000_000_000_000n), '1.01 ether')
})
