import { encodeAbiParameters, encodeErrorResult, encodeFunctionData, parseAbi } from 'viem'
import { parseArtifact } from '#abi/artifacts.ts'
import { ContractAbi } from '#abi/contract-abi.ts'
import { decodeAbi } from '#abi/decode-abi.ts'
import { formatAbiFields } from '#abi/format-abi.ts'
import { Fault } from '#types/fault.ts'
import { parseData } from '#types/hex.ts'
import type { FuzzTarget } from './target.ts'

const ABI = parseAbi([
  'struct Order { address buyer; uint256[] amounts; string[2][] memos; }',
  'function place(Order[] orders, bytes data) returns (bool)',
  'function deep(uint8[][][][][][] values)',
  'error Insufficient(uint256 available, int8[3] needed)',
])
const contract = ContractAbi.parse(ABI)
const buyer = `0x${'11'.repeat(20)}` as const
const orders = [{ buyer, amounts: [1n, 2n], memos: [['a', 'b'] as const] }]
const place = encodeFunctionData({ abi: ABI, functionName: 'place', args: [orders, '0x1234'] })
const text = new TextEncoder()

/** Call data by every function and error of a contract, and artifacts: both come from strangers. */
const target: FuzzTarget = {
  name: 'abi',
  seeds: () => [
    parseData(place),
    parseData(encodeFunctionData({ abi: ABI, functionName: 'deep', args: [[[[[[[1, 2]]]]]]] })),
    parseData(encodeErrorResult({ abi: ABI, errorName: 'Insufficient', args: [1n, [1, 2, 3]] })),
    parseData(encodeAbiParameters([{ type: 'string[]' }], [['a', 'bc']])),
    text.encode(
      JSON.stringify({ abi: ABI, bytecode: { object: '0x6080__$ab$__' }, deployedBytecode: '0x60' }),
    ),
  ],
  run(input) {
    for (const { inputs } of [...contract.functions.values(), ...contract.errors.values()]) {
      const values = decodeAbi(inputs, input.subarray(4))
      if (values !== undefined && /\p{Cc}/u.test(formatAbiFields(values))) {
        throw new Error('A decoded value has a control character.')
      }
    }
    try {
      parseArtifact('x/Name.json', Buffer.from(input).toString('utf8'))
    } catch (error) {
      if (!(error instanceof SyntaxError) && !(error instanceof Fault)) throw error
    }
  },
}

export default target
