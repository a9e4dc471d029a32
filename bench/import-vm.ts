/**
 * The same transactions in @ethereumjs/vm with its default setup: a Merkle state manager in memory, its caches, its
 * own cryptography. Its state contains only accounts that the transactions touch, because filling it takes minutes
 * per million accounts; that favours it. The package is not a dependency: CAIRN_BENCH_VM names a folder in which it
 * is installed.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Address, addressToBytes } from '#types/address.ts'
import type { Block } from '#types/block/block.ts'
import { bigintToBytes } from '#types/bytes.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { TOKEN, type Workload } from './import-workload.ts'

export interface VmFigures {
  readonly cpuMs: number
  readonly transactions: number
  readonly gas: number
  readonly accounts: number
}

/** The part of the packages that is used here. */
interface Packages {
  readonly common: {
    createCustomCommon(parameters: object, base: object, options: object): object
    Mainnet: object
  }
  readonly statemanager: {
    MerkleStateManager: new (options: object) => StateManager
    Caches: new () => object
  }
  readonly vm: {
    createVM(options: object): Promise<object>
    runTx(vm: object, options: object): Promise<{ totalGasSpent: bigint }>
  }
  readonly tx: { createTxFromRLP(bytes: Uint8Array, options: object): object }
  readonly block: { createBlock(data: object, options: object): object }
  readonly util: { createAddressFromString(text: string): object; createAccount(data: object): object }
}

interface StateManager {
  putAccount(address: object, account: object): Promise<void>
  putCode(address: object, code: Uint8Array): Promise<void>
  putStorage(address: object, slot: Uint8Array, value: Uint8Array): Promise<void>
  getStateRoot(): Promise<Uint8Array>
}

let prepared: Promise<Runner | string> | undefined

export async function runVm(
  workload: Workload,
  blocks: readonly { readonly block: Block }[],
): Promise<VmFigures | string> {
  prepared ??= prepare(workload)
  const runner = await prepared
  return typeof runner === 'string' ? runner : runner.run(blocks)
}

async function prepare(workload: Workload): Promise<Runner | string> {
  try {
    const names = ['common', 'statemanager', 'vm', 'tx', 'block', 'util'] as const
    const loaded = await Promise.all(names.map((name) => load(`@ethereumjs/${name}`)))
    const packages = Object.fromEntries(names.map((name, at) => [name, loaded[at]])) as unknown as Packages
    const { common: commons, statemanager, vm: vms } = packages
    const hardfork = { hardfork: 'shanghai' }
    const common = commons.createCustomCommon({ chainId: 1337 }, commons.Mainnet, hardfork)
    const state = new statemanager.MerkleStateManager({ caches: new statemanager.Caches(), common })
    const vm = await vms.createVM({ common, stateManager: state })
    return new Runner(packages, { common, state, vm }, workload)
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    return `${reason}; install @ethereumjs/vm 10 and set CAIRN_BENCH_VM to its folder`
  }
}

function load(name: string): Promise<unknown> {
  const folder = process.env.CAIRN_BENCH_VM
  const path = createRequire(folder === undefined ? import.meta.url : join(folder, 'x.js')).resolve(name)
  return import(pathToFileURL(path.replace('/cjs/', '/esm/')).href)
}

class Runner {
  readonly #packages: Packages
  readonly #parts: { common: object; state: StateManager; vm: object }
  readonly #workload: Workload
  readonly #present = new Set<string>()

  constructor(
    packages: Packages,
    parts: { common: object; state: StateManager; vm: object },
    workload: Workload,
  ) {
    this.#packages = packages
    this.#parts = parts
    this.#workload = workload
  }

  async run(blocks: readonly { readonly block: Block }[]): Promise<VmFigures> {
    const { common, state, vm } = this.#parts
    const size = blocks[0]!.block.transactions.length
    for (const { block } of blocks)
      for (const transaction of block.transactions) await this.#fill(transaction)
    await state.getStateRoot()
    let gas = 0n
    const cpu = process.cpuUsage()
    for (const { block } of blocks) {
      const { number, gasLimit, timestamp, coinbase } = block.header
      const header = { number, gasLimit, timestamp, coinbase, baseFeePerGas: 0n, difficulty: 0n }
      const within = this.#packages.block.createBlock(
        { header },
        { common, skipConsensusFormatValidation: true },
      )
      for (const { encoded } of block.transactions) {
        const tx = this.#packages.tx.createTxFromRLP(encoded, { common })
        const options = { tx, block: within, skipNonce: true, skipBlockGasLimitValidation: true }
        gas += (await this.#packages.vm.runTx(vm, options)).totalGasSpent
      }
      await state.getStateRoot()
    }
    const { user, system } = process.cpuUsage(cpu)
    const accounts = this.#present.size
    return { cpuMs: (user + system) / 1000, transactions: blocks.length * size, gas: Number(gas), accounts }
  }

  /** Adds a transaction's accounts with the balance of the genesis file. */
  async #fill({ to, data }: Transaction): Promise<void> {
    if (this.#present.size === 0) await this.#fillSenders()
    if (to === null) return
    await this.#put(to)
    if (to === TOKEN)
      await this.#putTokens(`0x${Buffer.from(data.subarray(16, 36)).toString('hex')}` as Address)
  }

  async #fillSenders(): Promise<void> {
    await this.#put(TOKEN)
    await this.#parts.state.putCode(this.#address(TOKEN), this.#workload.genesis.alloc.get(TOKEN)!.code)
    for (const address of this.#workload.genesis.alloc.keys()) {
      if (address === TOKEN) continue
      await this.#put(address)
      await this.#putTokens(address)
    }
  }

  async #put(address: Address): Promise<void> {
    if (this.#present.has(address)) return
    this.#present.add(address)
    const { balance, nonce } = this.#workload.plainAccount
    const account = this.#packages.util.createAccount({ balance, nonce })
    await this.#parts.state.putAccount(this.#address(address), account)
  }

  async #putTokens(holder: Address): Promise<void> {
    const key = `token ${holder}`
    if (this.#present.has(key)) return
    this.#present.add(key)
    const slot = this.#workload.balanceSlot(holder)
    const value = this.#workload.tokenStorage.get(slot) ?? 0n
    if (value === 0n) return
    await this.#parts.state.putStorage(this.#address(TOKEN), bigintToBytes(slot, 32), bigintToBytes(value))
  }

  #address(address: Address): object {
    return this.#packages.util.createAddressFromString(
      `0x${Buffer.from(addressToBytes(address)).toString('hex')}`,
    )
  }
}
