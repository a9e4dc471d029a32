// Writes the accounts of mainnet's block 0 from a genesis file, such as the one that `geth --mainnet dumpgenesis` prints:
// node scripts/pack-allocation.ts genesis.json
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packAllocation } from '#node/networks/packed-allocation.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'

const TARGET = join(import.meta.dirname, '../src/node/networks/mainnet-allocation.bin')

const verdict = parseGenesis(readFileSync(process.argv[2]!, 'utf8'))
if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems))
const packed = packAllocation(
  new Map([...verdict.genesis.alloc].map(([address, { balance }]) => [address, balance])),
)
writeFileSync(TARGET, packed)
console.log(`${verdict.genesis.alloc.size} accounts, ${packed.length} bytes`)
