/** A validator with a faulty machine, or with an operator request that it cannot fulfil: what it does and reports. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openRpcClient } from '../../support/rpc-client.ts'
import type { RunningNode } from '../../support/running-node.ts'
import { makeNetwork, moreBlocks, start } from '../../support/validator-network.ts'
import { requireWholeHead } from '../../support/whole-head.ts'
import { fillDisk, mountSmallDisk } from './fill-disk.ts'

const MEBIBYTE = 1024 * 1024

test('debug_setHead is refused on a validator, which continues', async (context) => {
  const node = await start(context, makeNetwork(context, 'qbft'))
  await moreBlocks(node, 3)
  const { error } = await call(node, 'debug_setHead', '0x1')
  assert.match(JSON.stringify(error), /Cannot rewind a validator.*--node-private-key-file/)
  await moreBlocks(node, 2)
  assert.equal(await node.stop(), 0, node.output())
})

test('a single validator is ready if it needs no peers', async (context) => {
  const network = makeNetwork(context, 'qbft')
  const node = await start(context, { ...network, args: [...network.args, '--p2p-enabled=false'] })
  await moreBlocks(node, 2)
  assert.deepEqual(await readiness(node), { status: 200, body: '{\n  "status" : "UP"\n}' })
  assert.match(node.output(), /Node is a validator/)
  assert.equal(await node.stop(), 0, node.output())
})

/** Free disk space: none, so the signature log fails, or too little for the database. */
for (const leftMebibytes of [0, 8]) {
  test(`a full disk (${leftMebibytes} MiB left) is reported, and the validator continues by itself when there is space`, async (context) => {
    const disk = mountSmallDisk(context)
    if (disk === undefined) return context.skip('no file system can be mounted here')
    const network = { ...makeNetwork(context, 'qbft'), data: join(disk, 'data') }
    const node = await start(context, network)
    await moreBlocks(node, 2)
    const free = fillDisk(join(disk, 'ballast'), leftMebibytes * MEBIBYTE)
    const cause = await until(
      async () => (await status(node)).cause,
      (sentence) => /disk is full/.test(sentence),
    )
    assert.match(cause, /This node cannot (store its signatures|import)/)
    const unready = await until(
      () => readiness(node, '?minPeers=0'),
      ({ status }) => status === 503,
    )
    assert.match(unready.body, /"chain" : \{\s*"status" : false,\s*"cause" : ".*disk is full/)
    free()
    await moreBlocks(node, 2)
    assert.doesNotMatch((await status(node)).cause, /disk/)
    assert.equal(await node.stop(), 0, node.output())
    await requireWholeHead(network.data, network.folder)
  })
}

async function readiness(node: RunningNode, query = ''): Promise<{ status: number; body: string }> {
  const answer = await fetch(`http://127.0.0.1:${node.http}/readiness${query}`)
  return { status: answer.status, body: await answer.text() }
}

async function status(node: RunningNode): Promise<{ readonly cause: string }> {
  return (await call(node, 'bft_status')).result as { cause: string }
}

/** Waits until the test's own timeout. */
async function until<Value>(look: () => Promise<Value>, isSo: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await look()
    if (isSo(value)) return value
  }
}

async function call(node: RunningNode, method: string, ...params: readonly unknown[]) {
  const client = openRpcClient(node.http)
  try {
    return await client.call(method, ...params)
  } finally {
    client.close()
  }
}
