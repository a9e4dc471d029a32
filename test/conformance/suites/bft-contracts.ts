/** The pack's validator contracts, compiled by others: their answers must match their storage. */
import assert from 'node:assert/strict'
import { openMemoryChain, parseGenesisText } from '../chains/memory-chain.ts'
import { type Outcome, outcomeOf, type Pack } from '../suite.ts'

interface ContractGenesis {
  readonly alloc: Readonly<
    Record<string, { readonly code?: string; readonly storage?: Record<string, string> }>
  >
}

/** The files have no config: their names contain the forks. */
const FORKS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'genesis_migrating_validator_contract.json': { berlinBlock: 0 },
  'genesis_validator_contract.json': { berlinBlock: 0 },
  'genesis_validator_contract_london.json': { londonBlock: 0 },
  'genesis_validator_contract_shanghai.json': { londonBlock: 0, shanghaiTime: 0 },
}

export async function* validatorContracts(pack: Pack): AsyncGenerator<Outcome, void, undefined> {
  for (const [file, forks] of Object.entries(FORKS)) {
    const genesis = pack.json(`bft/genesis/${file}`) as ContractGenesis
    for (const [address, { code, storage = {} }] of Object.entries(genesis.alloc)) {
      if (code === undefined) continue
      const unit = `genesis/${file}#validators-of-${address.slice(-4)}`
      yield outcomeOf(unit, () => checkContract(genesis, forks, address, storage))
    }
  }
}

/** Once from the genesis file and once from a transition: block 1 has the same validators. */
async function checkContract(
  genesis: ContractGenesis,
  forks: Readonly<Record<string, number>>,
  address: string,
  storage: Readonly<Record<string, string>>,
): Promise<void> {
  // Slot 0 is the length of the list; its entries are in other slots.
  const entries = Object.entries(storage).filter(([slot]) => BigInt(`0x${slot}`) !== 0n)
  const validators = entries.map(([, word]) => `0x${word.slice(-40)}`).sort()
  const fromStart = { qbft: { validatorcontractaddress: address } }
  const taken = { block: 1, validatorselectionmode: 'contract', validatorcontractaddress: address }
  for (const rules of [fromStart, { qbft: {}, transitions: { qbft: [taken] } }]) {
    const config = { chainId: 1337, ...forks, ...rules }
    const { chain } = await openMemoryChain(parseGenesisText(JSON.stringify({ ...genesis, config })))
    const next = await chain.nextValidators()
    assert.deepEqual(next?.validatorSet, { validators, votes: undefined })
  }
}
