/** Validators of n that decide: any two such groups share an honest one. */
export function quorumOf(validators: number): number {
  return Math.ceil((2 * validators) / 3)
}

/** Validators of n that may fail arbitrarily while the network stays safe. */
export function toleratedFaults(validators: number): number {
  return Math.floor((validators - 1) / 3)
}
