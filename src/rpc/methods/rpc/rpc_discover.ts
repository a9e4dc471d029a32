import { array, looseObject, object, string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { describeMethods } from '#rpc/open-rpc.ts'

export default defineMethod({
  name: 'rpc.discover',
  summary: 'The OpenRPC document of the methods that can be called on this transport.',
  aliases: ['rpc_discover'],
  needs: ['apis'],
  params: {},
  result: object({
    openrpc: string(),
    info: looseObject({ title: string(), version: string() }),
    methods: array(looseObject({ name: string() })),
  }).meta({ title: 'OpenRPC document' }),
  run: ({ apis }) => describeMethods(apis.methods),
})
