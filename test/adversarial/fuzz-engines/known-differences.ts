/**
 * Differences that are explained: whose they are and why. None changes state, roots or gas; all but those marked are
 * of engine-js. Who mends one takes it off this list.
 */

interface Known {
  readonly name: string
  matches(js: string, native: string): boolean
}

/** Everything but why it failed. */
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
    // The library looks at the length of the input of bn254 pairing before the gas; the specification after it.
    name: 'a pairing of wrong length without gas failed for its length',
    matches: (js, native) =>
      isReport(js) &&
      errorOf(native) === 'outOfGas' &&
      errorOf(js) === 'precompileFailed' &&
      withoutError(js) === withoutError(native),
  },
  {
    // revm looks at the length of the inputs of bls12-381 before the gas; the specification after it.
    name: 'a sum or pairing of bls12-381 of wrong length without gas failed for its length (native)',
    matches: (js, native) =>
      isReport(js) &&
      errorOf(js) === 'outOfGas' &&
      errorOf(native) === 'precompileFailed' &&
      withoutError(js) === withoutError(native),
  },
  {
    // Each engine has its own order of looking at stack, gas and the rest; to the sender it is all the same.
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
