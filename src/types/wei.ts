const UNITS = [
  'wei',
  'kwei',
  'mwei',
  'gwei',
  'szabo',
  'finney',
  'ether',
  'kether',
  'mether',
  'gether',
  'tether',
] as const

/** Formats an amount for people: in the unit that leaves one to three digits, with two decimals. */
export function formatWei(wei: bigint): string {
  const digits = String(wei).length
  const unit = Math.min(Math.ceil(digits / 3) - 1, UNITS.length - 1)
  if (unit === 0) return `${wei} ${UNITS[0]}`
  const hundredths = roundedHundredths(wei, 10n ** BigInt(3 * unit))
  return `${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')} ${UNITS[unit]}`
}

function roundedHundredths(wei: bigint, unit: bigint): bigint {
  return (wei * 100n + unit / 2n) / unit
}
