import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { encodeAbiParameters, encodeFunctionData, toFunctionSelector } from 'viem'
import { parseData } from '#types/hex.ts'
import { decodeConsoleLog } from './console-log.ts'

const ADDRESS = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const SAMPLES: Readonly<Record<string, readonly [value: unknown, text: string]>> = {
  uint256: [2n ** 255n, String(2n ** 255n)],
  string: ['text', 'text'],
  bool: [true, 'true'],
  address: [ADDRESS, ADDRESS],
}

function logged(types: readonly string[], values: readonly unknown[]): string | undefined {
  const inputs = types.map((type) => ({ name: '', type }))
  const abi = [{ type: 'function', name: 'log', inputs, outputs: [], stateMutability: 'view' }]
  return decodeConsoleLog(parseData(encodeFunctionData({ abi, functionName: 'log', args: values })))
}

test('all 375 functions of console.sol are decoded', () => {
  let lists: string[][] = [[]]
  let count = 0
  for (let length = 0; length <= 4; length++) {
    for (const types of lists) {
      const values = types.map((type) => SAMPLES[type]![0])
      const texts = types.map((type) => SAMPLES[type]![1])
      equal(logged(types, values), texts.join(' '), types.join())
      count++
    }
    lists = lists.flatMap((list) => Object.keys(SAMPLES).map((type) => [...list, type]))
  }
  equal(logged(['int256'], [-5n]), '-5')
  equal(logged(['bytes'], ['0x1234']), '0x1234')
  for (let size = 1; size <= 32; size++) {
    equal(logged([`bytes${size}`], [`0x${'ab'.repeat(size)}`]), `0x${'ab'.repeat(size)}`)
  }
  equal(count + 2 + 32, 375)
})

test('the first text is a format, as in Node', () => {
  for (const [format, value, text] of [
    ['%s of it', 5n, '5 of it'],
    ['%d%% of it', 2n ** 200n, `${2n ** 200n}% of it`],
    ['%i of it', 5n, '5 of it'],
    ['%%d', 5n, '%d 5'],
    ['100%', 5n, '100% 5'],
    ['', 5n, ' 5'],
  ] as const) {
    equal(logged(['string', 'uint256'], [format, value]), text, format)
  }
})

test('the short type names of older versions are known, and other calls are not', () => {
  const argument = encodeAbiParameters([{ type: 'uint256' }], [7n]).slice(2)
  // The selector of log(uint), which the ABI does not have.
  equal(decodeConsoleLog(parseData(`0xf5b1bba9${argument}`)), '7')
  equal(decodeConsoleLog(parseData(`${toFunctionSelector('function log(uint8)')}${argument}`)), undefined)
  equal(decodeConsoleLog(parseData(`${toFunctionSelector('function log(string)')}${argument}`)), undefined)
  equal(decodeConsoleLog(new Uint8Array(0)), undefined)
})
