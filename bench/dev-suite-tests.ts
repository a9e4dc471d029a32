/** The tests of bench/dev-suite.ts: a token and a vault (ERC-20, ERC-4626), 20 scenarios with ten amounts each. */
import assert from 'node:assert/strict'
import {
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  parseEventLogs,
  type RpcLog,
} from 'viem'
import type { SolidityContract } from '../test/support/compile-solidity.ts'
import type { Request } from './dev-targets.ts'

export interface SuiteContracts {
  readonly Token: SolidityContract
  readonly Vault: SolidityContract
}

export interface SuiteTest {
  readonly name: string
  run(): Promise<void>
}

const SUPPLY = 10n ** 24n
const MAX_ASKED = 1_000
const AMOUNTS = [1n, 2n, 7n, 10n, 99n, 1_000n, 12_345n, 10n ** 9n, 10n ** 18n, 10n ** 21n]

interface Receipt {
  readonly status: Hex
  readonly contractAddress: Hex | null
  readonly logs: RpcLog[]
}

/** Calls a program as ethers and hardhat-ethers do: an estimate, the transaction, its receipt. */
class Client {
  readonly #request: Request

  constructor(request: Request) {
    this.#request = request
  }

  ask<Result>(method: string, ...params: unknown[]): Promise<Result> {
    return this.#request({ method, params }) as Promise<Result>
  }

  async send(transaction: { readonly from: Hex; readonly to?: Hex; readonly data: Hex }): Promise<Receipt> {
    const gas = await this.ask<Hex>('eth_estimateGas', transaction)
    const hash = await this.ask<Hex>('eth_sendTransaction', { ...transaction, gas })
    const receipt = await this.#receipt(hash)
    assert.equal(receipt.status, '0x1')
    return receipt
  }

  /** Anvil may answer before the block. */
  async #receipt(hash: Hex): Promise<Receipt> {
    for (let asked = 0; asked < MAX_ASKED; asked++) {
      const receipt = await this.ask<Receipt | null>('eth_getTransactionReceipt', hash)
      if (receipt !== null) return receipt
    }
    throw new Error(`no receipt of ${hash}`)
  }

  async deploy({ abi, bytecode }: SolidityContract, from: Hex, args: readonly unknown[]): Promise<Contract> {
    const { contractAddress } = await this.send({ from, data: encodeDeployData({ abi, bytecode, args }) })
    return new Contract(this, abi, contractAddress!)
  }
}

class Contract {
  readonly address: Hex
  readonly #client: Client
  readonly #abi: SolidityContract['abi']

  constructor(client: Client, abi: SolidityContract['abi'], address: Hex) {
    this.#client = client
    this.#abi = abi
    this.address = address
  }

  async read(functionName: string, ...args: unknown[]): Promise<unknown> {
    const call = { to: this.address, data: this.#encode(functionName, args) }
    const data = await this.#client.ask<Hex>('eth_call', call, 'latest')
    return decodeFunctionResult({ abi: this.#abi, functionName, data })
  }

  /** Returns the names of the events. */
  async write(from: Hex, functionName: string, ...args: unknown[]): Promise<readonly string[]> {
    const data = this.#encode(functionName, args)
    const { logs } = await this.#client.send({ from, to: this.address, data })
    const events = parseEventLogs({ abi: this.#abi, logs }) as readonly { readonly eventName: string }[]
    return events.map(({ eventName }) => eventName)
  }

  async refuses(from: Hex, functionName: string, ...args: unknown[]): Promise<void> {
    const call = { from, to: this.address, data: this.#encode(functionName, args) }
    await assert.rejects(this.#client.ask('eth_estimateGas', call), `${functionName} is refused`)
  }

  #encode(functionName: string, args: readonly unknown[]): Hex {
    return encodeFunctionData({ abi: this.#abi, functionName, args })
  }
}

interface Fixture {
  readonly client: Client
  readonly owner: Hex
  readonly alice: Hex
  readonly bob: Hex
  readonly token: Contract
  readonly vault: Contract
}

type Scenario = (fixture: Fixture, amount: bigint) => Promise<void>

/** Restores the chain after the fixture, as loadFixture of hardhat-network-helpers does. */
class Fixtures {
  readonly #client: Client
  readonly #contracts: SuiteContracts
  #made: { readonly fixture: Fixture; snapshot: string } | undefined

  constructor(request: Request, contracts: SuiteContracts) {
    this.#client = new Client(request)
    this.#contracts = contracts
  }

  async load(): Promise<Fixture> {
    if (this.#made === undefined) {
      const fixture = await this.#make()
      this.#made = { fixture, snapshot: await this.#client.ask('evm_snapshot') }
    } else {
      assert.equal(await this.#client.ask('evm_revert', this.#made.snapshot), true)
      this.#made.snapshot = await this.#client.ask('evm_snapshot')
    }
    return this.#made.fixture
  }

  async #make(): Promise<Fixture> {
    const client = this.#client
    const [owner, alice, bob] = await client.ask<readonly [Hex, Hex, Hex]>('eth_accounts')
    const token = await client.deploy(this.#contracts.Token, owner, [SUPPLY])
    const vault = await client.deploy(this.#contracts.Vault, owner, [token.address])
    await token.write(owner, 'transfer', alice, SUPPLY / 4n)
    await token.write(alice, 'approve', vault.address, SUPPLY)
    return { client, owner, alice, bob, token, vault }
  }
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  async 'a transfer moves tokens'({ owner, bob, token }, amount) {
    assert.deepEqual(await token.write(owner, 'transfer', bob, amount), ['Transfer'])
    assert.equal(await token.read('balanceOf', bob), amount)
    assert.equal(await token.read('balanceOf', owner), SUPPLY - SUPPLY / 4n - amount)
  },
  async 'a transfer keeps the supply'({ alice, bob, token }, amount) {
    await token.write(alice, 'transfer', bob, amount)
    assert.equal(await token.read('totalSupply'), SUPPLY)
  },
  async 'a transfer without tokens is refused'({ bob, alice, token }, amount) {
    await token.refuses(bob, 'transfer', alice, amount)
    assert.equal(await token.read('balanceOf', bob), 0n)
  },
  async 'a transfer to nobody is refused'({ owner, token }, amount) {
    await token.refuses(owner, 'transfer', `0x${'0'.repeat(40)}`, amount)
  },
  async 'an approval is recorded'({ owner, bob, token }, amount) {
    assert.deepEqual(await token.write(owner, 'approve', bob, amount), ['Approval'])
    assert.equal(await token.read('allowance', owner, bob), amount)
  },
  async 'an approval replaces the one before'({ owner, bob, token }, amount) {
    await token.write(owner, 'approve', bob, 5n)
    await token.write(owner, 'approve', bob, amount)
    assert.equal(await token.read('allowance', owner, bob), amount)
  },
  async 'an approved account moves tokens'({ owner, alice, bob, token }, amount) {
    await token.write(owner, 'approve', bob, amount)
    await token.write(bob, 'transferFrom', owner, alice, amount)
    assert.equal(await token.read('balanceOf', alice), SUPPLY / 4n + amount)
    assert.equal(await token.read('allowance', owner, bob), 0n)
  },
  async 'an account without approval moves no tokens'({ owner, bob, token }, amount) {
    await token.refuses(bob, 'transferFrom', owner, bob, amount)
  },
  async 'an account moves no more than its approval'({ owner, bob, token }, amount) {
    await token.write(owner, 'approve', bob, amount)
    await token.refuses(bob, 'transferFrom', owner, bob, amount + 1n)
  },
  async 'three transfers in a row add up'({ owner, bob, token }, amount) {
    for (let made = 0; made < 3; made++) await token.write(owner, 'transfer', bob, amount)
    assert.equal(await token.read('balanceOf', bob), 3n * amount)
  },
  async 'a deposit mints shares'({ alice, token, vault }, amount) {
    assert.ok((await vault.write(alice, 'deposit', amount, alice)).includes('Deposit'))
    assert.equal(await vault.read('balanceOf', alice), amount)
    assert.equal(await token.read('balanceOf', vault.address), amount)
  },
  async 'a deposit for another account gives it the shares'({ alice, bob, vault }, amount) {
    await vault.write(alice, 'deposit', amount, bob)
    assert.equal(await vault.read('balanceOf', bob), amount)
    assert.equal(await vault.read('balanceOf', alice), 0n)
  },
  async 'a deposit without approval is refused'({ owner, vault }, amount) {
    await vault.refuses(owner, 'deposit', amount, owner)
  },
  async 'a mint takes assets'({ alice, token, vault }, amount) {
    await vault.write(alice, 'mint', amount, alice)
    assert.equal(await vault.read('totalAssets'), amount)
    assert.equal(await token.read('balanceOf', alice), SUPPLY / 4n - amount)
  },
  async 'a withdrawal returns assets'({ alice, token, vault }, amount) {
    await vault.write(alice, 'deposit', amount, alice)
    assert.ok((await vault.write(alice, 'withdraw', amount, alice, alice)).includes('Withdraw'))
    assert.equal(await token.read('balanceOf', alice), SUPPLY / 4n)
    assert.equal(await vault.read('totalSupply'), 0n)
  },
  async 'a withdrawal of too much is refused'({ alice, vault }, amount) {
    await vault.write(alice, 'deposit', amount, alice)
    await vault.refuses(alice, 'withdraw', amount + 1n, alice, alice)
  },
  async 'a redemption burns shares'({ alice, bob, token, vault }, amount) {
    await vault.write(alice, 'deposit', amount, alice)
    await vault.write(alice, 'redeem', amount, bob, alice)
    assert.equal(await token.read('balanceOf', bob), amount)
    assert.equal(await vault.read('maxRedeem', alice), 0n)
  },
  async 'a redemption by a stranger is refused'({ alice, bob, vault }, amount) {
    await vault.write(alice, 'deposit', amount, alice)
    await vault.refuses(bob, 'redeem', amount, bob, alice)
  },
  async 'a gift raises the value of shares'({ owner, alice, token, vault }, amount) {
    await vault.write(alice, 'deposit', amount, alice)
    await token.write(owner, 'transfer', vault.address, 2n * amount)
    const value = (await vault.read('convertToAssets', amount)) as bigint
    assert.ok(value > amount && value <= 3n * amount, `${amount} shares are worth ${value}`)
  },
  async 'a preview is what a deposit gives'({ client, alice, vault }, amount) {
    const expected = await vault.read('previewDeposit', amount)
    await vault.write(alice, 'deposit', amount, alice)
    assert.equal(await vault.read('balanceOf', alice), expected)
    const logs = await client.ask<unknown[]>('eth_getLogs', { address: vault.address, fromBlock: 'latest' })
    assert.equal(logs.length, 2)
  },
}

/** `count` tests of all scenarios, evenly. */
export function suiteTests(request: Request, contracts: SuiteContracts, count: number): readonly SuiteTest[] {
  const fixtures = new Fixtures(request, contracts)
  const all = Object.entries(SCENARIOS).flatMap(([name, scenario]) =>
    AMOUNTS.map((amount) => ({
      name: `${name}: ${amount}`,
      run: async () => scenario(await fixtures.load(), amount),
    })),
  )
  return all.filter(
    (_, index) => Math.floor(((index + 1) * count) / all.length) > Math.floor((index * count) / all.length),
  )
}
