import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KnownHeaders } from '#chain/block/known-headers.ts'
import { PLAIN_HEADER } from '#types/block/block.fixture.ts'
import { type BlockHeader, hashHeader } from '#types/block/block-header.ts'
import { ommersHash } from '#types/block/block-roots.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { keccak256 } from '#types/keccak.ts'
import { validateBlock } from './validate-block.ts'

const verdict = parseGenesis(
  JSON.stringify({ config: { ethash: { fixeddifficulty: 1 } }, difficulty: '0x1', gasLimit: '0x1c9c380' }),
)
assert.ok(verdict.ok)
const { genesis } = verdict
const hashBlock = (header: BlockHeader) => hashHeader(header, keccak256)

test('an ommer named by a block that is not stored yet cannot be named again', async () => {
  const start = { ...PLAIN_HEADER, number: 0n }
  const first = childOf(start)
  const ommer = childOf(start, [], 2n)
  const second = childOf(first, [ommer])
  // These blocks were executed in this order and wait for their common batch, so the store knows none of them.
  const headers = new KnownHeaders({ numberOf: () => undefined, read: () => undefined })
  for (const header of [start, first]) headers.add({ hash: hashBlock(header), header })
  headers.add({ hash: hashBlock(second), header: second }, [hashBlock(ommer)])
  const tools = {
    genesis,
    headerRules: { verifyHeader: () => undefined },
    hashBlock,
    keccak: keccak256,
    headers,
    store: { read: () => undefined },
  }
  const judge = (ommers: readonly BlockHeader[]) => {
    const header = childOf(second, ommers)
    const block = { header, transactions: [], ommers, withdrawals: undefined }
    const received = { stage: 'received', hash: hashBlock(header), block, bodyBytes: 1_000 } as const
    return validateBlock(tools, received, { hash: hashBlock(second), header: second }, 'light', undefined)
  }
  assert.deepEqual(await judge([ommer]), {
    ok: false,
    reason: 'INVALID_OMMERS',
    sentence: `The ommer ${hashBlock(ommer)} is an ancestor, or was named before.`,
  })
  assert.equal((await judge([childOf(start, [], 3n)])).ok, true)
})

function childOf(parent: BlockHeader, ommers: readonly BlockHeader[] = [], laterSeconds = 1n): BlockHeader {
  return {
    ...PLAIN_HEADER,
    parentHash: hashBlock(parent),
    number: parent.number + 1n,
    timestamp: parent.timestamp + laterSeconds,
    ommersHash: ommersHash(ommers),
  }
}
