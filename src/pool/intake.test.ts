import { deepStrictEqual } from 'node:assert'
import { after, test } from 'node:test'
import { call, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { Intake, type IntakeParts } from './intake.ts'

const INTERVAL_MS = 25

const chain = await openTestChain()
after(() => chain.close())
const view = createChainView({ store: chain.store, genesis: testGenesis() })
const crypto = await loadCrypto()

/** An intake whose batches are listed by the nonces of their transactions. */
function intake(parts: Pick<IntakeParts, 'pace'> = {}) {
  const batches: bigint[][] = []
  const made = new Intake({
    chain: view,
    crypto,
    rules: { feeCapWei: 0n, needsChainId: false, convertsBlobs: false },
    admit: async (submissions) => {
      batches.push(submissions.map(({ nonce }) => nonce))
      return submissions.map(() => ({ ok: true }))
    },
    ...parts,
  })
  const submit = (...nonces: number[]) => Promise.all(nonces.map((nonce) => made.submit(call(nonce).encoded)))
  return { batches, submit }
}

test('the transactions of one turn are one batch', async () => {
  const { batches, submit } = intake()
  const verdicts = await submit(0, 1)
  deepStrictEqual(
    verdicts.map(({ ok }) => ok),
    [true, true],
  )
  await submit(2)
  deepStrictEqual(batches, [[0n, 1n], [2n]])
})

test('with a pace, a batch after a pause is sent at once, and the next when the interval is over', async () => {
  const clock = createFakeClock()
  const { batches, submit } = intake({ pace: { clock, intervalMs: INTERVAL_MS } })
  await submit(0)
  const later = [submit(1), nextTurn().then(() => submit(2))]
  await nextTurn()
  await nextTurn()
  deepStrictEqual(batches, [[0n]])
  clock.advance(INTERVAL_MS)
  await Promise.all(later)
  deepStrictEqual(batches, [[0n], [1n, 2n]])
  clock.advance(INTERVAL_MS)
  await submit(3)
  deepStrictEqual(batches, [[0n], [1n, 2n], [3n]])
})
