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
  const sentence = isWaiting ? WAITING : againstRecord(desk.record?.height ?? 0, height)
  reporter.report({ kind: 'abstained', height, round, what: kind, sentence })
}

const WAITING =
  'The record of votes is missing or older than the chain, so that this node signs nothing until a block was made since its start; if all validators were restored like this, start them with --bft-sign-without-votes.'

/** A chain that is behind the record has lost blocks, and somebody has to bring them back. */
function againstRecord(signed: number, height: number): string {
  if (signed <= height) return 'It goes against what this node signed before.'
  return (
    `It goes against what this node signed before: that was for block ${signed}, and the chain here ends below block ${height}, so ` +
    'that it has lost blocks (a damaged disk, an old backup, a head that was set back). Import or sync them from another ' +
    'node. If no node has them, stop all validators, move the file votes out of their data directories, and start them ' +
    'with --bft-sign-without-votes.'
  )
}
