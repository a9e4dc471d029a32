/**
 * One of four validators has its key in a separate program, examples/signer. It proposes blocks like the others.
 * While the signer is down, the validator reports why it does not sign, and the others continue; it signs again when
 * the signer returns.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { EmbeddedNode } from '#node/create-node.ts'
import { killChild } from '../../support/own-child.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { makeValidators, start, type ValidatorNetwork } from '../../support/validator-network.ts'
import { embedPeer } from './embedded-peer.ts'
import { until } from './plugin-bodies.ts'

const SIGNER = fileURLToPath(new URL('../../../examples/signer/signer.ts', import.meta.url))
const PERIOD_MS = 250

interface Block {
  readonly number: string
  readonly miner: string
}

interface SignerProcess {
  readonly port: number
  readonly child: ChildProcess
}

async function startSigner(t: TestContext, args: readonly string[], port = 0): Promise<SignerProcess> {
  const child = spawn(process.execPath, [SIGNER, ...args, `--port=${port}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { port: Number(/:(\d+)\s*$/.exec(line.toString())![1]), child }
}

function startOther(network: ValidatorNetwork): Promise<EmbeddedNode> {
  return embedPeer(network, {
    'node-private-key-file': join(network.folder, 'keys', network.validator, 'key.priv'),
  })
}

const ask = async <T>(node: EmbeddedNode, method: string, ...params: unknown[]) =>
  (await node.provider.request({ method, params })) as T

test('a validator with an external signer produces blocks, abstains without it, and continues with it', {
  timeout: 120_000,
}, async (t) => {
  const running: EmbeddedNode[] = []
  t.after(() => Promise.all(running.map((node) => node.stop())))
  const [signed, ...others] = makeValidators(t, 'qbft', 4, {}, PERIOD_MS, { requestTimeoutSeconds: 1 }) as [
    ValidatorNetwork,
    ...ValidatorNetwork[],
  ]
  const folder = temporaryDirectory(t)
  const tokenFile = join(folder, 'token')
  writeFileSync(tokenFile, 't0ken-of-the-signer\n', { mode: 0o600 })
  chmodSync(signed.data, 0o700)
  const keyArg = signed.args.find((arg) => arg.startsWith('--node-private-key-file='))!
  const signerArgs = [`--key-file=${keyArg.split('=')[1]}`, `--token-file=${tokenFile}`]
  let signer = await startSigner(t, signerArgs)
  const url = `http://127.0.0.1:${signer.port}`
  const signerOptions = [`--node-signer-url=${url}`, `--node-signer-token-file=${tokenFile}`]
  const args = [
    ...signed.args.filter((arg) => arg !== keyArg),
    ...signerOptions,
    '--node-signer-timeout-ms=1000',
  ]
  const [node] = await Promise.all([
    start(t, { ...signed, args }),
    ...others.map(async (other) => running.push(await startOther(other))),
  ])
  const client = openRpcClient(node.http)
  t.after(() => client.close())
  const enode = (await client.call('net_enode')).result
  for (const [index, other] of running.entries()) {
    await ask(other, 'admin_addPeer', enode)
    for (const later of running.slice(index + 1))
      await ask(later, 'admin_addPeer', await ask(other, 'net_enode'))
  }
  const head = async () => Number(await ask(running[0]!, 'eth_blockNumber'))
  /** True if the validator under test has proposed a block since `from` that the others have. */
  const hasProposedSince = async (from: number) => {
    for (let number = await head(); number > from; number--) {
      const block = await ask<Block>(running[0]!, 'eth_getBlockByNumber', `0x${number.toString(16)}`, false)
      if (block.miner === signed.validator) return true
    }
    return false
  }
  const causeOf = async () => ((await client.call('bft_status')).result as { cause: string }).cause
  const readiness = async () =>
    (await (await fetch(`http://127.0.0.1:${node.http}/readiness`)).text()).replaceAll(/\s/g, '')
  const doctor = () => cairn([`--data-path=${signed.data}`, ...args, '--p2p-port=0', 'doctor'])

  await t.test('blocks are proposed by it, and no key is in its directory', async () => {
    await until(() => hasProposedSince(0))
    assert.ok(!readdirSync(signed.data).includes('key'))
    await until(async () => (await readiness()).includes('"status":"UP"'))
    const exported = cairn([...signerOptions, 'public-key', 'export-address'])
    assert.equal(exported.stdout, `${signed.validator}\n`, exported.stderr)
  })

  await t.test(
    'without its signer a validator reports why it does not sign, and the others continue',
    async () => {
      await killChild(signer.child)
      const from = await head()
      await until(async () => (await head()) >= from + 5)
      await until(async () =>
        /^This node cannot sign: The signer at http:\S+ (does|did) not answer sign/.test(await causeOf()),
      )
      assert.match(await readiness(), /"validator":\{"status":false,"cause":"Thisnodecannotsign/)
      const { code, stdout } = doctor()
      assert.equal(code, 1)
      assert.match(
        stdout,
        /error \[node-key\] The signer at http:\S+ (does|did) not answer publicKey.*\n.*Start the signer/,
      )
      const follows = Number((await client.call('eth_blockNumber')).result)
      assert.ok(follows >= from + 5 - 1, 'it does not follow the chain')
    },
  )

  await t.test('with the signer back it proposes again', async () => {
    signer = await startSigner(t, signerArgs, signer.port)
    const from = await head()
    await until(() => hasProposedSince(from))
    await until(async () => (await readiness()).includes('"status":"UP"'))
    assert.doesNotMatch(await causeOf(), /cannot sign/)
  })

  assert.equal(await node.stop(), 0, node.output())
  assert.doesNotMatch(node.output(), /t0ken-of-the-signer/)
})

test('the examples of docs/extend/signer.md are what the example signer answers, and it refuses the rest', async (t) => {
  const page = readFileSync(new URL('../../../docs/extend/signer.md', import.meta.url), 'utf8')
  const keyFile = join(temporaryDirectory(t), 'key')
  writeFileSync(keyFile, /private key `(0x\w{64})`/.exec(page)![1]!)
  const { port } = await startSigner(t, [`--key-file=${keyFile}`])
  const post = async (path: string, body?: string) => {
    const init = body === undefined ? {} : { method: 'POST', body }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
    return { status: response.status, text: await response.text() }
  }
  const examples = [
    ...page.matchAll(/^\$ curl [^\n]*?(?: -d '([^']*)')? http:\/\/127\.0\.0\.1:9000(\S+)\n(.*)$/gm),
  ]
  assert.equal(examples.length, 3)
  for (const [, body, path, answer] of examples) {
    assert.deepEqual(await post(path!, body), { status: 200, text: answer })
  }
  const refused: readonly (readonly [string, string?])[] = [
    ['/sign', '{"digest":"0x12"}'],
    ['/sign', '{"digest":{}}'],
    ['/sign', 'null'],
    ['/sign', `{"digest":"0x${'00'.repeat(5_000)}"}`],
    ['/ecdh', `{"publicKey":"0x${'01'.repeat(64)}"}`],
    ['/publicKey', '{}'],
    ['/'],
  ]
  for (const [path, body] of refused) assert.match(`${(await post(path, body)).status}`, /^40[04]$/)
})
