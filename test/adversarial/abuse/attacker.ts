/** The attacker's process. It has the lowest CPU priority, because the test measures the node. */
import { setPriority } from 'node:os'
import type { AttackPlan, Target } from './attack.ts'
import { gzipBombs, headerFlood, largestBodies, nestedArrays } from './large.ts'
import { malformedFrames, malformedRequests } from './malformed.ts'
import { connectionFlood, halfOpenUpgrades, slowloris, unreadAnswers } from './slow.ts'
import { carry, type Papers } from './sockets.ts'
import { largeFilters, strangersByCertificate, swellingMessages, unendingBodies } from './uninvited.ts'

const LAST_IN_THE_QUEUE = 19

export const ATTACKS = {
  malformedRequests,
  malformedFrames,
  slowloris,
  halfOpenUpgrades,
  headerFlood,
  gzipBombs,
  nestedArrays,
  connectionFlood,
  unreadAnswers,
  largestBodies,
  strangersByCertificate,
  swellingMessages,
  unendingBodies,
  largeFilters,
}

export interface Order {
  readonly attack: keyof typeof ATTACKS
  readonly target: Target
  readonly plan: AttackPlan
  /** Absent if the node does not require credentials. */
  readonly papers?: Papers
}

if (process.send !== undefined) {
  setPriority(0, LAST_IN_THE_QUEUE)
  process.on('message', ({ attack, target, plan, papers }: Order) => {
    carry(papers)
    ATTACKS[attack](target, plan).then(
      (summary) => process.send!({ summary }),
      (error: unknown) => process.send!({ error: String(error) }),
    )
  })
}
