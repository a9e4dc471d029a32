import { array, boolean, nullable, number, object, record, string, unknown } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { recentEntries } from '#jsonrpc/audit/recent-entries.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'

const MAX_ENTRIES = 100
const Count = number()
  .int()
  .min(1)
  .max(MAX_ENTRIES)
  .meta({ description: `at most ${MAX_ENTRIES}; default 50` })
const Prefix = string()
  .max(64)
  .meta({ description: 'the beginning of method names, such as `perm_`; default all methods' })

export default defineMethod({
  name: 'admin_auditLog',
  summary: 'The last changes of the node from its audit log, the newest first. Only for authenticated users.',
  needs: ['audit'],
  params: {
    count: new Param(Count, 'INVALID_PARAMS', { isRequired: false, fallback: 50 }),
    methods: new Param(Prefix, 'INVALID_PARAMS', { isRequired: false, fallback: '' }),
  },
  result: object({
    entries: array(
      object({
        line: number(),
        time: string().meta({ description: 'the end of the call, as ISO 8601' }),
        user: nullable(string()),
        remoteAddress: nullable(string()),
        requestId: nullable(string()),
        method: string(),
        params: unknown(),
        outcome: record(string(), unknown()).meta({
          description: 'the members `result`, `error`, `outcome`, `before` and `after` of the line',
        }),
        isIntact: boolean().meta({ description: 'false if the line was changed after it was written' }),
      }),
    ),
    isComplete: boolean().meta({ description: 'false if the log has earlier entries' }),
  }),
  run: async ({ audit }, { count = 50, methods = '' }, { caller, remoteAddress }) => {
    // A call without an address is one of the embedding program, which can read the file.
    if (caller?.user === undefined && remoteAddress !== undefined) {
      throw rpcFault('METHOD_NOT_ENABLED', { reason: 'the audit log is for authenticated users' })
    }
    const tail = await audit.tail()
    if (tail === undefined) throw rpcFault('METHOD_NOT_ENABLED', { reason: 'the audit log is off' })
    const { entries, isComplete } = recentEntries(tail, count, methods)
    return { entries: [...entries], isComplete }
  },
})
