import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Streams } from './io.ts'
import { main } from './main.ts'

async function cairn(
  args: string[],
  input = '',
  columns?: number,
): Promise<{ code: number; out: string; err: string }> {
  let out = ''
  let err = ''
  const io: Streams = {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    draw: () => undefined,
    readInput: () => input,
    readSecretLine: () => undefined,
    columns,
  }
  return { code: await main(args, io), out, err }
}

test('the version has four parts', async () => {
  for (const args of [['--version'], ['-V'], ['rlp', 'encode', '--version']]) {
    const { code, out } = await cairn(args)
    assert.equal(code, 0)
    assert.match(out, /^cairn\/v\d+\.\d+\.\d+\/\w+-\w+\/node-v\d+\n$/)
  }
})

test('help lists groups of options and every command, and omits options without effect', async () => {
  const { out } = await cairn(['--help'])
  assert.match(out, /^JSON-RPC over HTTP:$/m)
  assert.match(out, /--rpc-http-port=<PORT>\n {6}Port to listen on.*\(default: 8545\)/)
  assert.match(out, /operator generate-blockchain-config/)
  assert.doesNotMatch(out, /--graphql-http-port|--X/)
})

test('help fits the terminal', async () => {
  for (const columns of [72, 80, 200]) {
    for (const args of [['--help'], ['blocks', '--help'], ['blocks', 'import', '--help']]) {
      const { out } = await cairn(args, '', columns)
      const longest = Math.max(...out.split('\n').map((line) => line.length))
      assert.ok(longest <= Math.min(columns, 100), `${args.join(' ')}: ${longest} of ${columns}`)
    }
  }
})

test('an option in the wrong place is reported with its place, and one name is suggested', async () => {
  for (const [args, sentence] of [
    [
      ['blocks', 'import', '--data-path=x', 'f'],
      /Unknown option: '--data-path=x'\. It is an option of the node and belongs before the command: cairn --data-path=<DIRECTORY> blocks import …/,
    ],
    [
      ['--from=x', 'blocks', 'import'],
      /It is an option of blocks import and belongs after it: cairn blocks import --from …/,
    ],
    [['--rpc-http-prt=1'], /Unknown option: '--rpc-http-prt=1'\. Did you mean --rpc-http-port\?\n/],
    [
      ['--rpc-http-api=ETH,FOO'],
      /invalid entries found \[FOO\]; APIs are ADMIN, .*WEB3 \(from the command line\)\./,
    ],
  ] as const) {
    const { code, err } = await cairn([...args])
    assert.equal(code, 2)
    assert.match(err, sentence)
    assert.ok((err.match(/Did you mean/g) ?? []).length <= 1)
  }
})

test('a group of commands without a command shows its commands', async () => {
  const { code, out } = await cairn(['public-key'])
  assert.equal(code, 0)
  assert.match(out, /public-key export-address +Print/)
})

test('a command shows its own options and the default of each', async () => {
  const { out } = await cairn(['rlp', 'decode', '--help'])
  assert.match(out, /--type=<IBFT_EXTRA_DATA\|QBFT_EXTRA_DATA>\n.*\(default: IBFT_EXTRA_DATA\)/)
})

test('a usage error exits 2 with the place and a hint to help', async () => {
  for (const [args, sentence] of [
    [['rlpp', 'decode'], /'rlpp' is not a command\. Did you mean rlp\?/],
    [['rlp', 'decod'], /'decod' is not a command\. Did you mean rlp decode/],
    [['rlp', 'decode', 'file'], /Unmatched argument at index 0: 'file'/],
    [['genesis', 'validate'], /Missing argument <FILE>/],
    [
      ['operator', 'generate-blockchain-config'],
      /Missing required options: '--config-file=<FILE>', '--to=<DIRECTORY>'/,
    ],
  ] as const) {
    const { code, out, err } = await cairn([...args])
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, sentence)
    assert.match(err, /cairn \[COMMAND\] --help\n$/)
  }
})

test('a command that fails exits 1 and prints no result', async () => {
  const { code, out, err } = await cairn(['rlp', 'decode', '--type=QBFT_EXTRA_DATA'], '0x1234')
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /^The extra data is not valid for QBFT\./)
})

test('the paths of a node are printed one per line', async () => {
  const { out } = await cairn(['--data-path=/a', '--genesis-file=/b', '--print-paths-and-exit'])
  assert.equal(out, '--data-path=/a\n--genesis-file=/b\n--tx-pool-save-file=/a/txpool.dump\n')
})

test('an unknown metric category is refused with the known ones', async () => {
  const { code, err } = await cairn(['--metrics-category=rpc,peeers'])
  assert.equal(code, 2)
  assert.match(err, /--metrics-category.*expected one of \[.*consensus.*peers.*\].*'peeers'/s)
})

test('control characters in names and files reach neither stream', async () => {
  const hostile = 'x\u001b[2J\u009b1A\r'
  const { err } = await cairn([hostile])
  assert.match(err, /x\\u001b\[2J\\u009b1A\\u000d/)
  assert.deepEqual(
    [...'\u001b\u009b\r'].filter((control) => err.includes(control)),
    [],
  )
})
