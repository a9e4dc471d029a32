/** One parser of external bytes. The fuzzer feeds it mutations of its seeds. */
export interface FuzzTarget {
  readonly name: string
  /** Real inputs to mutate. */
  seeds(): Uint8Array[]
  /** Must return or throw a Fault; any other error, or taking over 100 ms, is a finding. */
  run(input: Uint8Array): void
}
