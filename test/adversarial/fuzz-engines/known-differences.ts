/**
 * Explained differences between the engines, with the engine and the reason. None affects state, roots or gas. All
 * but the marked ones are in engine-js. Remove an entry when its difference is fixed.
 */

interface Known {
  readonly name: string
  matches(js: string, native: string): boolean
}

/** The line without its error. */
const withoutError = (line: string): string => line.replace(/error=\w+/, '')
const errorOf = (line: string): string => /error=(\w+)/.exec(line)?.[1] ?? ''
const isReport = (line: string): boolean => line.startsWith('frame ') || line.startsWith('outcome ')

const HALTS = [
  'outOfGas',
  'stackUnderflow',
  'stackOverflow',
  'invalidOpcode',
  'staticViolation',
  'initCodeTooLarge',
]

const KNOWN: readonly Known[] = [
  {
    // The library checks the length of bn254 pairing input before the gas; the specification checks it after.
    name: 'a pairing of wrong length without gas failed for its length',
    matches: (js, native) =>
      isReport(js) &&
      errorOf(native) === 'outOfGas' &&
      errorOf(js) === 'precompileFailed' &&
      withoutError(js) === withoutError(native),
  },
  {
    // revm checks the length of bls12-381 input before the gas; the specification checks it after.
    name: 'a sum or pairing of bls12-381 of wrong length without gas failed for its length (native)',
    matches: (js, native) =>
      isReport(js) &&
      errorOf(js) === 'outOfGas' &&
      errorOf(native) === 'precompileFailed' &&
      withoutError(js) === withoutError(native),
  },
  {
    // Each engine checks stack, gas and other conditions in its own order; the sender sees no difference.
    name: 'an instruction that fails for two reasons fails for the other one (either)',
    matches: (js, native) =>
      isReport(js) &&
      [errorOf(js), errorOf(native)].every((error) => HALTS.includes(error)) &&
      withoutError(js) === withoutError(native),
  },
]

/** The name of the known difference that two lines show. */
export function knownDifference(js: string | undefined, native: string | undefined): string | undefined {
  if (js === undefined || native === undefined) return undefined
  return KNOWN.find(({ matches }) => matches(js, native))?.name
}
