/** The rounds as nodes report them: which validator sent which message, and when this page first saw it. */
import { toNumber } from './format.ts'
import type { BftStatus } from './types.ts'

export type MessageKind = 'proposal' | 'prepare' | 'commit' | 'round change'

export interface RoundEvent {
  readonly atMs: number
  readonly height: number
  readonly round: number
  readonly validator: string
  readonly kind: MessageKind
  /** The node, which learns its name after the page opened. */
  readonly seenBy: { readonly name: string }
}

/** Six blocks of a hundred validators. */
const MAX_EVENTS = 2_000
export const roundEvents: RoundEvent[] = []
const seen = new Set<string>()

export function recordRounds(seenBy: RoundEvent['seenBy'], { height, round, validators }: BftStatus): void {
  const number = toNumber(height)
  for (const { address, proposed, prepared, committed, wantsRound } of validators) {
    const add = (kind: MessageKind, inRound: number): void => {
      const key = `${number}/${inRound}/${address}/${kind}`
      if (seen.has(key)) return
      seen.add(key)
      roundEvents.push({ atMs: Date.now(), height: number, round: inRound, validator: address, kind, seenBy })
    }
    if (proposed) add('proposal', round ?? 0)
    if (prepared) add('prepare', round ?? 0)
    if (committed) add('commit', round ?? 0)
    if (wantsRound !== null) add('round change', wantsRound)
  }
  while (roundEvents.length > MAX_EVENTS) {
    const { height: oldHeight, round: oldRound, validator, kind } = roundEvents.shift()!
    seen.delete(`${oldHeight}/${oldRound}/${validator}/${kind}`)
  }
}
