/** What a transaction pays at least to get into a block that is built here. */
export const MIN_GAS_PRICE_WEI = 1_000n
export const MIN_PRIORITY_FEE_WEI = 0n

export function atLeast(value: bigint, least: bigint): bigint {
  if (value < least) return least
  return value
}

export function atMost(value: bigint, most: bigint): bigint {
  if (value > most) return most
  return value
}
