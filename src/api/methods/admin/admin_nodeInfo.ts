import { looseObject, number, object, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { presentNodeInfo } from '#api/present/node-info.ts'
import { runningSelf } from '#api/running-self.ts'
import { HashText } from '#api/schema/values.ts'

export default defineMethod({
  name: 'admin_nodeInfo',
  summary: 'The enode URL, node record, ports and chain of this node.',
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
