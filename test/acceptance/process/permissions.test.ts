/** The accounts allowlist of the real program: audited changes, kills, a full disk, unusable files. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parse } from 'smol-toml'
import { GENESIS_TEXT } from '#chain/chain.fixture.ts'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient, type RpcAnswer } from '../../support/rpc-client.ts'
import { type RunningNode, startNode } from '../../support/running-node.ts'
import { makeNetwork, moreBlocks, start } from '../../support/validator-network.ts'

const KILLS = 3
const SEED = Number(process.env.CAIRN_SEED ?? Date.now() % 2 ** 31)
const ON = ['--permissions-accounts-config-file-enabled', '--rpc-http-enabled', '--rpc-http-api=PERM']
const COMMENT = '# who may send\n'
const account = (number: number) => `0x${number.toString(16).padStart(40, '0')}`

async function call(
  node: RunningNode,
  method: string,
  params: unknown[],
  token?: string,
): Promise<RpcAnswer> {
  const response = await fetch(`http://127.0.0.1:${node.http}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as RpcAnswer
}

function accountsIn(path: string): string[] {
  return parse(readFileSync(path, 'utf8'))['accounts-allowlist'] as string[]
}

/** Log lines about changes; they come from another thread than the answer. */
function changesIn(node: RunningNode): Record<string, unknown>[] {
  const lines = node.output().split('\n')
  const changes = lines.filter((line) => line.includes('Changed allowlist'))
  return changes.map((line) => (JSON.parse(line) as { fields: Record<string, unknown> }).fields)
}

test("a change is logged with the token's user and the caller's address", async (context) => {
  const folder = temporaryDirectory(context)
  const users = `[Users.alice]\npassword = "${hashPassword('secret')}"\npermissions = ["perm:*"]\n`
  writeFileSync(join(folder, 'auth.toml'), users)
  writeFileSync(join(folder, 'permissions_config.toml'), `${COMMENT}accounts-allowlist=["${account(1)}"]\n`)
  const credentials = `--rpc-http-authentication-credentials-file=${join(folder, 'auth.toml')}`
  const node = await startNode([...ON, '--rpc-http-authentication-enabled', credentials], folder)
  const login = await fetch(`http://127.0.0.1:${node.http}/login`, {
    method: 'POST',
    body: JSON.stringify({ username: 'alice', password: 'secret' }),
  })
  const { token } = (await login.json()) as { token: string }
  const add = await call(node, 'perm_addAccountsToAllowlist', [[account(2)]], token)
  assert.equal(add.result, 'Success')
  const refused = await call(node, 'perm_addAccountsToAllowlist', [[account(3)]])
  assert.equal(refused.error?.code, -40100)
  assert.equal(await node.stop(), 0)
  const [change, ...more] = changesIn(node)
  assert.deepEqual(more, [])
  const { via, user, remoteAddress, before, after } = change ?? {}
  assert.deepEqual(
    { via, user, remoteAddress, before, after },
    {
      via: 'perm_addAccountsToAllowlist',
      user: 'alice',
      remoteAddress: '127.0.0.1',
      before: [account(1)],
      after: [account(1), account(2)],
    },
  )
  assert.doesNotMatch(node.output(), new RegExp(token.slice(-20)))
})

test(`after any kill the permissions file is complete and has every answered change (CAIRN_SEED=${SEED})`, async (context) => {
  const folder = temporaryDirectory(context)
  const path = join(folder, 'permissions_config.toml')
  writeFileSync(path, `${COMMENT}accounts-allowlist=[]\n`)
  const random = createSeededRandom(SEED)
  const answered: string[] = []
  let next = 1
  for (let kill = 0; kill < KILLS; kill++) {
    const node = await startNode(ON, folder)
    const client = openRpcClient(node.http)
    const listed = (await client.call('perm_getAccountsAllowlist')).result
    assert.deepEqual(listed, accountsIn(path))
    let isKilled = false
    const adding = (async () => {
      while (!isKilled) {
        const added = account(next++)
        const answer = await client.call('perm_addAccountsToAllowlist', [added]).catch(() => undefined)
        if (answer?.result === 'Success') answered.push(added)
      }
    })()
    await new Promise((resolve) => setTimeout(resolve, 100 + random.randomBelow(400)))
    await node.kill()
    isKilled = true
    await adding
    client.close()
    const left = accountsIn(path)
    const missing = answered.filter((added) => !left.includes(added))
    assert.deepEqual(missing, [], `after kill ${kill}`)
    assert.ok(
      left.length - answered.length <= kill + 1,
      'at most the pending change is present without an answer',
    )
    assert.ok(readFileSync(path, 'utf8').startsWith(COMMENT))
  }
  context.diagnostic(`${answered.length} changes answered, ${accountsIn(path).length} in the file`)
  assert.ok(answered.length > KILLS)
})

test('on a full disk nothing changes, and changes work again when there is room', async (context) => {
  const disk = mountTiny(context)
  if (disk === undefined) return context.skip('this machine does not let us mount a disk')
  const path = join(disk, 'permissions.toml')
  writeFileSync(path, `${COMMENT}accounts-allowlist=["${account(1)}"]\n`)
  const node = await startNode([...ON, `--permissions-accounts-config-file=${path}`])
  context.after(() => node.kill())
  try {
    writeFileSync(join(disk, 'filler'), new Uint8Array(1024 * 1024))
  } catch {
    // It is full now.
  }
  const answer = await call(node, 'perm_addAccountsToAllowlist', [[account(2)]])
  assert.match(answer.error?.message ?? '', /^Unable to persist changes/)
  assert.deepEqual((await call(node, 'perm_getAccountsAllowlist', [])).result, [account(1)])
  assert.deepEqual(accountsIn(path), [account(1)])
  rmSync(join(disk, 'filler'))
  assert.equal((await call(node, 'perm_addAccountsToAllowlist', [[account(2)]])).result, 'Success')
  assert.deepEqual(accountsIn(path), [account(1), account(2)])
  await node.stop()
  assert.match(
    node.output(),
    /The disk is full, so .*permissions\.toml was not.*Allowlist change was not saved/,
  )
})

/** Returns undefined if this machine does not permit mounts. */
function mountTiny(context: TestContext): string | undefined {
  if (process.platform !== 'linux') return undefined
  const folder = mkdtempSync(join(tmpdir(), 'cairn-tiny-'))
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder]).status === 0
  context.after(() => {
    if (isMounted) spawnSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true })
  })
  return isMounted ? folder : undefined
}

const KEY = new Uint8Array(32).fill(7)
const SENDER = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))
const PERIOD_MS = 1_000

/** A contract creation has no recipient that a list could contain. */
function creation(nonce: bigint): string {
  const price = { gasPrice: 2_000_000_000n, gasLimit: 100_000n, value: 0n }
  const unsigned = { type: 0, chainId: 1337n, nonce, to: null, data: new Uint8Array(0), ...price } as const
  return formatData(signTransaction(unsigned, KEY).encoded)
}

test('an unlisted account cannot send, and one removed while its transaction waits is skipped', async (context) => {
  const network = makeNetwork(context, 'qbft', { [SENDER]: { balance: '0xde0b6b3a7640000' } }, PERIOD_MS)
  writeFileSync(join(network.data, 'permissions_config.toml'), 'accounts-allowlist=[]\n')
  const node = await start(context, {
    ...network,
    args: [...network.args, ...ON.slice(0, 1), '--rpc-http-api=ETH,PERM'],
  })
  const send = (nonce: bigint) => call(node, 'eth_sendRawTransaction', [creation(nonce)])
  const refused = await send(0n)
  assert.equal(refused.error?.code, -32007)
  assert.equal(refused.error?.message, 'Sender account not authorized to send transactions')

  for (let nonce = 0n; ; nonce++) {
    assert.equal((await call(node, 'perm_addAccountsToAllowlist', [[SENDER]])).result, 'Success')
    await moreBlocks(node, 1)
    const hash = (await send(nonce)).result
    assert.match(String(hash), /^0x/)
    assert.equal((await call(node, 'perm_removeAccountsFromAllowlist', [[SENDER]])).result, 'Success')
    const isMined = async () => (await call(node, 'eth_getTransactionReceipt', [hash])).result !== null
    // On a slow machine the next block may exist already; then the block after it is tried.
    if (await isMined()) continue
    await moreBlocks(node, 1)
    if (await isMined()) continue
    await moreBlocks(node, 2)
    assert.equal(await isMined(), false)
    assert.equal((await call(node, 'perm_addAccountsToAllowlist', [[SENDER]])).result, 'Success')
    await moreBlocks(node, 2)
    assert.equal(await isMined(), true)
    break
  }
})

test('a start with a file that cannot be used ends with a sentence, before anything is written', (context) => {
  const cwd = temporaryDirectory(context)
  writeFileSync(join(cwd, 'genesis.json'), GENESIS_TEXT)
  const start = (content: string | undefined): string => {
    if (content !== undefined) writeFileSync(join(cwd, 'p.toml'), content)
    const options = [
      '--data-path=data',
      '--genesis-file=genesis.json',
      '--permissions-accounts-config-file=p.toml',
    ]
    const { code, stderr } = cairn([...options, '--permissions-accounts-config-file-enabled'], { cwd })
    assert.equal(code, 2, stderr)
    return (JSON.parse(stderr.split('\n')[0]!) as { msg: string }).msg
  }
  assert.match(
    start(undefined),
    /^Unable to read permissioning TOML config file : \S*p\.toml Configuration file does not/,
  )
  assert.match(start('accounts-allowlist=["0x1"]'), /^Invalid account 0x1 in accounts-allowlist, line 1 of /)
  assert.match(start('x=1'), /^accounts-allowlist config option missing in TOML config file /)
})
