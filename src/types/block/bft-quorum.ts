/** How many of n validators decide: any two such groups have an honest one in common. */
export function quorumOf(validators: number): number {
  return Math.ceil((2 * validators) / 3)
}

/** How many of n validators may fail, in whatever way, while the rest stays safe. */
export function toleratedFaults(validators: number): number {
  return Math.floor((validators - 1) / 3)
}
