import { nextTurn } from '#platform/next-turn.ts'
import type { Intake, IntakeVerdict } from '#pool/intake.ts'
import type { TransactionOrigin } from '#pool/submitted-transaction.ts'
import type { KeptTransaction } from './pool-lines.ts'

/** Handed over together, so that their senders are recovered together. */
const AT_ONCE = 256

export interface Restored {
  /** Of the file. */
  readonly lines: number
  readonly taken: number
  readonly damaged: number
  /** How many, by the reason for it. */
  readonly refused: Readonly<Record<string, number>>
  /** Whether it came to the end. */
  readonly isWhole: boolean
}

/** In their order. What was mined before the node ended is refused because its nonce was used. */
export async function restoreLines(
  lines: Iterable<KeptTransaction | undefined>,
  intakes: Readonly<Record<TransactionOrigin, Pick<Intake, 'submit'>>>,
  isOver: () => boolean,
): Promise<Restored> {
  const restored = { lines: 0, taken: 0, damaged: 0, refused: {} as Record<string, number> }
  let waiting: Promise<IntakeVerdict>[] = []
  const settle = async (): Promise<void> => {
    for (const verdict of await Promise.all(waiting)) {
      if (verdict.ok) restored.taken++
      else restored.refused[verdict.reason] = (restored.refused[verdict.reason] ?? 0) + 1
    }
    waiting = []
    await nextTurn()
  }
  for (const line of lines) {
    if (restored.lines++ % AT_ONCE === 0) await settle()
    if (isOver()) return { ...restored, isWhole: false }
    if (line === undefined) restored.damaged++
    else waiting.push(intakes[line.origin].submit(line.bytes))
  }
  await settle()
  return { ...restored, isWhole: true }
}
