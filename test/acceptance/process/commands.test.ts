import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKOUT } from '../../support/copy-checkout.ts'
import { cairn, PROGRAM, temporaryDirectory } from '../../support/program.ts'

const GENESIS = {
  config: { chainId: 1337, berlinBlock: 0, londonBlock: 0, shanghaiTime: 0 },
  nonce: '0x0',
  timestamp: '0x58ee40ba',
  gasLimit: '0x1fffffffffffff',
  difficulty: '0x1',
  mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
  coinbase: '0x0000000000000000000000000000000000000000',
  alloc: { '0x627306090abaB3A6e1400e9345bC60c78a8BEf57': { balance: '90000000000000000000000' } },
}

for (const [section, type] of [
  ['qbft', 'QBFT_EXTRA_DATA'],
  ['ibft2', 'IBFT_EXTRA_DATA'],
] as const) {
  test(`four ${section} validators: keys, extra data and genesis file agree`, (context) => {
    const cwd = temporaryDirectory(context)
    const bft = { blockperiodseconds: 2, epochlength: 30000, requesttimeoutseconds: 4 }
    const genesis = { ...GENESIS, config: { ...GENESIS.config, [section]: bft } }
    const blockchain = { nodes: { generate: true, count: 4 } }
    writeFileSync(join(cwd, 'config.json'), JSON.stringify({ genesis, blockchain }))
    const made = cairn(
      ['operator', 'generate-blockchain-config', '--config-file=config.json', '--to=network'],
      { cwd },
    )
    assert.equal(made.code, 0, made.stderr)

    const addresses = readdirSync(join(cwd, 'network', 'keys'))
    assert.equal(addresses.length, 4)
    for (const address of addresses) {
      const key = join(cwd, 'network', 'keys', address, 'key.priv')
      assert.equal(statSync(key).mode & 0o777, 0o600, 'a private key is readable by its owner only')
      const exported = cairn(['public-key', 'export-address', `--node-private-key-file=${key}`], { cwd })
      assert.equal(exported.stdout, `${address}\n`)
    }

    const { extraData } = JSON.parse(readFileSync(join(cwd, 'network', 'genesis.json'), 'utf8'))
    const decoded = cairn(['rlp', 'decode', `--type=${type}`], { cwd, input: extraData })
    const validators = decoded.stdout.trim().slice(1, -1).split(', ')
    assert.deepEqual([...validators].sort(), addresses.sort())
    const encoded = cairn(['rlp', 'encode', `--type=${type}`], { cwd, input: JSON.stringify(validators) })
    assert.equal(encoded.stdout.trim(), extraData)

    const validated = cairn(['genesis', 'validate', 'network/genesis.json'], { cwd })
    assert.equal(validated.code, 0, validated.stdout)
  })
}

test('a genesis file with ten mistakes gets ten findings', () => {
  const { code, stdout } = cairn([
    'genesis',
    'validate',
    join(CHECKOUT, 'test', 'support', 'fixtures', 'genesis-ten-mistakes.json'),
  ])
  assert.equal(code, 1)
  assert.equal(stdout.trim().split('\n').length, 10, stdout)
})

test('a hashed password is a bcrypt hash, wherever the password came from', () => {
  for (const run of [
    cairn(['password', 'hash', '--password=secret']),
    cairn(['password', 'hash'], { input: 'secret\n' }),
  ]) {
    assert.match(run.stdout, /^\$2a\$10\$[./A-Za-z0-9]{53}\n$/)
  }
})

test('a password typed at a terminal is not echoed', async () => {
  const command = `'${process.execPath}' '${PROGRAM}' password hash`
  const terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'])
  let screen = ''
  for await (const chunk of terminal.stdout) {
    screen += chunk
    if (screen.endsWith('Password: ')) terminal.stdin.write('secret\r')
  }
  assert.match(screen, /^Password: \r\n\$2a\$10\$[./A-Za-z0-9]{53}\r\n$/)
})

test('a public key is exported from a key that is created if it is missing', (context) => {
  const cwd = temporaryDirectory(context)
  const first = cairn(['--data-path=here', 'public-key', 'export'], { cwd })
  assert.match(first.stdout, /^0x[0-9a-f]{128}\n$/)
  assert.equal(cairn(['--data-path=here', 'public-key', 'export'], { cwd }).stdout, first.stdout)
  const named = cairn(['public-key', 'export', '--node-private-key-file=none'], { cwd })
  assert.deepEqual([named.code, named.stdout], [2, ''])
})

test('a command that fails says so in JSON where the log is asked to be JSON', () => {
  const args = ['rlp', 'decode', '--type=QBFT_EXTRA_DATA', '--from=none']
  const plain = cairn(args)
  assert.match(plain.stderr, /^Unable to read input file\. none does not exist/)
  const { code, stdout, stderr } = cairn(['--logging-format=JSON', ...args])
  const [line, ...others] = `${stdout}${stderr}`.trimEnd().split('\n')
  assert.deepEqual([code, others], [plain.code, []])
  assert.deepEqual([JSON.parse(line!).level, JSON.parse(line!).msg], ['ERROR', plain.stderr.trimEnd()])
})
