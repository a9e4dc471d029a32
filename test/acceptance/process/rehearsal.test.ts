/**
 * Rehearsals: `--network=dev --copy-of` continues the chain of a running validator on a copy, under added forks. The
 * validator goes on undisturbed, and no other way opens a production directory as a development chain, or the reverse.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { cairn, PROGRAM, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'
import { makeNetwork, start } from '../../support/validator-network.ts'

const [SENDER, , OTHER] = DEV_ACCOUNTS
const FUNDS = '0xde0b6b3a7640000'
const KILLS = 3
const FORK_DELAY_SECONDS = 5_000

type Block = Readonly<Record<'number' | 'hash' | 'timestamp' | 'miner', string>> & {
  readonly blobGasUsed?: string
}

function ask(context: TestContext, port: number) {
  const client = openRpcClient(port)
  context.after(() => client.close())
  return async <Result>(method: string, ...params: unknown[]): Promise<Result> => {
    const { result, error } = await client.call(method, ...params)
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result as Result
  }
}

/** Names, sizes and times of all files. */
function stateOf(folder: string): readonly string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).sort().map((name) => {
    const { size, mtimeMs } = statSync(join(folder, name))
    return `${name} ${size} ${mtimeMs}`
  })
}

for (const protocol of ['qbft', 'ibft2'] as const) {
  test(`a copy of a running ${protocol} validator continues under an added fork`, async (context) => {
    const network = makeNetwork(context, protocol, { [SENDER!.address]: { balance: FUNDS } })
    const folder = temporaryDirectory(context)
    const validator = await start(context, network)
    const askValidator = ask(context, validator.http)
    while (Number(await askValidator('eth_blockNumber')) < 5) await pause(50)
    writeFileSync(
      join(network.data, 'permissions_config.toml'),
      `accounts-allowlist=["${SENDER!.address}"]\n`,
    )
    const genesisFile = join(folder, 'genesis.json')
    const genesis = JSON.parse(readFileSync(join(network.folder, 'genesis.json'), 'utf8'))
    writeFileSync(genesisFile, JSON.stringify(genesis))
    const data = join(folder, 'copy')
    const args = ['--network=dev', `--copy-of=${network.data}`, `--genesis-file=${genesisFile}`]
    const permitted = [...args, '--permissions-accounts-config-file-enabled', '--rpc-http-api=ETH,QBFT,IBFT']
    for (let kill = 1; kill <= KILLS; kill++)
      await killAfter(kill * 250, [...permitted, `--data-path=${data}`])
    const first = await startNode(permitted, data)
    context.after(() => first.kill())
    const askFirst = ask(context, first.http)
    const head = await askFirst<Block>('eth_getBlockByNumber', 'latest', false)
    const same = await askValidator<Block>('eth_getBlockByNumber', head.number, false)
    assert.equal(head.hash, same.hash)
    for (const name of ['key', 'votes']) {
      const copied = join(data, name)
      assert.ok(!existsSync(copied) || !readFileSync(copied).equals(readFileSync(keyOf(network))), name)
    }
    const hash = await askFirst('eth_sendTransaction', {
      from: SENDER!.address,
      to: OTHER!.address,
      value: '0x1',
      maxFeePerGas: '0x77359400',
    })
    const { status } = await askFirst<{ status: string }>('eth_getTransactionReceipt', hash)
    assert.equal(status, '0x1')
    await assert.rejects(
      askFirst('eth_sendTransaction', { from: OTHER!.address, to: SENDER!.address, gas: '0x5208' }),
      /not authorized/i,
    )
    assert.deepEqual(
      await askFirst(`${protocol === 'qbft' ? 'qbft' : 'ibft'}_getValidatorsByBlockNumber`, 'latest'),
      [SENDER!.address],
    )
    const snapshot = await askFirst('evm_snapshot')
    await askFirst('evm_mine')
    assert.equal(await askFirst('evm_revert', snapshot), true)
    await first.kill()
    const forkTime = Number(head.timestamp) + FORK_DELAY_SECONDS
    writeFileSync(
      genesisFile,
      JSON.stringify({ ...genesis, config: { ...genesis.config, cancunTime: forkTime } }),
    )
    const second = await startNode(args, data)
    context.after(() => second.kill())
    const askSecond = ask(context, second.http)
    assert.equal(Number(await askSecond('eth_blockNumber')), Number(head.number) + 1)
    await askSecond('evm_mine', forkTime)
    const forked = await askSecond<Block>('eth_getBlockByNumber', 'latest', false)
    assert.deepEqual([forked.blobGasUsed, forked.miner], ['0x0', SENDER!.address])
    assert.equal(await second.stop(), 0, second.output())
    const before = Number(await askValidator('eth_blockNumber'))
    while (Number(await askValidator('eth_blockNumber')) === before) await pause(50)
    assert.equal(await validator.stop(), 0, validator.output())
  })
}

function keyOf({ args }: { readonly args: readonly string[] }): string {
  return args
    .find((arg) => arg.startsWith('--node-private-key-file='))!
    .slice('--node-private-key-file='.length)
}

async function killAfter(ms: number, args: readonly string[]): Promise<void> {
  const ports = ['--rpc-http-port=0', '--rpc-ws-port=0']
  const child = spawn(process.execPath, [PROGRAM, ...args, ...ports], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await Promise.race([pause(ms), exited])
  child.kill('SIGKILL')
  await exited
}

test('directories are never mixed up, and the source is only read', async (context) => {
  const network = makeNetwork(context, 'qbft')
  const folder = temporaryDirectory(context)
  const validator = await start(context, network)
  const askValidator = ask(context, validator.http)
  while (Number(await askValidator('eth_blockNumber')) < 3) await pause(50)
  assert.equal(await validator.stop(), 0)
  const genesisFile = `--genesis-file=${join(network.folder, 'genesis.json')}`
  const production = join(folder, 'production')
  cpSync(network.data, production, { recursive: true })
  const other = join(folder, 'other.json')
  const genesis = JSON.parse(readFileSync(join(network.folder, 'genesis.json'), 'utf8'))
  writeFileSync(other, JSON.stringify({ ...genesis, gasLimit: '0x1c9c380' }))
  const copy = join(folder, 'copy')
  const before = stateOf(network.data)
  const copyOf = `--copy-of=${network.data}`
  const refuses = (sentence: RegExp, ...args: string[]): void => {
    const { code, stderr } = cairn(['--rpc-http-port=0', '--rpc-ws-port=0', ...args])
    assert.equal(code, 2, stderr)
    assert.match(stderr, sentence)
  }
  refuses(/--copy-of needs --genesis-file/, '--network=dev', copyOf, `--data-path=${copy}`)
  refuses(/--copy-of needs --network=dev/, genesisFile, copyOf, `--data-path=${copy}`)
  refuses(
    /belongs to another network/,
    '--network=dev',
    copyOf,
    `--genesis-file=${other}`,
    `--data-path=${copy}`,
  )
  refuses(
    /is neither a data directory nor a backup/,
    '--network=dev',
    `--copy-of=${folder}`,
    genesisFile,
    `--data-path=${copy}`,
  )
  refuses(/is not empty/, '--network=dev', copyOf, genesisFile, `--data-path=${production}`)
  refuses(/is within/, '--network=dev', copyOf, genesisFile, `--data-path=${join(network.data, 'copy')}`)
  refuses(/has no peers/, '--network=dev', copyOf, genesisFile, '--p2p-enabled=true', `--data-path=${copy}`)
  // A copy that was killed before it was complete.
  mkdirSync(join(copy, 'restoring', 'database'), { recursive: true })
  writeFileSync(join(copy, 'restoring', '.restored-by-4194304'), '')
  writeFileSync(join(copy, 'restoring', 'database', 'CURRENT'), 'MANIFEST-')
  const node = await startNode(['--network=dev', copyOf, genesisFile], copy)
  context.after(() => node.kill())
  assert.equal(await node.stop(), 0, node.output())
  refuses(
    /is a copy for rehearsals/,
    genesisFile,
    `--data-path=${copy}`,
    ...network.args.filter((arg) => arg.startsWith('--node-private')),
  )
  refuses(/is a copy for rehearsals/, '--network=dev', `--data-path=${copy}`)
  const backup = join(folder, 'backup')
  const made = cairn([`--data-path=${network.data}`, 'backup', 'create', `--to=${backup}`])
  assert.equal(made.code, 0, made.stderr)
  const fromBackup = await startNode(
    ['--network=dev', `--copy-of=${backup}`, genesisFile],
    join(folder, 'second'),
  )
  context.after(() => fromBackup.kill())
  assert.ok(Number(await ask(context, fromBackup.http)('eth_blockNumber')) >= 3)
  assert.equal(await fromBackup.stop(), 0, fromBackup.output())
  assert.deepEqual(stateOf(network.data), before)
})
