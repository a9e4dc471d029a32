import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  extend,
  makeBlock,
  openTestNetwork,
  type TestValidator,
  testNetwork,
  testValidators,
} from '#consensus/network.fixture.ts'
import type { BftVote } from '#types/block/bft-extra-data.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { parseData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { Transaction } from '#types/transaction/transaction.ts'

const [a, b, c, d] = testValidators(4) as [TestValidator, TestValidator, TestValidator, TestValidator]
const add = ({ address }: TestValidator): BftVote => ({ recipient: address, type: 'add' })
const drop = ({ address }: TestValidator): BftVote => ({ recipient: address, type: 'drop' })

for (const protocol of ['qbft', 'ibft2'] as const) {
  test(`${protocol}: header votes add and remove a validator from the next block on`, async () => {
    const { chain } = await openTestNetwork(testNetwork({ [protocol]: {} }, [a, b, c]))
    const next = { protocol, validators: [a, b, c] }
    assert.ok((await extend(chain, { ...next, author: a, vote: add(d) })).ok)
    assert.ok(!(await extend(chain, { ...next, author: b, validators: [a, b, c, d] })).ok)
    assert.ok((await extend(chain, { ...next, author: b, vote: add(d) })).ok)
    const four = { protocol, validators: [a, b, c, d] }
    assert.ok(!(await extend(chain, { ...next, author: c })).ok)
    assert.ok((await extend(chain, { ...four, author: d, vote: drop(a) })).ok)
    assert.ok((await extend(chain, { ...four, author: c, vote: drop(a) })).ok)
    assert.ok((await extend(chain, { ...four, author: b, vote: drop(a) })).ok)
    assert.ok((await extend(chain, { protocol, validators: [b, c, d], author: b })).ok)
  })
}

test('an epoch block resets all votes, including its own', async () => {
  const { chain } = await openTestNetwork(testNetwork({ qbft: { epochlength: 2 } }, [a, b, c]))
  const next = { validators: [a, b, c] }
  assert.ok((await extend(chain, { ...next, author: a, vote: add(d) })).ok)
  assert.ok((await extend(chain, { ...next, author: b, vote: add(d) })).ok)
  assert.ok((await extend(chain, { ...next, author: c, vote: add(d) })).ok)
  assert.ok((await extend(chain, { ...next, author: a })).ok)
})

test('a transition sets the validators of its block, and votes continue from there', async () => {
  const transitions = { qbft: [{ block: 2, validators: [c.address, b.address] }] }
  const { chain } = await openTestNetwork(testNetwork({ qbft: {}, transitions }, [a]))
  assert.ok((await extend(chain, { validators: [a], author: a })).ok)
  assert.ok(!(await extend(chain, { validators: [a], author: a })).ok)
  assert.ok((await extend(chain, { validators: [b, c], author: b, vote: add(d) })).ok)
  assert.ok((await extend(chain, { validators: [b, c], author: c, vote: add(d) })).ok)
  assert.ok((await extend(chain, { validators: [b, c, d], author: c })).ok)
})

test('a migration from IBFT 2.0 to QBFT keeps the validators listed in the last block', async () => {
  const config = { ibft2: { epochlength: 100 }, qbft: { startblock: 3, epochlength: 100 } }
  const { chain } = await openTestNetwork(testNetwork(config, [a, b]))
  const past = { protocol: 'ibft2', validators: [a, b] } as const
  assert.ok((await extend(chain, { ...past, author: a, vote: add(c) })).ok)
  // The block before the first of QBFT begins an epoch, so this vote is too late.
  assert.ok((await extend(chain, { ...past, author: b, vote: add(c) })).ok)
  assert.ok(!(await extend(chain, { validators: [a, b, c], author: a })).ok)
  assert.ok((await extend(chain, { validators: [a, b], author: a, vote: add(c) })).ok)
  assert.ok((await extend(chain, { validators: [a, b], author: b, vote: add(c) })).ok)
  assert.ok((await extend(chain, { validators: [a, b, c], author: c })).ok)
})

/** Returns a list of one address, the one in slot 0; 32 bytes of input replace it. */
const CONTRACT =
  '0x3660201460 1c57 6020600052 6001602052 600054604052 60606000f3 5b600035600055 00'.replaceAll(' ', '')
const contract = `0x${'88'.repeat(20)}` as typeof a.address
const RICH_KEY = new Uint8Array(32).fill(99)
const rich = addressFromPublicKey(publicKeyFromPrivate('secp256k1', RICH_KEY))
const word = ({ address }: TestValidator) => `0x${'00'.repeat(12)}${address.slice(2)}`

function setValidator(validator: TestValidator): Transaction {
  const call = { nonce: 0n, gasLimit: 100_000n, to: contract, value: 0n, data: parseData(word(validator)) }
  return signTransaction({ type: 0, chainId: 1337n, gasPrice: 1n, ...call }, RICH_KEY)
}

test('a contract names validators by the state of the previous block, also within one batch', async () => {
  const alloc = {
    [contract]: { balance: '0x0', code: CONTRACT, storage: { '0x0': word(a) } },
    [rich]: { balance: '0xffffffffffff' },
  }
  const genesis = testNetwork({ qbft: { validatorcontractaddress: contract } }, [], alloc)
  const { chain } = await openTestNetwork(genesis)
  const blocks: Uint8Array[] = []
  const hasContract = true
  const first = { hasContract, validators: [a], author: a, transactions: [setValidator(b)] }
  for (const next of [first, { hasContract, validators: [b], author: b }]) {
    blocks.push(await makeBlock(chain, next))
    assert.ok((await chain.importBlock(chain.receive(blocks.at(-1)!))).ok)
  }
  const old = await extend(chain, { hasContract, validators: [a], author: a })
  assert.match(old.ok ? '' : old.sentence, /is not a validator/)
  const listed = await extend(chain, { validators: [b], author: b })
  assert.match(listed.ok ? '' : listed.sentence, /^It lists validators or votes, and a contract names them/)
  const again = await openTestNetwork(genesis)
  const verdict = await again.chain.importMany(blocks.map((block) => again.chain.receive(block)))
  assert.deepEqual(verdict, { ok: true, imported: 2, known: 0 })
})

test('a contract that names no validator makes every block invalid, with a reason', async () => {
  const genesis = testNetwork({ qbft: { validatorcontractaddress: contract } }, [])
  const { chain } = await openTestNetwork(genesis)
  const verdict = await extend(chain, { hasContract: true, validators: [a], author: a })
  assert.match(verdict.ok ? '' : verdict.sentence, /^The contract 0x88.* does not name the validators/)
})
