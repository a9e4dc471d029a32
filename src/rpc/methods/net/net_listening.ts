import { boolean } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'

export default defineMethod({
  name: 'net_listening',
  summary: 'Whether the node takes connections of peers.',
  needs: ['peers'],
  params: {},
  result: boolean(),
  run: ({ peers }) => peers.isListening(),
})
