/*
 * A running node moves blocks to segments while clients read them, and is killed meanwhile. It answers every request like a
 * node with the same chain and without segments. Afterwards the commands verify, prune and repair the segments.
 */
import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { GENESIS_TEXT, openTestChain } from '#chain/chain.fixture.ts'
import { growChain } from '#chain/write/move-history.fixture.ts'
import { openLevelKv } from '#store/kv/kv.ts'
import {
  answersOf,
  ask,
  HOT_BLOCKS,
  hex,
  MOVED,
  makeChain,
  SEGMENT_BLOCKS,
  SEGMENTS,
  segmentsIn,
  withNode,
} from '../../support/old-blocks.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'

test('answers about blocks stay the same while they move and after a kill, and commands verify, prune and repair them', {
  timeout: 120_000,
}, async (context) => {
  const data = temporaryDirectory(context)
  const database = join(data, 'database')
  const { hashes, format } = await makeChain(database)
  const still = [`--data-storage-format=${format}`]
  const moving = [...still, `--history-hot-blocks=${HOT_BLOCKS}`]
  const before = await withNode(context, still, data, (client) => answersOf(client, hashes))
  await withNode(context, moving, data, async (client, node) => {
    do assert.deepEqual(await answersOf(client, hashes), before)
    while (segmentsIn(database).length === 0)
    await node.kill()
  })
  const command = [`--data-path=${data}`, `--genesis-file=${join(data, 'genesis.json')}`, ...still, 'history']
  await withNode(context, moving, data, async (client) => {
    do assert.deepEqual(await answersOf(client, hashes), before)
    while (segmentsIn(database).length < SEGMENTS)
    assert.deepEqual(await answersOf(client, hashes), before)
    const verified = cairn([...command, 'verify'])
    assert.equal(
      verified.stdout,
      `The ${SEGMENTS} segments are intact: checksums, blocks and indexes.\n`,
      verified.stderr,
    )
    assert.match(cairn([...command, 'prune', '--keep=0']).stderr, /is in use by another process/)
  })
  const pruned = cairn([...command, 'prune', `--keep=${HOT_BLOCKS + 2 * SEGMENT_BLOCKS}`])
  const first = MOVED - 2 * SEGMENT_BLOCKS
  assert.equal(
    pruned.stdout,
    `Complete blocks begin with block ${first}; earlier ones have headers.\n`,
    pruned.stderr,
  )
  const segment = `${String(first).padStart(12, '0')}.segment`
  const path = join(database, 'segments', segment)
  const copies = temporaryDirectory(context)
  copyFileSync(path, join(copies, segment))
  writeFileSync(
    path,
    readFileSync(path).map((byte) => byte ^ 1),
  )
  const damaged = cairn([...command, 'verify'])
  assert.equal(damaged.code, 1)
  assert.match(
    damaged.stdout,
    new RegExp(`^Blocks from ${first}: .*${segment} is damaged: .* Replace it with a copy`),
  )
  await withNode(context, moving, data, async (client) => {
    const { error } = await client.call('eth_getBlockByNumber', hex(first), true)
    assert.equal(error?.code, -32603)
    assert.match(
      error.message,
      new RegExp(`^History segment damaged \\(${segment}: .* Replace it with a copy`),
    )
    const repaired = cairn([...command, 'repair', `--from=${copies}`])
    assert.match(repaired.stdout, /Repaired segments: 1\.\n$/, repaired.stderr)
    for (const [method, ...params] of [
      ['eth_getBlockByNumber', '0x3', true],
      ['eth_getBlockReceipts', '0x3'],
      ['eth_getLogs', { fromBlock: '0x1', toBlock: hex(first) }],
      ['trace_block', '0x3'],
      ['debug_traceBlockByNumber', '0x3'],
    ] as const) {
      const { error: refused } = await client.call(method, ...params)
      assert.deepEqual(refused, { code: 4444, message: 'Pruned history unavailable' }, method)
    }
    assert.equal(await ask(client, 'eth_getTransactionReceipt', hashes[1]![0]), null)
    const receipt = await ask(client, 'eth_getTransactionReceipt', hashes[first + 1]![0])
    assert.ok(before.some((answer) => isDeepStrictEqual(answer, receipt)))
  })
})

test('era files of a chain are imported and executed into an empty directory, and a flipped byte is refused', {
  timeout: 60_000,
}, async (context) => {
  const [data, other] = [temporaryDirectory(context), temporaryDirectory(context)]
  const genesis = join(data, 'genesis.json')
  writeFileSync(genesis, GENESIS_TEXT)
  const chain = await openTestChain({}, await openLevelKv(join(data, 'database'), { createIfMissing: true }))
  await growChain(chain, 20)
  const { hash } = chain.head
  await chain.close()
  const options = [`--genesis-file=${genesis}`, '--data-storage-format=FOREST']
  const eras = join(data, 'eras')
  const exported = cairn([...options, `--data-path=${data}`, 'history', 'export', `--to=${eras}`])
  assert.match(exported.stdout, /^Exported 21 blocks to .*eras: 1 files/, exported.stderr)
  const [name = ''] = readdirSync(eras).filter((each) => /^cairn-00000-[0-9a-f]{8}\.era1$/.test(each))
  const good = readFileSync(join(eras, name))
  const take = () =>
    cairn([
      ...options,
      `--data-path=${other}`,
      ...['history', 'import', `--from=${eras}`, '--skip-pow-validation-enabled'],
    ])
  writeFileSync(
    join(eras, name),
    good.map((byte, at) => (at === 500 ? byte ^ 1 : byte)),
  )
  assert.match(take().stderr, /era1 is damaged: its SHA-256 is not the one in checksums\.txt/)
  writeFileSync(join(eras, name), good)
  const imported = take()
  assert.match(imported.stdout, /the last one of the files is block 20\./, imported.stderr)
  const copy = await openTestChain({}, await openLevelKv(join(other, 'database'), { createIfMissing: false }))
  assert.equal(copy.head.hash, hash)
  await copy.close()
})
