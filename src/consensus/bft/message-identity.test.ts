import { ok, strictEqual } from 'node:assert'
import { test } from 'node:test'
import { formatData } from '#types/hex.ts'
import { messageIdentity } from './message-identity.ts'
import { MessageBench, SAMPLE_HEIGHT } from './messages.fixture.ts'
import type {
  BftMessage,
  PreparePayload,
  ProposalMessage,
  ProposedBlock,
  RoundChangeMessage,
  Signed,
} from './messages.ts'

const MIB = 1024 * 1024
const textOf = (message: BftMessage): string => formatData(messageIdentity(message))

for (const protocol of ['qbft', 'ibft2'] as const) {
  const bench = new MessageBench(protocol, 'current')

  test(`${protocol}: messages with different content or author have different identities`, async () => {
    const [author, other] = bench.validators
    const digest = bench.block(author!, 0).digest
    const prepares = await Promise.all(
      [author!, other!].map(async (by): Promise<BftMessage> => {
        const signed = await bench.sign(by, { kind: 'prepare', height: SAMPLE_HEIGHT, round: 7, digest })
        return { kind: 'prepare', signed: signed as Signed<PreparePayload> }
      }),
    )
    const all = [...(await bench.samples()), ...prepares].map(textOf)
    strictEqual(new Set(all).size, all.length)
  })

  test(`${protocol}: another justification keeps the identity, and another access list or generation changes it`, async () => {
    const samples = await bench.samples()
    const [change, proposal] = [samples[4] as RoundChangeMessage, samples[5] as ProposalMessage]
    strictEqual(textOf({ ...proposal, roundChanges: [] }), textOf(proposal))
    for (const message of [change, proposal]) {
      const listed = (bytes: number, last: number): BftMessage => {
        const accessList = new Uint8Array(bytes).fill(last, -1)
        const block: ProposedBlock = { ...message.block!, accessList }
        return { ...message, block } as BftMessage
      }
      const forms = [message, { ...message, generation: 'legacy' } as BftMessage, listed(9, 1), listed(9, 2)]
      strictEqual(new Set(forms.map(textOf)).size, forms.length)
      ok(messageIdentity(listed(MIB, 1)).length < 2_000)
    }
  })
}
