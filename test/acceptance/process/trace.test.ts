/**
 * Call trees as contract developers see them: `cairn trace` prints the same tree of a transaction on Cairn and on anvil, with
 * the names of compiler artifacts. The development chain logs the tree of a failed transaction, and `console.log`.
 */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { encodeDeployData, encodeFunctionData } from 'viem'
import { readFlatTraces, readTracerResult } from '#cli/trace/read-call-tree.ts'
import { DEV_ACCOUNTS } from '#consensus/dev/dev-accounts.ts'
import { devGenesisText } from '#consensus/dev/dev-genesis.ts'
import { findAnvil, startAnvil } from '../../support/anvil.ts'
import { compileSolidity } from '../../support/compile-solidity.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { openRpcClient } from '../../support/rpc-client.ts'
import { startNode } from '../../support/running-node.ts'

const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const PAYEE = '0x2222222222222222222222222222222222222222'
const contracts = compileSolidity(join(import.meta.dirname, 'contracts', 'Vault.sol'))
const { abi, bytecode } = contracts.Vault!

/** The layout of Foundry. */
function writeArtifacts(context: TestContext): string {
  const folder = temporaryDirectory(context)
  for (const [name, { abi, bytecode, deployedBytecode }] of Object.entries(contracts)) {
    mkdirSync(join(folder, 'Vault.sol'), { recursive: true })
    const codes = { bytecode: { object: bytecode }, deployedBytecode: { object: deployedBytecode } }
    writeFileSync(join(folder, 'Vault.sol', `${name}.json`), JSON.stringify({ abi, ...codes }))
  }
  return folder
}

type Ask = (method: string, ...params: unknown[]) => Promise<unknown>

const call = (functionName: string, ...args: unknown[]): string =>
  encodeFunctionData({ abi, functionName, args })

/** Sends the same transactions to any development node. Returns their hashes. */
async function playStory(ask: Ask): Promise<readonly string[]> {
  const send = async (transaction: object): Promise<string> => {
    const hash = await ask('eth_sendTransaction', {
      from: SENDER,
      gas: '0x300000',
      gasPrice: '0x3b9aca00',
      ...transaction,
    })
    return hash as string
  }
  const created = await send({ data: encodeDeployData({ abi, bytecode, args: [] }), value: '0x1' })
  const { contractAddress: to } = (await ask('eth_getTransactionReceipt', created)) as {
    contractAddress: string
  }
  const order = { to: PAYEE, amounts: [10n, 20n], memo: 'rent "May"' }
  return [
    created,
    await send({ to, data: call('pay', order), value: '0xde0b6b3a7640000' }),
    await send({ to, data: call('pay', { ...order, amounts: [1n, 500n] }) }),
    await send({ to, data: call('tryToPay', PAYEE, 500n) }),
    await send({ to, data: call('noisy', 1n) }),
  ]
}

test('a trace has the calls, events, values and errors by name, on Cairn as on anvil', async (context) => {
  const artifacts = writeArtifacts(context)
  const node = await startNode(['--network=dev', `--dev-artifacts=${artifacts}`])
  context.after(() => node.stop())
  const client = openRpcClient(node.http)
  context.after(() => client.close())
  const ask: Ask = async (method, ...params) => {
    const { result, error } = await client.call(method, ...params)
    assert.equal(error, undefined, `${method}: ${JSON.stringify(error)}`)
    return result
  }
  const hashes = await playStory(ask)
  const traceOn = (port: number, hash: string, ...more: string[]): string => {
    const { code, stdout, stderr } = cairn(['trace', hash, `--rpc-url=http://127.0.0.1:${port}`, ...more])
    assert.equal(code, 0, stderr)
    return stdout
  }
  const traces = hashes.map((hash) => traceOn(node.http, hash, `--artifacts=${artifacts}`))
  const [created, paid, failed, tried, noisy] = traces
  assert.match(
    created!,
    /^Transaction succeeded in block 1, gas used \d+\n\[\d+\] new Vault\(\) at 0x\w{40} \{value: 1 wei\}\n├─ \[\d+\] new Token\(supply: 100\) at 0x/,
  )
  assert.match(
    paid!,
    /Vault::pay\(order: \(to: 0x2{40}, amounts: \[10, 20\], memo: "rent \\"May\\""\)\) \{value: 1\.00 ether\}/,
  )
  assert.match(
    paid!,
    /├─ \[\d+\] Token::transfer\(to: 0x2{40}, amount: 20\)\n│ {2}├─ emit Token::Transfer\(from: 0x\w+, to: 0x2{40}, amount: 20\)\n│ {2}└─ ← true/,
  )
  assert.match(paid!, /├─ emit Vault::Paid\(memo: 0x\w{64}, count: 2\)\n└─ ← paid: 30\n$/)
  assert.match(
    failed!,
    /^Transaction failed(?:.*\n)*└─ ✗ Insufficient\(holder: 0x\w+, available: 69, needed: 500\)\n$/,
  )
  assert.match(tried!, /└─ ← "\\\\u001b\[2Jnot paid"\n$/)
  assert.match(noisy!, /└─ ✗ Panic\(0x12\): division or modulo by zero\n$/)
  assert.match(traceOn(node.http, hashes[1]!), /0x\w{40}::0x\w{8}\(0x\w+… \(\d+ bytes\)\)/)
  for (const hash of [hashes[0], hashes[1]]) {
    const traced = readTracerResult(await ask('debug_traceTransaction', hash, { tracer: 'callTracer' }))!
    const flat = readFlatTraces(await ask('trace_transaction', hash))!
    // The outermost call of a tracer has the gas of the transaction.
    assert.deepEqual(flat, { ...traced, gasUsed: flat.gasUsed })
  }
  const logged = node
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { name: string; msg: string; fields?: { reason?: string } })
  const linesOf = (name: string) => logged.filter((line) => line.name === `consensus.${name}`)
  assert.deepEqual(
    linesOf('console').map(({ msg }) => msg),
    ['value is 1, twice', 'who 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 true'],
  )
  // The trees of both failed transactions, as the command prints them after its first line.
  assert.deepEqual(
    linesOf('calls').map(({ msg }) => msg),
    [failed!, noisy!].flatMap((text) => text.trimEnd().split('\n').slice(1)),
  )
  const outcomes = logged.filter(({ msg }) => msg === 'Transaction included')
  assert.equal(logged.indexOf(linesOf('console')[0]!), logged.indexOf(outcomes.at(-1)!) + 1)
  assert.match(outcomes[2]!.fields!.reason!, /^Insufficient\(holder: 0x\w+, available: 69, needed: 500\)$/)
  const program = findAnvil()
  if (program === undefined) return context.diagnostic('anvil is not available here')
  const anvil = await startAnvil(program, devGenesisText(DEV_ACCOUNTS), ['--hardfork', 'osaka'])
  context.after(() => anvil.stop())
  await anvil.ask('anvil_impersonateAccount', SENDER)
  const twins = await playStory(async (method, ...params) => {
    const result = await anvil.ask(method, ...params)
    if (method === 'eth_sendTransaction') await anvil.ask('evm_mine')
    return result
  })
  assert.deepEqual(
    twins.map((hash) => traceOn(anvil.port, hash, `--artifacts=${artifacts}`)),
    traces,
  )
})

test('a node without traces, and a missing transaction, are named', async (context) => {
  const node = await startNode(['--network=dev', '--rpc-http-api=ETH'])
  context.after(() => node.stop())
  const client = openRpcClient(node.http)
  const { result } = await client.call('eth_sendTransaction', { from: SENDER, to: PAYEE, value: '0x1' })
  client.close()
  const url = `--rpc-url=http://127.0.0.1:${node.http}`
  for (const [args, sentence] of [
    [[`0x${'00'.repeat(32)}`, url], /has no receipt of this transaction: it is not in a block/],
    [
      [result as string, url],
      /returns no call tree\. debug_traceTransaction: .*Enable the DEBUG or the TRACE API/,
    ],
    [[result as string, url, '--artifacts=/nowhere'], /\/nowhere is not a folder/],
    [['0x12', url], /A hash is 0x and 64 hex digits/],
    [[`0x${'00'.repeat(32)}`, '--rpc-url=http://127.0.0.1:1'], /http:\/\/127\.0\.0\.1:1 does not answer/],
  ] as const) {
    const { code, stderr } = cairn(['trace', ...args])
    assert.notEqual(code, 0)
    assert.match(stderr, sentence)
    assert.doesNotMatch(stderr, /bug in cairn/)
  }
})

test('calls, and estimates that fail, log their console.log until a request switches it off', async (context) => {
  const node = await startNode(['--network=dev'])
  context.after(() => node.stop())
  const client = openRpcClient(node.http)
  context.after(() => client.close())
  const { result: created } = await client.call('eth_sendTransaction', {
    from: SENDER,
    data: encodeDeployData({ abi, bytecode, args: [] }),
    value: '0x1',
  })
  const { result } = await client.call('eth_getTransactionReceipt', created)
  const { contractAddress: to } = result as { contractAddress: string }
  const noisy = async (method: string): Promise<void> => {
    const { error } = await client.call(method, { from: SENDER, to, data: call('noisy', 1n) })
    assert.match(error!.message, /division or modulo by zero|reverted/i)
  }
  const logged = (): readonly string[] =>
    node
      .output()
      .split('\n')
      .filter((line) => line.includes('"name":"rpc.console"'))
      .map((line) => JSON.parse(line) as { msg: string; fields: { method: string } })
      .map(({ msg, fields }) => `${fields.method}: ${msg}`)
  const linesOf = (method: string) => [
    `${method}: value is 1, twice`,
    `${method}: who 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266 true`,
  ]
  await noisy('eth_call')
  await noisy('eth_call')
  await noisy('eth_estimateGas')
  await client.call('anvil_setLoggingEnabled', false)
  await noisy('eth_call')
  assert.equal(await node.stop(), 0, node.output())
  assert.deepEqual(logged(), ['eth_call', 'eth_call', 'eth_estimateGas'].flatMap(linesOf))
})
