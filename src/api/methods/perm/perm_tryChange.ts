import { array, literal, number, object, string, unknown } from 'zod'
import { judgeEntries } from '#api/allowlist-entries.ts'
import { defineMethod } from '#api/define-method.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineMethod({
  name: 'perm_tryChange',
  summary:
    'Checks a change of an allowlist without making it. Fails with the error that the change would have.',
  needs: ['allowlist'],
  params: {
    change: new Param(literal(['add', 'remove']).meta({ title: 'change' }), 'INVALID_PARAMS'),
    list: new Param(literal(['accounts', 'nodes']).meta({ title: 'list' }), 'INVALID_PARAMS'),
    entries: new Param(array(unknown()).meta({ description: 'accounts or enode URLs' }), 'INVALID_PARAMS'),
  },
  result: object({
    before: number().meta({ description: 'entries in force now' }),
    after: number().meta({ description: 'entries in force after the change' }),
    dropped: array(string()).meta({
      description: 'entries only in the file, which the change would remove from it; at most 1,000',
    }),
    droppedCount: number().meta({ description: 'how many such entries there are' }),
  }),
  run: async ({ allowlist }, { change, list, entries: elements }) => {
    const { ok: _, ...tried } = await judgeEntries(allowlist, list, elements, (entries) =>
      allowlist.tryChange(change, list, entries),
    )
    return tried
  },
})
