/**
 * The audit log of a real validator: callers and changes, over HTTP and several servers, on a full disk, and `audit
 * verify`.
 */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { describeNetwork } from '#fleet/new-network.ts'
import { verifyAudit } from '#jsonrpc/audit/verify-audit.ts'
import { hashPassword } from '#jsonrpc/auth/password-hash.ts'
import { createNode } from '#node/create-node.ts'
import { systemClock } from '#platform/clock.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { fillDisk, mountSmallDisk } from './fill-disk.ts'

const APIS = 'ETH,ADMIN,PERM,QBFT,MINER,PLUGINS,DEBUG'
const ACCOUNT = `0x${'ab'.repeat(20)}`
const PEER = `enode://${'ab'.repeat(64)}@127.0.0.1:1`

interface Line {
  readonly method: string
  readonly user: string | null
  readonly remoteAddress: string | null
  readonly params: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number }
  readonly before?: unknown
  readonly after?: unknown
}

test('every call that changes something is a line, a full disk stops changes and not the chain, and changed lines are found', async (context) => {
  const folder = temporaryDirectory(context)
  const disk = mountSmallDisk(context)
  const file = join(disk ?? folder, 'audit.jsonl')
  const network = await describeNetwork({
    validators: 1,
    observers: 0,
    chainId: 1337,
    blockPeriodSeconds: 1,
    hasPermissions: true,
    password: { plain: 'secret', hash: hashPassword('secret') },
  })
  for (const { path, content } of network.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  const dataPath = join(folder, network.nodes[0]!.name)
  const node = await createNode({
    genesis: readFileSync(join(dataPath, 'genesis.json'), 'utf8'),
    dataPath,
    options: {
      'rpc-http-enabled': true,
      'rpc-http-port': 0,
      'rpc-http-api': APIS,
      'rpc-http-authentication-enabled': true,
      'rpc-http-authentication-credentials-file': join(dataPath, 'credentials.toml'),
      'permissions-accounts-config-file-enabled': true,
      'p2p-port': 0,
      'rpc-threads': 2,
      'rpc-engine-threads': 0,
      'audit-log-file': file,
      'p2p-enabled': true,
      logging: 'OFF',
    },
  })
  context.after(() => node.stop())
  const url = `http://127.0.0.1:${node.http!.port}`
  const login = await fetch(`${url}/login`, {
    method: 'POST',
    body: JSON.stringify({ username: 'operator', password: 'secret' }),
  })
  const { token } = (await login.json()) as { token: string }
  const call = async (method: string, ...params: unknown[]) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
  }
  const lines = () =>
    readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)

  // A block between this vote and the next call must not change the validators: a second one would halt the chain.
  await call('qbft_proposeValidatorVote', ACCOUNT, false)
  await call('qbft_discardValidatorVote', ACCOUNT)
  await call('qbft_proposeValidatorVote', 'no address', true)
  await call('perm_addAccountsToAllowlist', [ACCOUNT])
  await call('perm_removeAccountsFromAllowlist', [ACCOUNT])
  await call('perm_reloadPermissionsFromFile')
  await call('admin_changeLogLevel', 'ERROR', ['p2p'])
  await call('admin_addPeer', PEER)
  await call('miner_setMinGasPrice', '0x5')
  await call('plugins_reloadPluginConfig')
  await call('eth_blockNumber')
  await call('qbft_getPendingVotes')
  await node.provider.request({ method: 'miner_setMinGasPrice', params: ['0x6'] })
  const written = lines()
  assert.deepEqual(
    written.map(({ method }) => method),
    [
      'qbft_proposeValidatorVote',
      'qbft_discardValidatorVote',
      'qbft_proposeValidatorVote',
      'perm_addAccountsToAllowlist',
      'perm_removeAccountsFromAllowlist',
      'perm_reloadPermissionsFromFile',
      'admin_changeLogLevel',
      'admin_addPeer',
      'miner_setMinGasPrice',
      'plugins_reloadPluginConfig',
      'miner_setMinGasPrice',
    ],
  )
  const [propose, discard, invalid, addAccount, , , level, addPeer, price] = written
  assert.deepEqual([propose!.user, propose!.remoteAddress], ['operator', '127.0.0.1'])
  assert.deepEqual(propose!.params, [ACCOUNT, false])
  assert.deepEqual(propose!.after, { pending: { count: 1, came: [`drop ${ACCOUNT}`] } })
  assert.deepEqual(discard!.before, { pending: { count: 1, gone: [`drop ${ACCOUNT}`] } })
  assert.deepEqual([invalid!.error?.code, invalid!.result, invalid!.after], [-32602, undefined, undefined])
  assert.match(JSON.stringify(addAccount!.after), new RegExp(`"came":\\["${ACCOUNT}"\\]`))
  assert.deepEqual([level!.before, level!.after], [{ p2p: null }, { p2p: 'ERROR' }])
  assert.match(JSON.stringify([addPeer!.error ?? addPeer!.after]), /127.0.0.1:1|-32000/)
  assert.deepEqual(price!.after, { minGasPriceWei: '5' })
  assert.deepEqual([written.at(-1)!.user, written.at(-1)!.remoteAddress], [null, null])

  await context.test(
    'a full disk',
    { skip: disk === undefined && 'this machine does not permit mounts' },
    async () => {
      const makeRoom = fillDisk(join(disk!, 'filler'), 0)
      // The last page of the file may still hold a line or two.
      const answers: unknown[] = []
      for (
        let number = 0;
        number < 60 && !JSON.stringify(answers.at(-1) ?? '').includes('audit');
        number += 1
      ) {
        answers.push((await call('miner_setMinGasPrice', `0x${(number + 16).toString(16)}`)).error?.message)
      }
      assert.match(String(answers.at(-1)), /audit log cannot be written, so nothing was changed/)
      const before = BigInt((await call('eth_blockNumber')).result as string)
      const price = (await call('miner_getMinGasPrice')).result
      while (BigInt((await call('eth_blockNumber')).result as string) < before + 2n) {
        await new Promise<void>((resolve) => void systemClock.after(200, resolve))
      }
      assert.equal((await call('miner_getMinGasPrice')).result, price)
      makeRoom()
      assert.equal((await call('miner_setMinGasPrice', '0x3')).result, true)
    },
  )
  await node.stop()

  const verified = cairn(['audit', 'verify', file])
  assert.equal(verified.code, 0, verified.stderr)
  const head = /Head: ([0-9a-f]{64})/.exec(verified.stdout)![1]!
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/"user":"operator"/, '"user":"mallory"'))
  const changed = cairn(['audit', 'verify', file])
  assert.equal(changed.code, 1)
  assert.match(changed.stderr, /audit\.jsonl, line 1: This line was changed/)
  const cut = text.slice(0, text.trimEnd().lastIndexOf('\n') + 1)
  writeFileSync(file, cut)
  assert.equal((await verifyAudit([file], head)).knowsHead, 'absent')
})
