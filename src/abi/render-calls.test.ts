import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  type Abi,
  encodeAbiParameters,
  encodeErrorResult,
  encodeEventTopics,
  encodeFunctionData,
  parseAbi,
} from 'viem'
import { createTemporaryDirectory } from '#platform/files/temporary-directory.ts'
import { parseAddress } from '#types/address.ts'
import { parseData } from '#types/hex.ts'
import { Artifacts } from './artifacts.ts'
import { CONSOLE_ADDRESS } from './console-log.ts'
import { signatureHash } from './contract-abi.ts'
import { CallExplainer } from './explain-call.ts'
import { plainText, renderCalls, type TracedCall } from './render-calls.ts'

const TOKEN = parseAddress('11'.repeat(20))
const USER = parseAddress('22'.repeat(20))
const USER_TEXT = `0x${'22'.repeat(20)}`
const abi = parseAbi([
  'constructor(string name)',
  'struct Order { address buyer; uint256[] amounts; }',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function note(string text)',
  'function place(Order order)',
  'event Transfer(address indexed from, string indexed memo, uint256 amount)',
  'error Insufficient(uint256 available, uint256 needed)',
])
/** A library address and an immutable are zeros until the contract is deployed. */
const CREATION = '6080aabb'
const DEPLOYED = `60806040${'00'.repeat(32)}ccdd`
const DEPLOYED_CODE = parseData(`0x60806040${'77'.repeat(32)}ccdd`)

function folder(context: TestContext, layout: 'foundry' | 'hardhat', named: Abi = abi): string {
  const { path, remove } = createTemporaryDirectory('cairn-artifacts-')
  context.after(remove)
  const place = layout === 'foundry' ? join(path, 'Token.sol') : join(path, 'contracts', 'Token.sol')
  mkdirSync(place, { recursive: true })
  const linked = `0x${CREATION}__$${'ab'.repeat(17)}$__`
  const [creation, deployed] = [linked, `0x${DEPLOYED}`]
  const codes =
    layout === 'foundry'
      ? { bytecode: { object: creation }, deployedBytecode: { object: deployed } }
      : { contractName: 'Token', bytecode: creation, deployedBytecode: deployed }
  const file = layout === 'foundry' ? 'Token.0.8.30.json' : 'Token.json'
  writeFileSync(join(place, file), JSON.stringify({ abi: named, ...codes }))
  writeFileSync(join(place, 'Broken.json'), '{"abi": [')
  writeFileSync(join(place, 'Token.dbg.json'), '{}')
  return path
}

function call(parts: Partial<TracedCall>): TracedCall {
  const nothing = new Uint8Array(0)
  return {
    kind: 'call',
    from: USER,
    to: TOKEN,
    value: 0n,
    gasUsed: 100n,
    input: nothing,
    output: nothing,
    error: undefined,
    calls: [],
    events: [],
    ...parts,
  }
}

function shown(tree: TracedCall, artifacts: Artifacts, maxLines = 100): readonly string[] {
  const explainer = new CallExplainer(artifacts, (address) => (address === TOKEN ? DEPLOYED_CODE : undefined))
  return renderCalls(tree, explainer, { maxLines }).map(plainText)
}

const data = (hex: string): Uint8Array => parseData(hex)
const transfer = data(
  encodeFunctionData({ abi, functionName: 'transfer', args: [USER_TEXT as `0x${string}`, 5n] }),
)
const [topic, from, memo] = encodeEventTopics({
  abi,
  eventName: 'Transfer',
  args: { from: USER_TEXT as `0x${string}`, memo: 'x' },
}) as `0x${string}`[]
const events = [
  {
    address: TOKEN,
    topics: [data(topic!), data(from!), data(memo!)],
    data: data(encodeAbiParameters([{ type: 'uint256' }], [5n])),
    position: 1,
  },
]

for (const layout of ['foundry', 'hardhat'] as const) {
  test(`calls, events, results and errors get names from artifacts: ${layout}`, (context) => {
    const artifacts = new Artifacts(folder(context, layout))
    const inner = call({
      kind: 'delegatecall',
      input: transfer,
      error: 'execution reverted',
      output: data(encodeErrorResult({ abi, errorName: 'Insufficient', args: [1n, 5n] })),
    })
    const place = encodeFunctionData({
      abi,
      functionName: 'place',
      args: [{ buyer: USER_TEXT as `0x${string}`, amounts: [1n, 2n] }],
    })
    const tree = call({
      value: 10n ** 18n,
      input: transfer,
      output: data(encodeAbiParameters([{ type: 'bool' }], [true])),
      events,
      calls: [inner, call({ kind: 'staticcall', input: data(place), gasUsed: undefined })],
    })
    deepEqual(shown(tree, artifacts), [
      `[100] Token::transfer(to: ${USER_TEXT}, amount: 5) {value: 1.00 ether}`,
      `├─ [100] Token::transfer(to: ${USER_TEXT}, amount: 5) [delegatecall]`,
      '│  └─ ✗ Insufficient(available: 1, needed: 5)',
      `├─ emit Token::Transfer(from: ${USER_TEXT}, memo: ${memo}, amount: 5)`,
      `├─ Token::place(order: (buyer: ${USER_TEXT}, amounts: [1, 2])) [staticcall]`,
      '└─ ← true',
    ])
    deepEqual(shown(tree, artifacts, 2), [...shown(tree, artifacts).slice(0, 2), '… more calls'])
    const argument = encodeAbiParameters([{ type: 'string' }], ['Gold']).slice(2)
    const created = call({
      kind: 'create',
      input: data(`0x${CREATION}${'99'.repeat(20)}${argument}`),
      output: DEPLOYED_CODE,
    })
    deepEqual(shown(created, artifacts), [
      `[100] new Token(name: "Gold") at ${TOKEN}`,
      '└─ ← 38 bytes of code',
    ])
  })
}

test('without artifacts, selectors and data are shown, and Solidity errors are decoded', () => {
  const artifacts = new Artifacts()
  deepEqual(shown(call({ input: transfer, events }), artifacts), [
    `[100] ${TOKEN}::0xa9059cbb(0x${'0'.repeat(24)}${'22'.repeat(20)}${'5'.padStart(64, '0')})`,
    `└─ emit ${TOKEN}(topic0: ${topic}, topic1: ${from}, topic2: ${memo}, data: 0x${'5'.padStart(64, '0')})`,
  ])
  const text = encodeFunctionData({ abi: parseAbi(['function log(string)']), args: ['so far'] })
  const logs = call({ kind: 'staticcall', to: CONSOLE_ADDRESS, input: data(text) })
  deepEqual(shown(logs, artifacts), ['[100] console::log("so far") [staticcall]'])
  const failed = (output: string, error = 'execution reverted') =>
    shown(call({ error, output: data(output) }), artifacts).at(-1)
  const builtIn = parseAbi(['error Error(string)', 'error Panic(uint256)'])
  equal(
    failed(encodeErrorResult({ abi: builtIn, errorName: 'Error', args: ['no "money"'] })),
    '└─ ✗ Error("no \\"money\\"")',
  )
  equal(
    failed(encodeErrorResult({ abi: builtIn, errorName: 'Panic', args: [0x11n] })),
    '└─ ✗ Panic(0x11): arithmetic overflow or underflow',
  )
  equal(failed('0x12345678aa'), '└─ ✗ 0x12345678aa')
  equal(failed('0x'), '└─ ✗ reverted without a reason')
  equal(failed('0x', 'out of gas'), '└─ ✗ out of gas')
})

test('strings of contracts and names in artifacts cannot control the terminal or add lines', (context) => {
  const hostile = '\u001b[2J\u001b]0;x\u0007\n\u202egnp\r[100] Token::fake()'
  const note = { type: 'function', name: `note${hostile}`, inputs: [{ name: hostile, type: 'string' }] }
  const artifacts = new Artifacts(folder(context, 'hardhat', [note] as unknown as Abi))
  const selector = signatureHash(`${note.name}(string)`).slice(0, 10)
  const input = data(`${selector}${encodeAbiParameters([{ type: 'string' }], [`a"${hostile}`]).slice(2)}`)
  const error = encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: [hostile] })
  const lines = shown(call({ input, error: `revert${hostile}`, output: data(error) }), artifacts)
  equal(lines.length, 2)
  for (const line of lines) doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  match(lines[0]!, /note\\u001b\[2J/)
})

test('a file that the compiler rewrites is read again', (context) => {
  const path = folder(context, 'hardhat')
  const artifacts = new Artifacts(path)
  equal(artifacts.ofDeployedCode(DEPLOYED_CODE)?.name, 'Token')
  const file = join(path, 'contracts', 'Token.sol', 'Token.json')
  writeFileSync(
    file,
    JSON.stringify({ abi, contractName: 'Coin', bytecode: '0x', deployedBytecode: `0x${DEPLOYED}` }),
  )
  equal(artifacts.ofDeployedCode(DEPLOYED_CODE)?.name, 'Token')
  artifacts.refresh()
  equal(artifacts.ofDeployedCode(DEPLOYED_CODE)?.name, 'Coin')
})
