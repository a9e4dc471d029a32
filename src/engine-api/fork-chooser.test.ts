import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sliceCandidates } from '#chain/build/candidates.ts'
import {
  call,
  candidatesOf,
  extend,
  makeBlocks,
  openStakeChain,
  openTestChain,
  silentLog,
} from '#chain/chain.fixture.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { buildAnswerOf } from '#chain/writer/build-answer.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { encodeBlock } from '#types/block/block.ts'
import { type Hash, ZERO_HASH } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { ForkChooser } from './fork-chooser.ts'

const OTHER_HASH = `0x${'99'.repeat(32)}` as Hash
const ATTRIBUTES = {
  timestamp: 100n,
  prevRandao: OTHER_HASH,
  suggestedFeeRecipient: `0x${'11'.repeat(20)}`,
  withdrawals: [],
  parentBeaconBlockRoot: ZERO_HASH,
} as never

const choice = (head: Hash) => ({ head, safe: ZERO_HASH, finalized: ZERO_HASH })

/** A chooser on a chain of this thread, with a pool that the test fills. */
function chooserOn(chain: Chain) {
  const clock = createFakeClock()
  const pool: Transaction[] = []
  const { signal } = new AbortController()
  const sought: Hash[] = []
  let builds = 0
  const chooser = new ForkChooser({
    writer: {
      offer: (block) => chain.offer(chain.receive(block)),
      choose: (chosen) => chain.choose(chosen),
      build: async (template, source) => {
        const built = await chain.build(template, {
          candidates: (terms) => sliceCandidates(source, { ...terms, deadlineAtMs: 0, signal }),
        })
        builds++
        return buildAnswerOf(built)
      },
    },
    candidates: {
      select: () => candidatesOf(pool),
      leftOut: () => undefined,
      additionCount: () => pool.length,
      blobsOf: () => undefined,
    },
    building: () => ({
      targetGasLimit: undefined,
      minGasPriceWei: 0n,
      minPriorityFeeWei: 0n,
      extraData: new Uint8Array(0),
    }),
    budgetMs: 1_000,
    keccak: keccak256,
    sync: { seek: (head) => sought.push(head) },
    clock,
    log: silentLog,
  })
  const offer = async (encoded: Uint8Array) => {
    const { hash, block } = chain.receive(encoded)
    return { hash, status: await chooser.offer({ hash, parentHash: block.header.parentHash, encoded }) }
  }
  return { chooser, clock, pool, offer, sought, builds: () => builds }
}

test('descendants of an invalid block are invalid, with the last valid ancestor', async () => {
  const chain = await openTestChain()
  const { offer, chooser } = chooserOn(chain)
  const [first, second] = await makeBlocks([call(0)], [call(1)])
  const { block } = chain.receive(first!)
  const wrong = encodeBlock({ ...block, header: { ...block.header, stateRoot: OTHER_HASH } })
  const { hash, status } = await offer(wrong)
  assert.equal(status.status, 'INVALID')
  assert.equal(status.latestValidHash, chain.head.hash)
  assert.match(status.validationError!, /state root/)
  const child = chain.receive(second!).block
  const onWrong = await offer(encodeBlock({ ...child, header: { ...child.header, parentHash: hash } }))
  assert.deepEqual(onWrong.status, status)
  const chosen = await chooser.choose(choice(onWrong.hash), null)
  assert.deepEqual(chosen, { kind: 'status', payloadStatus: status, payloadId: null })
  assert.equal((await offer(first!)).status.status, 'VALID')
})

test('an invalid block of a side branch is found when the branch is chosen, and remembered', async () => {
  const chain = await openTestChain()
  const { offer, chooser } = chooserOn(chain)
  const [a1] = await makeBlocks([call(0)])
  await chooser.choose(choice((await offer(a1!)).hash), null)
  const other = await openTestChain()
  const b1 = await extend(other, [])
  const { block } = other.receive(await extend(other, [call(0)]))
  const b1Hash = (await offer(b1)).hash
  const b2 = await offer(encodeBlock({ ...block, header: { ...block.header, stateRoot: OTHER_HASH } }))
  assert.equal(b2.status.status, 'ACCEPTED')
  const chosen = await chooser.choose(choice(b2.hash), ATTRIBUTES)
  assert.equal(chosen.kind === 'status' && chosen.payloadStatus.status, 'INVALID')
  assert.equal(chosen.kind === 'status' && chosen.payloadStatus.latestValidHash, b1Hash)
  assert.equal(chosen.kind === 'status' && chosen.payloadId, null)
  assert.equal(chain.head.hash, chain.receive(a1!).hash)
  const again = await chooser.offer({ hash: OTHER_HASH, parentHash: b2.hash, encoded: b1 })
  assert.equal(again.status, 'INVALID')
})

test('a block with an unknown parent is SYNCING, and bytes that are not a block are INVALID', async () => {
  const chain = await openTestChain()
  const { offer, chooser } = chooserOn(chain)
  const [, second] = await makeBlocks([call(0)], [call(1)])
  assert.equal((await offer(second!)).status.status, 'SYNCING')
  const encoded = new Uint8Array([0xc0])
  const status = await chooser.offer({ hash: OTHER_HASH, parentHash: ZERO_HASH, encoded })
  assert.equal(status.status, 'INVALID')
})

test('a payload is built again when transactions arrive, until it is requested', async () => {
  const chain = await openStakeChain()
  const { chooser, clock, pool, builds } = chooserOn(chain)
  const chosen = await chooser.choose(choice(chain.head.hash), ATTRIBUTES)
  const id = chosen.kind === 'status' ? chosen.payloadId : null
  assert.ok(id)
  const built = async (count: number) => {
    while (builds() < count) await nextTurn()
    await nextTurn()
  }
  await built(1)
  pool.push(call(0))
  clock.advance(500)
  await built(2)
  const payload = await chooser.payload(id)
  assert.equal(payload?.transactions, 1)
  pool.push(call(1))
  clock.advance(5_000)
  await nextTurn()
  assert.equal(builds(), 2)
  assert.equal((await chooser.payload(id))?.hash, payload?.hash)
  assert.equal(await chooser.payload('0x0000000000000000'), null)
})

test('the same choice and attributes have the same payload, others have another', async () => {
  const chain = await openStakeChain()
  const { chooser, builds } = chooserOn(chain)
  const idOf = async (attributes: object) => {
    const chosen = await chooser.choose(choice(chain.head.hash), attributes as never)
    return chosen.kind === 'status' ? chosen.payloadId : chosen.kind
  }
  const first = await idOf(ATTRIBUTES)
  assert.equal(await idOf(ATTRIBUTES), first)
  assert.notEqual(await idOf({ ...(ATTRIBUTES as object), timestamp: 101n }), first)
  assert.equal(await idOf({ ...(ATTRIBUTES as object), timestamp: 0n }), 'INVALID_PAYLOAD_ATTRIBUTES')
  assert.ok(await chooser.payload(first!))
  while (builds() < 2) await nextTurn()
})

test('an unknown head is sought, and the blocks of its branch become canonical', async () => {
  const chain = await openTestChain()
  const { chooser, offer, sought } = chooserOn(chain)
  const blocks = await makeBlocks([call(0)], [], [call(1)])
  const target = chain.receive(blocks[2]!).hash
  assert.equal((await offer(blocks[2]!)).status.status, 'SYNCING')
  const chosen = await chooser.choose(choice(target), null)
  assert.equal(chosen.kind === 'status' && chosen.payloadStatus.status, 'SYNCING')
  assert.deepEqual(sought, [target])
  assert.equal(await chooser.takeBranch(target, blocks.slice(0, 2)), true)
  assert.equal(chain.head.hash, chain.receive(blocks[1]!).hash)
  assert.equal(await chooser.takeBranch(target, blocks.slice(2)), true)
  const again = await chooser.choose(choice(target), null)
  assert.equal(again.kind === 'status' && again.payloadStatus.status, 'VALID')
})

test('a sought branch is not taken once the client chose a known block', async () => {
  const chain = await openTestChain()
  const { chooser } = chooserOn(chain)
  const blocks = await makeBlocks([call(0)], [])
  const before = chain.head.hash
  await chooser.choose(choice(OTHER_HASH), null)
  await chooser.choose(choice(before), null)
  assert.equal(await chooser.takeBranch(OTHER_HASH, blocks), false)
  assert.equal(chain.head.hash, before)
})

test('a sought head whose ancestor is invalid is INVALID, with the last valid block', async () => {
  const chain = await openTestChain()
  const { chooser } = chooserOn(chain)
  const [first, second] = await makeBlocks([call(0)], [call(1)])
  const { block } = chain.receive(second!)
  const wrong = encodeBlock({ ...block, header: { ...block.header, stateRoot: OTHER_HASH } })
  await chooser.choose(choice(OTHER_HASH), null)
  assert.equal(await chooser.takeBranch(OTHER_HASH, [first!, wrong]), false)
  const chosen = await chooser.choose(choice(OTHER_HASH), null)
  assert.equal(chosen.kind === 'status' && chosen.payloadStatus.status, 'INVALID')
  assert.equal(chosen.kind === 'status' && chosen.payloadStatus.latestValidHash, chain.receive(first!).hash)
})

test('a head whose branch was refused is too deep, and so are its children', async () => {
  const chain = await openTestChain()
  const { chooser, offer, sought } = chooserOn(chain)
  const [, second, third] = await makeBlocks([call(0)], [call(1)], [])
  const head = (await offer(second!)).hash
  await chooser.choose(choice(head), null)
  chooser.refuseBranch(head, 'The branch is too deep.')
  const answer = { kind: 'TOO_DEEP_REORG', sentence: 'The branch is too deep.' }
  assert.deepEqual(await chooser.choose(choice(head), null), answer)
  const child = await offer(third!)
  assert.equal(child.status.status, 'SYNCING')
  assert.deepEqual(await chooser.choose(choice(child.hash), null), answer)
  assert.deepEqual(sought, [head])
  const before = await chooser.choose(choice(chain.head.hash), null)
  assert.equal(before.kind === 'status' && before.payloadStatus.status, 'VALID')
})

test('a sought branch that leaves the chain too deep is refused', async () => {
  const [chain, other] = [await openTestChain(), await openTestChain()]
  const { chooser } = chooserOn(chain)
  await extend(chain, [call(0)])
  const branch = [await extend(other), await extend(other)]
  const head = other.head.hash
  await chooser.choose(choice(head), null)
  chain.store.lowestState = () => 1
  assert.equal(await chooser.takeBranch(head, branch), false)
  assert.equal((await chooser.choose(choice(head), null)).kind, 'TOO_DEEP_REORG')
})
