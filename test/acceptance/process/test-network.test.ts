import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createNetwork, type TestNetwork, type TestValidator } from '#fleet/test-network.ts'
import { isRunning } from '#platform/files/temporary-directory.ts'

const BLOCK_MS = 30_000

async function heightOf({ url }: TestValidator): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body })
  return Number(((await answer.json()) as { result: string }).result)
}

function heightsOf({ validators }: TestNetwork): Promise<number[]> {
  return Promise.all(validators.map(heightOf))
}

/** Waits until the validator has more blocks than now. */
async function untilMore(validator: TestValidator, more = 1): Promise<void> {
  const goal = (await heightOf(validator)) + more
  const endMs = performance.now() + BLOCK_MS
  while ((await heightOf(validator)) < goal) {
    assert.ok(performance.now() < endMs, `${validator.name} has no block ${goal} after ${BLOCK_MS} ms`)
    await sleep(100)
  }
}

test('validators are killed, frozen, partitioned and added, and the chain recovers', async () => {
  let seen: TestNetwork
  {
    await using network = await createNetwork({ validators: 4 })
    seen = network
    const [first, second, third, fourth] = network.validators as [
      TestValidator,
      TestValidator,
      TestValidator,
      TestValidator,
    ]
    await untilMore(first)
    await fourth.kill()
    assert.equal(fourth.pid, undefined)
    await untilMore(first)
    await fourth.start()
    fourth.freeze()
    await untilMore(second)
    fourth.unfreeze()
    await network.partition([first, second], [third, fourth])
    const halted = await heightsOf(network)
    await sleep(3_000)
    const later = await heightsOf(network)
    // A validator may still import the blocks that another one has, and a block that was under way.
    assert.ok(Math.max(...later) <= Math.max(...halted) + 1, `heights were ${halted} and are ${later}`)
    await network.heal()
    await untilMore(third)
    const fifth = await network.addValidator()
    await untilMore(fifth)
    assert.equal(network.validators.length, 5)
  }
  assert.deepEqual(
    seen.validators.map(({ pid }) => pid),
    [undefined, undefined, undefined, undefined, undefined],
  )
  assert.equal(existsSync(seen.directory), false)
})

test('a test process that ends without a stop takes its network along', async () => {
  const script = `
    import { createNetwork } from ${JSON.stringify(import.meta.resolve('#fleet/test-network.ts'))}
    const network = await createNetwork({ validators: 1 })
    console.log(network.validators[0].pid)
    throw new Error('a test failed')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [text] = await once(child.stdout, 'data')
  await once(child, 'exit')
  const pid = Number(text)
  const endMs = performance.now() + BLOCK_MS
  while (isRunning(pid)) {
    assert.ok(performance.now() < endMs, `process ${pid} runs`)
    await sleep(50)
  }
})

test('createNetwork refuses unknown members and numbers of validators', async () => {
  await assert.rejects(createNetwork({ validator: 4 } as object), /knows validators.*, not validator/)
  for (const validators of [0, 1.5, 31]) {
    await assert.rejects(createNetwork({ validators }), /a number from 1 to 30/)
  }
})
