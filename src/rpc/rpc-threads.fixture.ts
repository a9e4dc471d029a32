import { string } from 'zod'
import { defineMethod } from './define-method.ts'

/** What a mistake of ours would do to a server thread, and a method that needs a chain. */
export default [
  defineMethod({
    name: 'web3_plantedDeath',
    summary: '',
    needs: [],
    params: {},
    result: string(),
    run: () => process.exit(1),
  }),
  defineMethod({
    name: 'web3_plantedChain',
    summary: '',
    needs: ['chain', 'engine'],
    params: {},
    result: string(),
    run: () => 'run',
  }),
]
