import type { Draft, PreparedCertificate } from '#consensus/bft/messages.ts'
import type { Surroundings } from './machine.ts'

/** Starts the way to a signature, or says why this node stays silent. */
export function askToVote(
  { desk, past, act, nextId, reporter }: Pick<Surroundings, 'desk' | 'past' | 'act' | 'nextId' | 'reporter'>,
  draft: Draft,
  certificate: PreparedCertificate | undefined,
): void {
  const { height, round, kind } = draft
  const isWaiting = !past.maySign
  const action = isWaiting ? undefined : desk.ask(draft, certificate, nextId())
  if (action !== undefined) {
    act(action)
    return
  }
  const sentence = isWaiting
    ? 'The record of votes is missing or older than the chain, so that this node signs nothing until a block was made since its start; if all validators were restored like this, start them with --bft-sign-without-votes.'
    : 'It goes against what this node signed before.'
  reporter.report({ kind: 'abstained', height, round, what: kind, sentence })
}
