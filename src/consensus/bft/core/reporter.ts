import type { Action, Now, Report } from '#consensus/bft/events.ts'
import type { BftMessage } from '#consensus/bft/messages.ts'
import type { Observations } from './observations.ts'

/** What the machine has to tell people, on the way to them and kept for the status. */
export class Reporter {
  readonly #seen: Observations
  readonly #now: () => Now
  readonly #act: (action: Action) => void

  constructor(seen: Observations, now: () => Now, act: (action: Action) => void) {
    this.#seen = seen
    this.#now = now
    this.#act = act
  }

  report(report: Report): void {
    this.#act({ type: 'report', report })
  }

  refuse(message: BftMessage, sentence: string): void {
    const { author, payload } = message.signed
    const { height, round } = payload
    const refusal = { height, round, author, what: message.kind, sentence }
    this.#seen.refuse({ ...refusal, wallMs: this.#now().wallMs })
    this.report({ kind: 'refused', ...refusal })
  }

  equivocation(message: BftMessage): void {
    const { author, payload } = message.signed
    const { height, round } = payload
    this.report({ kind: 'equivocation', height, round, author, what: message.kind })
  }
}
