import type { Clock } from '#platform/clock.ts'
import type { DiscoveryPacket } from './packet.ts'

const PENDING_MAX = 1_000

/** What a packet is to the question: not its answer, a part of it, or the last of it. */
export type AnswerPart = 'other' | 'more' | 'last'

interface Question {
  readonly from: string
  readonly judge: (packet: DiscoveryPacket) => AnswerPart
  readonly settle: (isAnswered: boolean) => void
}

/** Questions that were asked and not yet answered. An answer counts only from the node and address that were asked. */
export class PendingAnswers {
  readonly #clock: Clock
  readonly #questions = new Set<Question>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when the last part came, with true, or when the time is up, with false. If undefined, too many wait already. */
  expect(
    id: string,
    ip: string,
    timeoutMs: number,
    judge: (packet: DiscoveryPacket) => AnswerPart,
  ): Promise<boolean | undefined> {
    if (this.#questions.size >= PENDING_MAX) return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = this.#clock.after(timeoutMs, () => question.settle(false), { unref: true })
    const question: Question = {
      from: `${id}@${ip}`,
      judge,
      settle: (isAnswered) => {
        timer.cancel()
        this.#questions.delete(question)
        resolve(isAnswered)
      },
    }
    this.#questions.add(question)
    return promise
  }

  /** False: nobody asked for it. */
  answer(id: string, ip: string, packet: DiscoveryPacket): boolean {
    const from = `${id}@${ip}`
    for (const question of this.#questions) {
      if (question.from !== from) continue
      const part = question.judge(packet)
      if (part === 'other') continue
      if (part === 'last') question.settle(true)
      return true
    }
    return false
  }

  /** Nothing more will come. */
  clear(): void {
    for (const question of [...this.#questions]) question.settle(false)
  }
}
