/* Methods as a plugin brings them: in an API that the package does not know. */
import { string } from 'zod'
import { defineMethod } from '#api/define-method.ts'

const declaration = { summary: 'From outside.', params: {}, result: string() }

export default [
  defineMethod({
    ...declaration,
    name: 'outside_clientVersion',
    needs: ['node'],
    run: ({ node }) => `outside ${node.clientVersion().split('/')[0]}`,
  }),
  defineMethod({
    ...declaration,
    name: 'outside_engine',
    needs: ['chain', 'engine'],
    run: ({ chain, engine }) =>
      `${engine === undefined ? 'no' : 'an'} engine at ${chain.head().header.number}`,
  }),
]
