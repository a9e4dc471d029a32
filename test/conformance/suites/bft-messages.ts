/** QBFT messages in the form of the pack's vectors. */
import type {
  BftMessage,
  Payload,
  PreparePayload,
  RoundChangePayload,
  Signed,
} from '#consensus/bft/messages.ts'
import { formatData } from '#types/hex.ts'

export interface MessageVector {
  readonly name?: string
  readonly message: { readonly type: BftMessage['kind'] }
  readonly rlp: string
}

const SIGNATURE_BYTES = 65

export function describeMessage(message: BftMessage): unknown {
  const { kind: type, signed } = message
  switch (message.kind) {
    case 'prepare':
      return { type, ...describePrepare(message.signed) }
    case 'commit': {
      const { digest, seal } = message.signed.payload
      const unsignedCommit = { ...roundOf(signed), commitSeal: formatData(seal), digest }
      return { type, unsignedCommit, signature: signatureOf(signed) }
    }
    case 'roundChange': {
      const block = message.block === undefined ? null : formatData(message.block.encoded)
      const prepares = message.prepares.map(describePrepare)
      return { type, signedRoundChange: describeRoundChange(message.signed), block, prepares }
    }
    case 'proposal': {
      const unsignedProposal = { ...roundOf(signed), block: formatData(message.block.encoded) }
      return {
        type,
        signedProposal: { unsignedProposal, signature: signatureOf(signed) },
        roundChanges: message.roundChanges.map(describeRoundChange),
        prepares: message.prepares.map(describePrepare),
      }
    }
  }
}

function describePrepare(signed: Signed<PreparePayload>) {
  const unsignedPrepare = { ...roundOf(signed), digest: signed.payload.digest }
  return { unsignedPrepare, signature: signatureOf(signed) }
}

function describeRoundChange(signed: Signed<RoundChangePayload>) {
  const { prepared } = signed.payload
  const unsignedRoundChange = {
    ...roundOf(signed),
    preparedValue: prepared?.digest ?? null,
    preparedRound: prepared?.round ?? null,
  }
  return { unsignedRoundChange, signature: signatureOf(signed) }
}

function roundOf({ payload: { height, round } }: Signed<Payload>) {
  return { sequence: height, round }
}

function signatureOf({ encoded }: Signed<Payload>): string {
  return formatData(encoded.subarray(encoded.length - SIGNATURE_BYTES))
}
