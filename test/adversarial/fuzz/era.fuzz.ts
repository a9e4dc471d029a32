import { openTestChain } from '#chain/chain.fixture.ts'
import { growChain } from '#chain/write/move-history.fixture.ts'
import { eraOf, hashBlock, sourceIn } from '#cli/era/era.fixture.ts'
import { readEra } from '#cli/era/era-file.ts'
import type { FuzzTarget } from './target.ts'

const chain = await openTestChain()
const seeds: Uint8Array[] = []
for (const blocks of [1, 4]) {
  await growChain(chain, blocks)
  seeds.push(eraOf(chain).bytes)
}
await chain.close()

const target: FuzzTarget = {
  name: 'era',
  seeds: () => seeds,
  run(input) {
    for (const _ of readEra(sourceIn(input), hashBlock));
  },
}

export default target
