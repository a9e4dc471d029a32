import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KnownHeader } from '#chain/block/stages.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import type { Chain } from '#chain/write/create-chain.ts'
import { createHeaderRules } from '#consensus/create-header-rules.ts'
import { makeBlock, openTestNetwork, testNetwork, testValidators } from '#consensus/network.fixture.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { SealCheck } from '#sync/catch-up/seal-check.ts'
import { decodeBftExtraData, encodeBftExtraData } from '#types/block/bft-extra-data.ts'
import { decodeBlock } from '#types/block/block.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Genesis } from '#types/genesis/genesis.ts'

const crypto = await loadCrypto()
const engine = await createJsEngine()
const VALIDATORS = testValidators(4)
const GENESIS = testNetwork({ qbft: {} }, VALIDATORS)
const FUTURE = 4_000_000_000n

/** A node at block 0, and the headers that others made after it. */
async function shown(genesis: Genesis, optionsOf: (number: number) => Parameters<typeof makeBlock>[1]) {
  const { chain } = await openTestNetwork(genesis)
  const { chain: ours } = await openTestNetwork(genesis)
  const hashBlock = blockHashOf(genesis.config.consensus, crypto.keccak)
  const headers: KnownHeader[] = []
  for (let number = 1; number <= 8; number++) {
    const block = await makeBlock(chain, optionsOf(number))
    const { header } = decodeBlock(block)
    headers.push({ hash: hashBlock(header), header })
    await chain.importBlock(chain.receive(block))
  }
  const view = createChainView({ store: ours.store, genesis, keccak: crypto.keccak })
  const seals = new SealCheck({ chain: view, crypto, engine, createHeaderRules })
  return { headers, hashBlock, ...checking(seals, ours) }
}

function checking(seals: SealCheck, { head }: Chain) {
  return { refuse: (headers: readonly KnownHeader[]) => seals.refuse(headers, head), seals, head }
}

const sealed = await shown(GENESIS, (number) => ({ validators: VALIDATORS, author: VALIDATORS[number % 4]! }))

function changed({ header }: KnownHeader, change: Partial<BlockHeader>): KnownHeader {
  const made = { ...header, ...change }
  return { hash: sealed.hashBlock(made), header: made }
}

function unsealed(known: KnownHeader): KnownHeader {
  const content = decodeBftExtraData('qbft', known.header.extraData)
  return changed(known, { extraData: encodeBftExtraData('qbft', { ...content, seals: [] }) })
}

test('headers sealed by the validators are accepted, and the headers after them', async () => {
  assert.equal(await sealed.refuse(sealed.headers.slice(0, 4)), undefined)
  const [, , , fourth] = sealed.headers
  assert.equal(await sealed.seals.refuse(sealed.headers.slice(4), fourth!), undefined)
  assert.equal(await sealed.refuse([]), undefined)
})

test('the first header must be sealed', async () => {
  const [first, ...rest] = sealed.headers
  assert.match((await sealed.refuse([unsealed(first!), ...rest]))!, /^Header 1 is invalid\. It has 0 seals/)
})

test('the last header must be sealed', async () => {
  const made = changed(sealed.headers.at(-1)!, { transactionsRoot: sealed.headers[0]!.header.ommersHash })
  for (const last of [unsealed(sealed.headers.at(-1)!), made]) {
    assert.match((await sealed.refuse([...sealed.headers.slice(0, -1), last]))!, /^Header 8 is invalid\./)
  }
})

test('only the seals of a header are checked, not its time', async () => {
  const future = await shown(GENESIS, () => ({
    validators: VALIDATORS,
    author: VALIDATORS[0]!,
    change: { timestamp: FUTURE },
  }))
  assert.equal(await future.refuse(future.headers.slice(0, 1)), undefined)
  const made = changed(sealed.headers[0]!, { timestamp: FUTURE })
  assert.match((await sealed.refuse([made]))!, /^Header 1 is invalid\. It has a seal of/)
})

const [A, B, C, D] = VALIDATORS.map((one) => one)
const voted = await shown(testNetwork({ qbft: {} }, [A!, B!, C!]), (number) => {
  const vote = { recipient: D!.address, type: 'add' } as const
  if (number <= 2) return { validators: [A!, B!, C!], author: number === 1 ? A! : B!, vote }
  return { validators: VALIDATORS, author: D! }
})

test('newly voted validators may seal the headers after their vote', async () => {
  assert.equal(await voted.refuse(voted.headers), undefined)
  assert.equal(await voted.seals.refuse(voted.headers.slice(4), voted.headers[3]!), undefined)
})

test('headers after a change of validators must be sealed one by one', async () => {
  const headers = voted.headers.map((known, at) => (at === 5 ? unsealed(known) : known))
  assert.match((await voted.refuse(headers))!, /^Header 6 is invalid\./)
})
