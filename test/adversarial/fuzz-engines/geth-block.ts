/** A random block as input for geth's `evm t8n`, and its output as lines. */
import { execFileSync } from 'node:child_process'
import type { EngineTransaction } from '#evm/engine.ts'
import type { ForkName } from '#types/genesis/fork-schedule.ts'
import { formatData } from '#types/hex.ts'
import { maxFeePerGas } from '#types/transaction/transaction-fees.ts'
import type { Scenario } from './scenario.ts'
import { blockHash, type World } from './world.ts'

/** Forks with their names in t8n. */
export const GETH_FORKS: Readonly<Partial<Record<ForkName, string>>> = {
  frontier: 'Frontier',
  homestead: 'Homestead',
  tangerineWhistle: 'EIP150',
  spuriousDragon: 'EIP158',
  byzantium: 'Byzantium',
  petersburg: 'ConstantinopleFix',
  istanbul: 'Istanbul',
  berlin: 'Berlin',
  london: 'London',
  paris: 'Merge',
  shanghai: 'Shanghai',
  cancun: 'Cancun',
  prague: 'Prague',
  osaka: 'Osaka',
}

/** System contracts that must exist from Prague on; their code here only stops. */
const REQUEST_CONTRACTS = [
  '0x00000961ef480eb55e80d19ad83579a64c007002',
  '0x0000bbddc7ce488642fb579f8b00f3a590007251',
]
const BLOCK_HASHES = 256n

interface Answer {
  readonly result: {
    readonly rejected?: readonly { readonly index: number }[]
    readonly receipts?: readonly {
      readonly transactionIndex: string
      readonly gasUsed: string
      readonly logs:
        | readonly { readonly address: string; readonly topics: string[]; readonly data: string }[]
        | null
    }[]
  }
  readonly alloc: Readonly<Record<string, GethAccount>>
}

export interface GethAccount {
  readonly nonce?: string
  readonly balance: string
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

export function askGeth(
  program: string,
  world: World,
  scenario: Scenario,
  transactions: readonly EngineTransaction[],
  beaconRoot: Uint8Array,
): string[] {
  const { fork, chainId } = scenario.rules
  const keys = new Map(world.senders.map(({ address, key }) => [address, formatData(key)]))
  const input = {
    alloc: allocOf(world, scenario),
    env: environmentOf(scenario, beaconRoot),
    txs: transactions.map(({ transaction, sender }) => transactionOf(transaction, keys.get(sender)!)),
  }
  const inputs = ['--input.alloc=stdin', '--input.env=stdin', '--input.txs=stdin']
  const outputs = ['--output.alloc=stdout', '--output.result=stdout']
  const state = [`--state.fork=${GETH_FORKS[fork]}`, `--state.chainid=${chainId}`, '--state.reward=-1']
  const output = execFileSync(program, ['t8n', ...inputs, ...outputs, ...state], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  return linesOf(JSON.parse(output) as Answer, transactions.length)
}

function linesOf({ result, alloc }: Answer, count: number): string[] {
  const lines: string[] = Array.from({ length: count }, (_, index) => `${index} refused`)
  for (const { transactionIndex, gasUsed, logs } of result.receipts ?? []) {
    const logLines = (logs ?? []).map(({ address, topics, data }) => `${address} ${topics.join(' ')} ${data}`)
    // Refused transactions have no receipt and no index.
    const index = placeOf(Number(transactionIndex), result.rejected ?? [])
    lines[index] = `${index} gas ${Number(gasUsed)} logs ${logLines.join(', ')}`
  }
  return [...lines, ...accountLines(alloc)]
}

function placeOf(index: number, rejected: readonly { readonly index: number }[]): number {
  let place = index
  for (const { index: refused } of [...rejected].sort((a, b) => a.index - b.index))
    if (refused <= place) place++
  return place
}

export function accountLines(alloc: Readonly<Record<string, GethAccount>>): string[] {
  const lines = Object.entries(alloc)
    .filter(([address]) => !REQUEST_CONTRACTS.includes(address))
    .map(([address, { nonce = '0x0', balance, code = '0x', storage = {} }]) => {
      const slots = Object.entries(storage).map(([slot, value]) => `${BigInt(slot)}=${BigInt(value)}`)
      return `${address} nonce ${BigInt(nonce)} balance ${BigInt(balance)} code ${code} ${slots.sort().join(' ')}`
    })
  return lines.sort()
}

function allocOf({ accounts }: World, { rules }: Scenario): Record<string, GethAccount> {
  const alloc: Record<string, GethAccount> = {}
  for (const [address, { nonce, balance, code, storage }] of accounts) {
    const slots = [...storage].map(([slot, value]) => [wordOf(BigInt(slot)), formatData(value)])
    const fields = { nonce: hexOf(nonce), balance: hexOf(balance), code: formatData(code) }
    alloc[address] = { ...fields, storage: Object.fromEntries(slots) }
  }
  if (rules.has('prague'))
    for (const address of REQUEST_CONTRACTS) alloc[address] = { balance: '0x0', code: '0x00' }
  return alloc
}

function environmentOf({ block, rules }: Scenario, beaconRoot: Uint8Array): object {
  const numbers = Array.from(
    { length: Number(BLOCK_HASHES) },
    (_, index) => block.number - 1n - BigInt(index),
  )
  return {
    currentCoinbase: block.coinbase,
    currentGasLimit: hexOf(block.gasLimit),
    currentNumber: hexOf(block.number),
    currentTimestamp: hexOf(block.timestamp),
    currentDifficulty: rules.has('paris') ? '0x0' : hexOf(block.difficulty),
    ...(rules.has('paris') && { currentRandom: formatData(block.prevRandao) }),
    ...(rules.has('london') && { currentBaseFee: hexOf(block.baseFeePerGas) }),
    ...(rules.has('shanghai') && { withdrawals: [] }),
    ...(rules.has('cancun') && {
      currentExcessBlobGas: '0x0',
      parentBeaconBlockRoot: formatData(beaconRoot),
    }),
    blockHashes: Object.fromEntries(
      numbers.map((number) => [String(number), formatData(blockHash(number) ?? new Uint8Array(32))]),
    ),
  }
}

function transactionOf(transaction: EngineTransaction['transaction'], secretKey: string): object {
  const { type, nonce, gasLimit, to, value, data } = transaction
  const isLegacyPriced = transaction.type === 0 || transaction.type === 1
  return {
    type: hexOf(BigInt(type)),
    nonce: hexOf(nonce),
    gas: hexOf(gasLimit),
    to,
    value: hexOf(value),
    input: formatData(data),
    ...(isLegacyPriced ? { gasPrice: hexOf(maxFeePerGas(transaction)) } : {}),
    ...(transaction.type === 0 ? { protected: false } : { chainId: hexOf(transaction.chainId) }),
    ...(transaction.type > 0 && 'accessList' in transaction && { accessList: transaction.accessList }),
    ...('maxFeePerGas' in transaction && {
      maxFeePerGas: hexOf(transaction.maxFeePerGas),
      maxPriorityFeePerGas: hexOf(transaction.maxPriorityFeePerGas),
    }),
    ...(transaction.type === 3 && {
      maxFeePerBlobGas: hexOf(transaction.maxFeePerBlobGas),
      blobVersionedHashes: transaction.blobVersionedHashes,
    }),
    ...(transaction.type === 4 && {
      authorizationList: transaction.authorizationList.map(
        ({ chainId, address, nonce: at, yParity, r, s }) => {
          return {
            chainId: hexOf(chainId),
            address,
            nonce: hexOf(at),
            yParity: hexOf(BigInt(yParity)),
            r: hexOf(r),
            s: hexOf(s),
          }
        },
      ),
    }),
    v: '0x0',
    r: '0x0',
    s: '0x0',
    secretKey,
  }
}

function hexOf(value: bigint): string {
  return `0x${value.toString(16)}`
}

function wordOf(value: bigint): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
