import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ibft2PrepareOrCommitProblem } from '#consensus/ibft2/rules.ts'
import { type TestValidator, testValidators } from '#consensus/network.fixture.ts'
import { sealProblem } from './certificate-problems.ts'
import { MessageBench } from './messages.fixture.ts'
import type {
  CommitMessage,
  PreparedProof,
  PrepareMessage,
  ProposalMessage,
  RoundChangeMessage,
} from './messages.ts'

for (const protocol of ['qbft', 'ibft2'] as const) {
  const bench = new MessageBench(protocol, 'current')
  const [v0, v1, v2, v3] = bench.validators as [TestValidator, TestValidator, TestValidator, TestValidator]
  const stranger = testValidators(5)[4]!
  const block = bench.block(v0, 0)
  const again = bench.withRound(block, 1)

  const certificate = () => bench.certificate(block)
  const unprepared = () => Promise.all(bench.validators.map((one) => bench.roundChange(one, 1)))
  const prepared = async () => {
    const shown = await certificate()
    return Promise.all(bench.validators.map((one) => bench.roundChange(one, 1, shown)))
  }
  const refused = (message: ProposalMessage | RoundChangeMessage, sentence: RegExp) =>
    assert.match(bench.problemOf(message) ?? 'no problem', sentence)

  test(`${protocol}: valid messages have no problem`, async () => {
    for (const message of await bench.samples()) {
      if (message.kind === 'proposal' || message.kind === 'roundChange') {
        assert.equal(bench.problemOf(message), undefined)
      }
    }
  })

  test(`${protocol}: a proposal must be by the proposer, for the height and with its round`, async () => {
    const proposal = await bench.proposal(block, 0)
    refused({ ...proposal, signed: { ...proposal.signed, author: v1.address } }, /proposes in round 0/)
    refused(await bench.proposal(bench.block(v0, 0, 6), 0), /number 6, and not 5/)
    refused(await bench.proposal(again, 0), /does not say round 0/)
  })

  test(`${protocol}: a round above 0 needs a justification, and round 0 does not`, async () => {
    const changes = await unprepared()
    refused(await bench.proposal(block, 0, changes), /of round 0 and has a/)
    refused(await bench.proposal(bench.block(v1, 1), 1, changes.slice(0, 2)), /2 round changes, and 3/)
    const twice = [changes[0]!, changes[0]!, changes[1]!]
    refused(await bench.proposal(bench.block(v1, 1), 1, twice), /two of/)
    const others = await Promise.all(bench.validators.map((one) => bench.roundChange(one, 2)))
    refused(await bench.proposal(bench.block(v1, 1), 1, others), /is to round 2/)
  })

  test(`${protocol}: only the prepared block may be proposed again`, async () => {
    const changes = await prepared()
    const shown = await certificate()
    assert.equal(bench.problemOf(await bench.proposal(again, 1, changes, shown)), undefined)
    refused(await bench.proposal(bench.block(v1, 1), 1, changes, shown), /not the block that was prepared/)
  })

  test(`${protocol}: one prepared validator in a quorum is enough to bind the proposer`, async () => {
    const shown = await certificate()
    const changes = [await bench.roundChange(v0, 1, shown), ...(await unprepared()).slice(1)]
    assert.equal(bench.problemOf(await bench.proposal(again, 1, changes, shown)), undefined)
    refused(await bench.proposal(bench.block(v1, 1), 1, changes, shown), /not the block that was prepared/)
  })

  test(`${protocol}: a round change must contain the prepared block and enough prepares`, async () => {
    const shown = await certificate()
    const change = await bench.roundChange(v2, 1, shown)
    refused({ ...change, block: undefined }, /but holds none/)
    refused({ ...change, block: bench.block(v1, 0) }, /differs from the prepared block/)
    refused({ ...(await bench.roundChange(v2, 1)), block }, /claims that nothing was prepared/)
    const few = { ...shown, prepares: shown.prepares.slice(0, bench.context.preparesNeeded - 1) }
    refused(await bench.roundChange(v2, 1, few), /prepares, and \d are needed/)
    const double = { ...shown, prepares: Array.from({ length: 3 }, () => shown.prepares[0]!) }
    refused(await bench.roundChange(v2, 1, double), /two of/)
    const wrong = { ...shown, prepares: await bench.prepares(again, 0) }
    refused(await bench.roundChange(v2, 1, wrong), /is not for round 0/)
    refused(await bench.roundChange(v2, 0), /A round change to round 0/)
  })

  test(`${protocol}: signatures of non-validators never count`, async () => {
    const shown = await certificate()
    const draft = { kind: 'prepare', height: 5, round: 0, digest: block.digest } as const
    const foreign = (await bench.sign(stranger, draft)) as (typeof shown.prepares)[0]
    const prepares = [foreign, ...shown.prepares.slice(1)]
    refused(await bench.roundChange(v2, 1, { ...shown, prepares }), /is not a validator/)
    const changes = [await bench.roundChange(stranger, 1), ...(await unprepared()).slice(1)]
    refused(await bench.proposal(bench.block(v1, 1), 1, changes), /is not a validator/)
  })

  test(`${protocol}: messages for another height never count`, async () => {
    const shown = await certificate()
    const draft = { kind: 'roundChange', height: 6, round: 1, certificate: undefined } as const
    const signed = (await bench.sign(v2, draft)) as RoundChangeMessage['signed']
    const change = { ...(await bench.roundChange(v2, 1)), signed }
    refused(change, /for block 6, and not 5/)
    const changes = [...(await unprepared()).slice(0, 2), change]
    refused(await bench.proposal(bench.block(v1, 1), 1, changes), /for block 6, and not 5/)
    const later = await Promise.all(
      [v1, v2, v3].map((one) =>
        bench.sign(one, { kind: 'prepare', height: 6, round: 0, digest: block.digest }),
      ),
    )
    const prepares = later as unknown as typeof shown.prepares
    refused(await bench.roundChange(v2, 1, { ...shown, prepares }), /is not for round 0 of block 5/)
  })

  test(`${protocol}: a non-validator cannot change the round, and a commit needs the seal of its author`, async () => {
    refused(await bench.roundChange(stranger, 1), /is not a validator/)
    const draft = { kind: 'commit', height: 5, round: 0, digest: block.digest, sealed: block.digest } as const
    const signed = (await bench.sign(v1, draft)) as CommitMessage['signed']
    const problemOf = (signed: CommitMessage['signed']) =>
      sealProblem({ kind: 'commit', signed }, block.digest, bench.context)
    assert.equal(problemOf(signed), undefined)
    const payload = { ...signed.payload, sealAuthor: v2.address }
    assert.match(problemOf({ ...signed, payload }) ?? '', /seal was not made/)
  })

  test(`${protocol}: prepares of another round prove nothing`, async () => {
    const shown = await certificate()
    const later = await Promise.all(
      [v1, v2, v3].map((one) =>
        bench.sign(one, { kind: 'prepare', height: 5, round: 1, digest: block.digest }),
      ),
    )
    const prepares = later as unknown as typeof shown.prepares
    refused(await bench.roundChange(v2, 2, { ...shown, prepares }), /is not for round 0/)
  })
}

test('qbft: a claim for the round of the round change itself is refused', async () => {
  const bench = new MessageBench('qbft', 'current')
  const [v0] = bench.validators as [TestValidator]
  const block = bench.block(v0, 1)
  const shown = { round: 1, block, prepares: await bench.prepares(block, 1), proposal: undefined }
  const change = await bench.roundChange(v0, 1, shown)
  assert.match(bench.problemOf(change) ?? '', /prepared in round 1, and changes to round 1/)
})

test('qbft: the latest claim binds, and two claims for one round are refused', async () => {
  const bench = new MessageBench('qbft', 'current')
  const [v0, v1, v2] = bench.validators as [TestValidator, TestValidator, TestValidator]
  const early = bench.block(v0, 0)
  const late = bench.block(v1, 1)
  const shownEarly = await bench.certificate(early)
  const shownLate = { round: 1, block: late, prepares: await bench.prepares(late, 1), proposal: undefined }
  const changes = [
    await bench.roundChange(v0, 2, shownEarly),
    await bench.roundChange(v1, 2, shownLate),
    await bench.roundChange(v2, 2),
  ]
  const withRound = bench.withRound.bind(bench)
  const right = await bench.proposal(withRound(late, 2), 2, changes, shownLate)
  assert.equal(bench.problemOf(right), undefined)
  const wrong = await bench.proposal(withRound(early, 2), 2, changes, shownEarly)
  assert.match(bench.problemOf(wrong) ?? '', /not the block that was prepared in round 1/)
  const other = { ...shownEarly, block: bench.block(v1, 0) }
  const conflicting = [changes[0]!, await bench.roundChange(v1, 2, other), changes[2]!]
  const two = await bench.proposal(withRound(early, 2), 2, conflicting, shownEarly)
  assert.match(bench.problemOf(two) ?? '', /Two blocks are claimed to be prepared in round 0/)
})

test('qbft: a reproposal needs the prepares of its block', async () => {
  const bench = new MessageBench('qbft', 'current')
  const [v0, v1, v2, v3] = bench.validators as [TestValidator, TestValidator, TestValidator, TestValidator]
  const block = bench.block(v0, 0)
  const again = bench.withRound(block, 1)
  const shown = await bench.certificate(block)
  const changes = await Promise.all([v0, v1, v2].map((one) => bench.roundChange(one, 1, shown)))
  const refused = async (prepares: typeof shown.prepares, sentence: RegExp) => {
    const proposal = await bench.proposal(again, 1, changes, { ...shown, prepares })
    assert.match(bench.problemOf(proposal) ?? 'no problem', sentence)
  }
  await refused([], /0 prepares, and 3 are needed/)
  await refused(shown.prepares.slice(0, 2), /2 prepares, and 3 are needed/)
  await refused([...shown.prepares.slice(0, 2), shown.prepares[0]!], /two of/)
  await refused(await bench.prepares(again, 0), /is not for round 0/)
  await refused(await bench.prepares(block, 1), /is not for round 0/)
  const draft = { kind: 'prepare', height: 5, round: 0, digest: block.digest } as const
  const foreign = (await bench.sign(testValidators(5)[4]!, draft)) as (typeof shown.prepares)[0]
  await refused([foreign, ...shown.prepares.slice(0, 2)], /is not a validator/)
  const unprepared = await Promise.all([v1, v2, v3].map((one) => bench.roundChange(one, 1)))
  const unclaimed = await bench.proposal(bench.block(v1, 1), 1, unprepared, shown)
  assert.match(bench.problemOf(unclaimed) ?? '', /holds prepares, and nothing was prepared/)
})

test("qbft: a block that was not prepared must be the proposer's own", async () => {
  const bench = new MessageBench('qbft', 'current')
  const [v0, v1] = bench.validators as [TestValidator, TestValidator]
  const changes = await Promise.all(bench.validators.map((one) => bench.roundChange(one, 1)))
  const foreign = await bench.proposal(bench.block(v0, 1), 1, changes)
  assert.match(bench.problemOf(foreign) ?? '', /^The block names the proposer/)
  assert.equal(bench.problemOf(await bench.proposal(bench.block(v1, 1), 1, changes)), undefined)
})

test('ibft2: a prepare of the proposer is refused', async () => {
  const bench = new MessageBench('ibft2', 'current')
  const [v0, , v2] = bench.validators as [TestValidator, TestValidator, TestValidator]
  const block = bench.block(v0, 0)
  const shown = await bench.certificate(block)
  const own = await bench.sign(v0, { kind: 'prepare', height: 5, round: 0, digest: block.digest })
  const prepares = [own as (typeof shown.prepares)[0], ...shown.prepares.slice(1)]
  const change = await bench.roundChange(v2, 1, { ...shown, prepares })
  assert.match(bench.problemOf(change) ?? '', /who proposed in round 0/)
})

test('ibft2: a proposal must contain the block that it names', async () => {
  const bench = new MessageBench('ibft2', 'current')
  const [v0, v1] = bench.validators as [TestValidator, TestValidator]
  const proposal = await bench.proposal(bench.block(v0, 0), 0)
  const other = bench.block(v1, 0)
  assert.match(bench.problemOf({ ...proposal, block: other }) ?? '', /it names differs/)
})

test('ibft2: a claim without proof or with an invalid proposal is refused', async () => {
  const bench = new MessageBench('ibft2', 'current')
  const [v0, v1, v2] = bench.validators as [TestValidator, TestValidator, TestValidator]
  const block = bench.block(v0, 0)
  const shown = await bench.certificate(block)
  const change = await bench.roundChange(v2, 1, shown)
  const withClaim = (proof: PreparedProof | undefined): RoundChangeMessage => {
    const prepared = { ...change.signed.payload.prepared!, proof }
    return { ...change, signed: { ...change.signed, payload: { ...change.signed.payload, prepared } } }
  }
  const { proof } = change.signed.payload.prepared!
  assert.equal(bench.problemOf(withClaim(proof)), undefined)
  assert.match(bench.problemOf(withClaim(undefined)) ?? '', /does not prove it/)
  const draft = { kind: 'proposal', height: 5, round: 0, block } as const
  const ofAnother = (await bench.sign(v1, draft)) as ProposalMessage['signed']
  assert.match(bench.problemOf(withClaim({ ...proof!, proposal: ofAnother })) ?? '', /proposes in round 0/)
  const ofAnotherHeight = (await bench.sign(v0, { ...draft, height: 6 })) as ProposalMessage['signed']
  const late = withClaim({ ...proof!, proposal: ofAnotherHeight })
  assert.match(bench.problemOf(late) ?? '', /for block 6, and not 5/)
})

test('ibft2: the proposer of the prepared round must have made the proposal', async () => {
  const bench = new MessageBench('ibft2', 'current')
  const [v0, v1, v2] = bench.validators as [TestValidator, TestValidator, TestValidator]
  const block = bench.block(v1, 1)
  const draft = { kind: 'proposal', height: 5, round: 1, block } as const
  const proposal = (await bench.sign(v1, draft)) as ProposalMessage['signed']
  const prepares = await bench.prepares(block, 1)
  assert.ok(prepares.some(({ author }) => author === v0.address))
  const right = await bench.roundChange(v2, 2, { round: 1, block, prepares, proposal })
  assert.equal(bench.problemOf(right), undefined)
  const same = await bench.roundChange(v2, 1, { round: 1, block, prepares, proposal })
  assert.match(bench.problemOf(same) ?? '', /prepared in round 1, and changes to round 1/)
  const own = await bench.sign(v1, { kind: 'prepare', height: 5, round: 1, digest: block.digest })
  const wrongPrepares = [...prepares.slice(1), own as (typeof prepares)[0]]
  const wrong = await bench.roundChange(v2, 2, { round: 1, block, prepares: wrongPrepares, proposal })
  assert.match(bench.problemOf(wrong) ?? '', /who proposed in round 1/)
})

test('ibft2: the proposer of a round must not prepare in it, and may commit and prepare in other rounds', async () => {
  const bench = new MessageBench('ibft2', 'current')
  const [v0, v1] = bench.validators as [TestValidator, TestValidator]
  const { digest } = bench.block(v0, 0)
  const prepare = async (author: TestValidator, round: number) => {
    const signed = await bench.sign(author, { kind: 'prepare', height: 5, round, digest })
    return ibft2PrepareOrCommitProblem(
      { kind: 'prepare', signed: signed as PrepareMessage['signed'] },
      bench.context,
    )
  }
  assert.match((await prepare(v0, 0)) ?? '', /does not prepare/)
  assert.equal(await prepare(v0, 1), undefined)
  assert.equal(await prepare(v1, 0), undefined)
  const commit = { kind: 'commit', height: 5, round: 0, digest, sealed: digest } as const
  const signed = (await bench.sign(v0, commit)) as CommitMessage['signed']
  assert.equal(ibft2PrepareOrCommitProblem({ kind: 'commit', signed }, bench.context), undefined)
  const stolen = { ...signed, payload: { ...signed.payload, sealAuthor: v1.address } }
  assert.match(
    ibft2PrepareOrCommitProblem({ kind: 'commit', signed: stolen }, bench.context) ?? '',
    /seal was not made/,
  )
})
