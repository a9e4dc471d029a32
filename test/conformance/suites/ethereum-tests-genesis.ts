/** Genesis files of ethereum/tests from before `config` existed, and their block 0. */
import assert from 'node:assert/strict'
import { encodeBlock } from '#types/block/block.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { genesisBlock } from '#types/genesis/genesis-block.ts'
import { formatGenesisFinding } from '#types/genesis/genesis-problems.ts'
import { genesisStateRoot } from '#types/genesis/genesis-state-root.ts'
import { formatDigits } from '#types/hex.ts'
import { outcomeOf, type Pack, type Suite } from '../suite.ts'

interface Case {
  readonly result: string
  readonly timestamp: string
  readonly alloc: Readonly<Record<string, { readonly wei?: string; readonly balance?: string }>>
}

const FOLDER = 'ethereum-tests/GenesisTests'

const suite: Suite = {
  name: FOLDER,
  async *run(pack: Pack) {
    for (const path of pack.files(FOLDER)) {
      const file = path.slice(FOLDER.length + 1)
      for (const [name, vector] of Object.entries(pack.json(path) as Record<string, Case>)) {
        yield outcomeOf(`${file}#${name}`, () => verify(vector))
      }
    }
  },
}

export default suite

function verify(vector: Case): void {
  const verdict = parseGenesis(JSON.stringify(modernised(vector)))
  if (!verdict.ok) throw new Error(verdict.problems.map(formatGenesisFinding).join(' '))
  const block = genesisBlock(verdict.genesis, genesisStateRoot(verdict.genesis.alloc))
  assert.equal(formatDigits(encodeBlock(block)), vector.result)
}

/** Two obsolete spellings in genesis files: `wei` for a balance, and an empty string for zero. */
function modernised(vector: Case): object {
  const alloc = Object.entries(vector.alloc).map(([address, { wei, ...account }]) => {
    return [address, wei === undefined ? account : { ...account, balance: wei }]
  })
  const timestamp = vector.timestamp === '0x' ? '0x0' : vector.timestamp
  return { ...vector, timestamp, alloc: Object.fromEntries(alloc) }
}
