export function atLeast(value: bigint, least: bigint): bigint {
  if (value < least) return least
  return value
}

export function atMost(value: bigint, most: bigint): bigint {
  if (value > most) return most
  return value
}
