/**
 * Takes backups of a real validator under load, restores each and compares it with the original. Also tests how a
 * restored node behaves. `npm run nightly -- backup` takes 50 backups.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createNode } from '#node/create-node.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { PROGRAM, type Run, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { TransferLoad } from '../../support/transfer-load.ts'
import { makeNetwork, start } from '../../support/validator-network.ts'

const BACKUPS = Number(process.env.CAIRN_BACKUPS ?? 2)
const PER_SECOND = 50
const BACKED_UP = /^Backed up block (\d+), (0x\w{64}), to /
const BLOCKS_MISSED_MS = 500

/** Runs a command while this process keeps sending transactions. */
async function cairnBeside(...args: string[]): Promise<Run> {
  const child = spawn(process.execPath, [PROGRAM, '--logging=ERROR', ...args])
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (text) => {
    stdout += text
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

async function killed(afterMs: number, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, '--logging=ERROR', ...args], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await Promise.race([pause(afterMs), exited])
  child.kill('SIGKILL')
  await exited
}

test('backups under load are restored to equal roots, and a restored validator signs nothing by itself', {
  timeout: 240_000 + BACKUPS * 30_000,
}, async (context) => {
  const load = new TransferLoad(16)
  const network = makeNetwork(context, 'qbft', load.alloc())
  const cwd = temporaryDirectory(context)
  const node = await start(context, network)
  const client = openRpcClient(node.http)
  const ending = new AbortController()
  const loading = load.run(node.http, { perSecond: PER_SECOND, signal: ending.signal })
  const [data, genesis, key] = [
    `--data-path=${network.data}`,
    network.args.find((arg) => arg.startsWith('--genesis-file='))!,
    network.args.find((arg) => arg.startsWith('--node-private-key-file='))!,
  ]
  const genesisText = readFileSync(join(network.folder, 'genesis.json'), 'utf8')
  const restoredNode = (dataPath: string, more: Record<string, string | boolean> = {}) =>
    createNode({
      genesis: genesisText,
      dataPath,
      options: {
        'node-private-key-file': key.slice('--node-private-key-file='.length),
        'rpc-engine-threads': 0,
        ...more,
      },
    })
  const { address } = load.all[0]!
  let last = ''

  for (let turn = 0; turn < BACKUPS; turn++) {
    const [backup, target] = [join(cwd, `backup-${turn}`), join(cwd, `target-${turn}`)]
    const made = await cairnBeside(data, 'backup', 'create', `--to=${backup}`)
    assert.equal(made.code, 0, made.stderr)
    const [, number, hash] = BACKED_UP.exec(made.stdout)!
    const to = `--data-path=${target}`
    const restored = await cairnBeside(to, genesis, 'backup', 'restore', `--from=${backup}`)
    assert.equal(restored.code, 0, restored.stderr)
    assert.match(restored.stdout, /signs nothing until.*\nThe node key is not in the backup/)
    const embedded = await restoredNode(target)
    const ask = (method: string, ...params: unknown[]) => embedded.provider.request({ method, params })
    try {
      const place = `0x${Number(number).toString(16)}`
      const block = (await ask('eth_getBlockByNumber', 'latest', false)) as Record<string, string>
      assert.equal(block.hash, hash)
      const { result } = await client.call('eth_getBlockByNumber', place, false)
      assert.deepEqual(block, result)
      const proof = await client.call('eth_getProof', address, [], place)
      assert.deepEqual(await ask('eth_getProof', address, [], 'latest'), proof.result)
      await pause(BLOCKS_MISSED_MS)
      assert.equal(Number(await ask('eth_blockNumber')), Number(number), 'a restored validator signed')
      const status = (await ask('bft_status')) as { cause: string }
      assert.match(status.cause, /restored from a backup.*--bft-sign-without-votes/)
    } finally {
      await embedded.stop()
    }
    const checked = await cairnBeside(to, genesis, 'db', 'check')
    assert.equal(checked.code, 0, checked.stdout + checked.stderr)
    assert.match(
      checked.stdout,
      /^The database is intact: all blocks up to \d+, their indexes, and the state/,
    )
    if (last !== '') rmSync(last, { recursive: true })
    if (turn < BACKUPS - 1) rmSync(target, { recursive: true })
    last = backup
  }
  const head = Number((await client.call('eth_blockNumber')).result)
  ending.abort()
  await loading
  client.close()
  assert.ok(load.accepted.size > PER_SECOND, `${load.accepted.size} transactions`)
  assert.deepEqual(load.refusals, [])
  assert.ok(head > 0)

  const word = await restoredNode(join(cwd, `target-${BACKUPS - 1}`), { 'bft-sign-without-votes': true })
  const before = Number(await word.provider.request({ method: 'eth_blockNumber', params: [] }))
  for (;;) {
    const now = Number(await word.provider.request({ method: 'eth_blockNumber', params: [] }))
    if (now > before + 2) break
    await pause(20)
  }
  await word.stop()

  await context.test('a flipped byte is found, by the name of its file', async () => {
    const whole = await cairnBeside('backup', 'verify', `--from=${last}`)
    assert.equal(whole.code, 0, whole.stderr)
    assert.match(whole.stdout, /is complete: \d+ files, .*, up to block \d+, 0x\w{64}; made by cairn\/v/)
    const names = readdirSync(join(last, 'database')).filter((name) => name.endsWith('.ldb'))
    const file = join(last, 'database', names[0]!)
    const content = readFileSync(file)
    content[createSeededRandom(4).randomBelow(content.length)]! ^= 1
    const damaged = join(cwd, 'damaged')
    cpSync(last, damaged, { recursive: true })
    writeFileSync(join(damaged, 'database', names[0]!), content)
    const found = await cairnBeside('backup', 'verify', `--from=${damaged}`)
    assert.deepEqual([found.code, found.stdout], [1, ''])
    assert.match(found.stderr, new RegExp(`is damaged: database/${names[0]} is not as it was written`))
  })

  await context.test('a killed backup and a killed restore can be started again', async () => {
    const [backup, target] = [join(cwd, 'killed'), join(cwd, 'killed-target')]
    const to = `--data-path=${target}`
    await killed(400, data, 'backup', 'create', `--to=${backup}`)
    const again = existsSync(backup)
      ? undefined
      : await cairnBeside(data, 'backup', 'create', `--to=${backup}`)
    assert.ok(again === undefined || again.code === 0, again?.stderr)
    assert.deepEqual(
      readdirSync(cwd).filter((name) => name.includes('.part-')),
      [],
    )
    await killed(450, to, genesis, 'backup', 'restore', `--from=${backup}`)
    if (!existsSync(join(target, 'database'))) {
      const finished = await cairnBeside(to, genesis, 'backup', 'restore', `--from=${backup}`)
      assert.equal(finished.code, 0, finished.stderr)
    }
    const keyless = await cairnBeside(to, genesis, '--p2p-enabled=false')
    assert.equal(keyless.code, 2)
    assert.match(keyless.stderr, /The data directory has a chain but no node key at/)
    const embedded = await restoredNode(target)
    await embedded.stop()
    const twice = await cairnBeside(to, genesis, 'backup', 'restore', `--from=${backup}`)
    assert.equal(twice.code, 1)
    assert.match(twice.stderr, /is not empty/)
  })
})
