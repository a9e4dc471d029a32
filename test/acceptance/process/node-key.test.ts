/** Node keys in the real program: new, encrypted, and missing although a chain exists. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { makeNetwork, moreBlocks, start } from '../../support/validator-network.ts'

test('a validator continues with its key in a keystore, and does not start with a chain but without a key', {
  timeout: 120_000,
}, async (context) => {
  const network = makeNetwork(context, 'qbft')
  const cwd = temporaryDirectory(context)
  const keyArg = network.args.find((arg) => arg.startsWith('--node-private-key-file='))!
  const [store, password] = [join(cwd, 'key.json'), join(cwd, 'password')]
  writeFileSync(password, 'correct horse\n')
  const encrypt = [keyArg, 'key', 'encrypt', `--to=${store}`, `--password-file=${password}`]
  const encrypted = cairn(encrypt)
  assert.equal(encrypted.code, 0, encrypted.stderr)
  assert.match(encrypted.stdout, new RegExp(`^Encrypted the key of ${network.validator} from `))
  assert.equal(statSync(store).mode & 0o777, 0o600)
  const plain = readFileSync(keyArg.slice('--node-private-key-file='.length), 'utf8').replace(/^0x/, '')
  assert.ok(!readFileSync(store, 'utf8').includes(plain))
  assert.match(cairn(encrypt).stderr, /already exists and is not overwritten/)

  const args = network.args.filter((arg) => arg !== keyArg)
  const keystore = [`--node-private-key-file=${store}`, `--node-key-password-file=${password}`]
  const node = await start(context, { ...network, args: [...args, ...keystore] })
  await moreBlocks(node, 2)
  assert.equal(await node.stop(), 0)
  assert.doesNotMatch(node.output(), /correct horse/)

  const data = `--data-path=${network.data}`
  const keyless = cairn([data, ...args, '--rpc-http-port=0', '--metrics-port=0', '--p2p-enabled=false'])
  assert.equal(keyless.code, 2, keyless.stdout)
  assert.match(keyless.stderr, /The data directory has a chain but no node key at/)
  assert.ok(!existsSync(join(network.data, 'key')))
  assert.match(cairn([data, 'public-key', 'export']).stderr, /Cairn does not generate another key/)

  writeFileSync(password, 'wrong\n')
  const address = [data, ...keystore, 'public-key', 'export-address']
  assert.match(cairn(address).stderr, /^The password does not open the keystore/)
  writeFileSync(password, 'correct horse')
  assert.equal(cairn(address).stdout, `${network.validator}\n`)

  const to = join(network.data, 'key')
  assert.match(
    cairn(['key', 'new', `--to=${to}`, `--password-file=${password}`]).stdout,
    /^Made a key for 0x/,
  )
  assert.match(readFileSync(to, 'utf8'), /^\{"version":3/)
  rmSync(to)
  assert.equal(cairn(['key', 'new', `--to=${to}`]).code, 0)
  assert.match(readFileSync(to, 'utf8'), /^0x[0-9a-f]{64}$/)
})
