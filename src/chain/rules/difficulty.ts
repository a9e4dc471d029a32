/** The proof-of-work difficulty by fork, for the early blocks of networks. */
import type { Rules } from '#evm/rules.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { EMPTY_OMMERS_HASH } from '#types/block/block-roots.ts'
import type { ForkName } from '#types/genesis/fork-schedule.ts'

const MIN_DIFFICULTY = 131_072n
const BOUND_DIVISOR = 2_048n
const MAX_FALL = -99n
/** Blocks after which the bomb doubles. */
const BOMB_PERIOD = 100_000n
/** Delays of the bomb in blocks; the latest active fork counts. */
const BOMB_DELAYS: readonly (readonly [ForkName, bigint])[] = [
  ['grayGlacier', 11_400_000n],
  ['arrowGlacier', 10_700_000n],
  ['london', 9_700_000n],
  ['muirGlacier', 9_000_000n],
  ['constantinople', 5_000_000n],
  ['byzantium', 3_000_000n],
]

export type DifficultyParent = Pick<BlockHeader, 'difficulty' | 'timestamp' | 'ommersHash'>

export function nextDifficulty(
  rules: Rules,
  number: bigint,
  timestamp: bigint,
  parent: DifficultyParent,
): bigint {
  const step = parent.difficulty / BOUND_DIVISOR
  const adjusted = parent.difficulty + step * direction(rules, timestamp - parent.timestamp, parent)
  const base = adjusted > MIN_DIFFICULTY ? adjusted : MIN_DIFFICULTY
  return base + bomb(rules, number)
}

function direction(rules: Rules, seconds: bigint, parent: DifficultyParent): bigint {
  if (!rules.has('homestead')) return seconds < 13n ? 1n : -1n
  if (!rules.has('byzantium')) return atLeast(MAX_FALL, 1n - seconds / 10n)
  return atLeast(MAX_FALL, (parent.ommersHash === EMPTY_OMMERS_HASH ? 1n : 2n) - seconds / 9n)
}

function bomb(rules: Rules, number: bigint): bigint {
  const delay = BOMB_DELAYS.find(([fork]) => rules.has(fork))?.[1] ?? 0n
  const periods = atLeast(0n, number - delay) / BOMB_PERIOD
  return periods >= 2n ? 2n ** (periods - 2n) : 0n
}

function atLeast(least: bigint, value: bigint): bigint {
  return value > least ? value : least
}
