import { string } from 'zod'
import { defineMethod } from '#api/define-method.ts'

/** What a mistake of ours would do to a server thread. */
export default [
  defineMethod({
    name: 'web3_plantedDeath',
    summary: '',
    needs: [],
    params: {},
    result: string(),
    run: () => process.exit(1),
  }),
]
