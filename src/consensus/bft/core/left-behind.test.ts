/* A round that the validators cannot leave, because each waits for others that are there already. */
import { deepStrictEqual, strictEqual } from 'node:assert'
import { test } from 'node:test'
import type { BftMessage } from '#consensus/bft/messages.ts'
import { TestNetwork, type TestNode } from './test-network.fixture.ts'

const HEIGHT = 3
/** Rounds of 4, 8, 16, 32 and 60 s: enough for a turn of every validator. */
const PATIENCE_MS = 180_000

for (const protocol of ['qbft', 'ibft2'] as const) {
  /**
   * Round 1 is the turn of a Byzantine validator, which alone receives a quorum of round changes, because it keeps its own. Its
   * block is prepared, also by a validator that may not sign yet and therefore has nothing to say about round 1 later.
   */
  test(`${protocol}: a validator that was prepared before it may sign does not hold the others in its round`, async () => {
    const isDelivered = ({ kind, signed }: BftMessage, from: TestNode): boolean => {
      const { height, round } = signed.payload
      if (height < HEIGHT) return true
      if (from === byzantine) return round === 1 && (kind === 'proposal' || kind === 'prepare')
      return round > 0
    }
    const network = new TestNetwork({ protocol, validators: 4, isDelivered })
    const [late, first, second, byzantine] = network.nodes as [TestNode, TestNode, TestNode, TestNode]
    await network.start()
    const oldEntry = late.entry
    while (late.imported.length < HEIGHT - 1) await network.advance(100)
    await network.restart(late, { signatureLog: oldEntry })
    await network.advance(11_000)
    deepStrictEqual(
      [late, first, second].map(({ core }) => core.state()?.preparedRound),
      [1, 1, 1],
    )
    strictEqual(late.imported.length, HEIGHT - 1)
    for (let ms = 0; ms < PATIENCE_MS && late.imported.length < HEIGHT; ms += 1_000)
      await network.advance(1_000)
    deepStrictEqual(
      [late, first, second].map(({ imported }) => imported.length >= HEIGHT),
      [true, true, true],
    )
  })
}
