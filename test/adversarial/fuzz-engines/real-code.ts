/** Real contract code: a token, and the contracts in the genesis files of the conformance pack. */
import { parseData } from '#types/hex.ts'
import { ERC20_CODE } from '../../../bench/erc20-code.ts'
import { openPack } from '../../conformance/pack.ts'
import type { Random } from '../../support/random.ts'

const MAX_CODE_BYTES = 24_576
const PUSH4 = 0x63

let known: readonly Uint8Array[] | undefined

function realCodes(): readonly Uint8Array[] {
  known ??= [parseData(`0x${ERC20_CODE}`), ...packCodes()]
  return known
}

/** Empty without the pack. */
function packCodes(): Uint8Array[] {
  const pack = openPack()
  if (pack === undefined) return []
  const codes = new Set<string>()
  for (const file of pack.files('chains').filter((name) => name.endsWith('genesis.json'))) {
    const { alloc } = pack.json(file) as { alloc?: Record<string, { code?: string }> }
    for (const { code = '' } of Object.values(alloc ?? {})) {
      if (code.length > 4 && code.length <= 2 * MAX_CODE_BYTES) codes.add(code)
    }
  }
  return [...codes].sort().map((code) => parseData(code))
}

/** The code unchanged, or with some bytes changed, removed or repeated. */
export function realCode(random: Random): Uint8Array {
  const code = random.pick(realCodes()).slice()
  if (random.chance(0.4)) return code
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(code.length)
    if (random.chance(0.7)) code[at] = random.below(256)
    else code.copyWithin(at, at + random.below(8))
  }
  return code
}

/** Call data that gets past the selector check: a selector from the code, and some words. */
export function callDataFor(random: Random, code: Uint8Array): Uint8Array {
  const selectors: Uint8Array[] = []
  for (let at = 0; at + 5 <= code.length; at++)
    if (code[at] === PUSH4) selectors.push(code.slice(at + 1, at + 5))
  const words = Array.from({ length: random.below(4) }, () => {
    const word = new Uint8Array(32)
    if (random.chance(0.5)) word[31] = random.below(256)
    else word.set(random.bytes(20), 12)
    return word
  })
  return Buffer.concat([selectors.length === 0 ? random.bytes(4) : random.pick(selectors), ...words])
}
