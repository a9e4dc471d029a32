import { boolean } from 'zod'
import { defineMethod } from '#api/define-method.ts'

export default defineMethod({
  name: 'net_listening',
  summary: 'Whether the node accepts connections from peers.',
  needs: ['peers'],
  params: {},
  result: boolean(),
  run: ({ peers }) => peers.isListening(),
})
