import { array, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { Param } from '#jsonrpc/method.ts'

const OWN_NAME = 'engine_exchangeCapabilities'

export default defineMethod({
  name: OWN_NAME,
  summary: 'Lists the methods of the Engine API that this node serves.',
  needs: ['apis'],
  params: {
    methods: new Param(
      array(string()).meta({ description: 'methods of the consensus client; not used' }),
      'INVALID_PARAMS',
    ),
  },
  result: array(string()),
  run: ({ apis }) =>
    apis.methods.map(({ name }) => name).filter((name) => name.startsWith('engine_') && name !== OWN_NAME),
})
