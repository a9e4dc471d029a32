import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodedRlpItems, encodeRlp, encodeRlpList } from '#types/rlp.ts'
import { createBlockWork } from './block-work.ts'
import { makeBlock, openTestNetwork, testNetwork, testValidators } from './network.fixture.ts'
import { writerOf } from './writer.fixture.ts'

test('a proposal with an undecodable body is refused and is not a failure of this node', async () => {
  const validators = testValidators(4)
  const genesis = testNetwork({ qbft: {} }, validators)
  const { chain } = await openTestNetwork(genesis)
  const work = createBlockWork({
    writer: writerOf(chain),
    config: genesis.config,
    address: validators[0]!.address,
    building: () => ({ targetGasLimit: undefined, extraData: new Uint8Array(0) }),
    fixedBaseFeeWei: 0n,
    selectionMaxTime: 75,
    candidates: { next: async () => undefined } as never,
    nextVote: () => null,
  })
  const block = await makeBlock(chain, { validators, author: validators[0]! })
  const { signal } = new AbortController()
  assert.deepEqual(await work.validate(block, signal), { ok: true })
  const [header, , ommers] = [...encodedRlpItems(block)] as [Uint8Array, Uint8Array, Uint8Array]
  const undecodable = encodeRlpList([header, encodeRlp([Uint8Array.of(1, 2, 3)]), ommers])
  const verdict = await work.validate(undecodable, signal)
  assert.ok(!verdict.ok)
  assert.match(verdict.sentence, /^Malformed block/)
})
