/** Methods as a plugin adds them, in an API that is not part of the package. */
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
