import { looseObject, number, object, string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { presentNodeInfo } from '#rpc/present/node-info.ts'
import { runningSelf } from '#rpc/running-self.ts'
import { HashText } from '#rpc/schema/hash.ts'

export default defineMethod({
  name: 'admin_nodeInfo',
  summary: 'What this node is to others: its enode URL and record, its ports, its chain.',
  needs: ['peers', 'chain', 'node'],
  params: {},
  result: object({
    enode: string(),
    listenAddr: string(),
    activeFork: string().meta({ description: 'the rules of the head' }),
    ip: string(),
    enr: string().optional().meta({ description: 'absent without discovery' }),
    name: string(),
    id: string(),
    ports: object({ discovery: number().optional(), listener: number() }),
    protocols: object({
      eth: object({
        config: looseObject({}).meta({ description: 'chain, forks and protocol of the genesis file' }),
        difficulty: number(),
        genesis: HashText,
        head: HashText,
        network: number(),
      }),
    }),
  }),
  run: async ({ peers, chain, node }) =>
    presentNodeInfo(await runningSelf(peers), chain, node.clientVersion(), node.networkId()),
})
