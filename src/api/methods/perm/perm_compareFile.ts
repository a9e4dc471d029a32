import { array, literal, nullable, number, object, string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

export default defineMethod({
  name: 'perm_compareFile',
  summary:
    'Compares the allowlists in force with the permissions file: the changes that a reload would make.',
  needs: ['allowlist'],
  params: {},
  result: array(
    object({
      list: literal(['accounts', 'nodes']),
      file: string().meta({ description: 'the path of the permissions file' }),
      inForce: number().meta({ description: 'entries in force' }),
      inFile: nullable(number()).meta({ description: 'entries of the file; null if it cannot be loaded' }),
      added: array(string()).meta({ description: 'entries that a reload would add; at most 1,000' }),
      addedCount: number(),
      removed: array(string()).meta({ description: 'entries that a reload would remove; at most 1,000' }),
      removedCount: number(),
      problem: nullable(string()).meta({ description: 'why a reload would fail' }),
      readOnly: nullable(string()).meta({ description: 'why methods cannot change the file' }),
    }),
  ),
  run: async ({ allowlist }) => {
    const compared = await allowlist.compare()
    if (compared === undefined) throw rpcFault('LIMIT_EXCEEDED')
    return [...compared]
  },
})
