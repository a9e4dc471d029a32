import { number, object, string } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { HashText } from '#api/schema/values.ts'

const Metadata = object({
  clientVersion: string(),
  chainId: number(),
  instanceId: HashText,
  latestBlockNumber: number(),
  latestBlockHash: HashText,
}).meta({ title: 'development network metadata' })

export default defineDevMethod({
  name: 'hardhat_metadata',
  aliases: ['anvil_metadata'],
  summary: 'Version, chain and head. The instance id changes with every start.',
  needs: ['node', 'chain', 'dev'],
  params: {},
  result: Metadata,
  run: async ({ node, chain, dev }) => {
    const { hash, header } = chain.head()
    return {
      clientVersion: node.clientVersion(),
      chainId: Number(chain.genesis.config.chainId),
      instanceId: await dev.instanceId(),
      latestBlockNumber: Number(header.number),
      latestBlockHash: hash,
    }
  },
})
